"""The optimisation model: CP-SAT chooses among the rows the candidate table let through, and proves it.

``scaling`` turns costs into small whole numbers, ``choice`` states variables, constraint and objective, ``solve``
runs the lexicographic sequence.
"""
