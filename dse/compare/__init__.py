"""One design for every chip: the best it can do, or what it lacks, or which limit it fails and by how much.

Knows the candidate table and the answer; what a comparison says of it in words and money is `dse.report`'s.
"""
