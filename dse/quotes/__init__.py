"""Buyers' quotations: read from a CSV file, weighed against each other, and put in the place of list prices."""
