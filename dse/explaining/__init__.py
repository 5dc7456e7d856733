"""Why nothing is feasible, or what a choice hangs on: clashing limits, relaxations, ranges, what-ifs.

Everything is read off the candidate table and checked by solves of its own; the words are `dse.report`'s.
"""
