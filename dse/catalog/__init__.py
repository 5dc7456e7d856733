"""What exists: chips, networks, accuracies and measurements, read from catalogue files.

``types`` holds the shapes, ``read`` turns files into them, ``paths`` says where the files are.
"""
