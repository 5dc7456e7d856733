"""What an ONNX file holds: a network's work, parameters and memory, counted from shapes alone; weights are not read.

reading, external   the file, opened with care: sizes, damage, paths that lead out of its folder
expand, axes        functions written out, operators in order, free axes given a size
shapes, folding     the shape of every value
lower → graph       a plain graph without any ONNX in it
counting, parameters, one_bit, liveness   what is counted on that graph
facts               all of it together: the one function others call
"""
