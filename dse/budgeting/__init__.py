"""The budget before any chip: the time, the work and the bytes one inference may take, and what is known to keep to it.

`times` needs the problem alone, `tails` and `work` the catalogue, `reach` the candidate runs of a task.
"""
