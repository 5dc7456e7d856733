"""Any YAML file of the project as plain data, with the line and column of every value.

``reader`` opens files and words the faults of the text, ``tree`` builds the data, ``scalars`` says what a word means.
"""
