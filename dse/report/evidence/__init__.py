"""What every figure of a design rests on: catalogue rows, entries of the problem file, rules, each with an id.

record        one piece of evidence, and those gathered for one design
times         the time of the network, and what makes its worst case of it
accuracies    the accuracy
needs         power, energy and memory
things        what the chip, its board and the weights are: price, temperature, lifecycle, licence, tool chain, decoder
trace         all of it for one design, and the plain objects reports are written from
"""

from dse.report.evidence.record import Evidence
from dse.report.evidence.trace import evidence_object, evidence_of

__all__ = ["Evidence", "evidence_object", "evidence_of"]
