"""The sheets of a workbook that compares chips, one file each.

Knows the plain object of a comparison (`dse.report.compared`) and nothing behind it; money is formulas on input cells.
"""
