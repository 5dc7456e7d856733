"""Both roads agree on whatever a path may hold: ticks never below exact fractions, and by less than a few microseconds.

Each problem is evaluated over real chips, with and without decoders, with known and unknown CPU cores; rows of all
kinds are worked out again from the problem's own words.
"""

from __future__ import annotations

import numpy as np
import pytest

from dse.api import vocabulary_of
from dse.candidates.context import prepare
from dse.candidates.table import evaluate_all
from dse.problem.load import parse_problem
from dse.schema import UNKNOWN
from dse.timing.ticks import INFINITE
from dse.verify.path import ExactPath

CHIPS = "[rk3588, qcs8450, am62a, jetson-nano, hailo-8, k230]"
SOURCE = "{name: cam, streams: 3, rate_hz: 8.97, jitter_ms: 3.3, width: 1280, height: 720, stages: [%s], may_stop: %s}"
DELAY = "{name: net, delay_ms: 20.5, variation_ms: 7.25}"
DECODE = "{name: decode, on: video-decoder, overlap: 0.3, else: {on: cpu, time_ms: 6.1}}"
OWN = "{name: isp, on: isp, time_ms: 9.7, servers: 3}"
COPY = "{name: copy, mbytes: 1.3, overlap: 0.5}"
FULL = (
    "{name: resize, time_ms: 1.7, overlap: 0.8}, {name: up, mbytes: auto, overlap: 0.9}, {name: infer, overlap: 0.4}, "
    "{name: nms, time_ms: {rk3588: 2.2, default: 3.1}}, {name: track, on: tracker, time_ms: 5.3, servers: 2}"
)
PLAIN = "{name: a, on: x, time_ms: 2.3, overlap: 1}, {name: b, on: y, time_ms: 1.1, overlap: 1}, {name: infer}"
DYNAMIC, CLOSING = "{policy: dynamic, timeout_ms: [0, 7.3]}", "{policy: timeout-close, timeout_ms: [11.7, 90]}"
COUNT = "{policy: count}"
MEASURED = [
    f"{{model: {model}, chip: {chip}, precision: int8, batch: {batch}, latency_ms: {ms}}}"
    for chip in ("rk3588", "qcs8450", "hailo-8", "am62a")
    for model in ("resnet50", "mobilenet_v2", "resnet18")
    for batch, ms in ((2, 7.3), (8, 33.1), (8, 71.7))
]
KINDS = {
    "decoder": ((DELAY, DECODE), FULL, 1, DYNAMIC),
    "decoder counted": ((DELAY, DECODE), FULL, 1, COUNT),
    "decoder closing": ((DELAY, DECODE, OWN), FULL, 1, CLOSING),
    "every third": ((DELAY, DECODE, OWN), FULL, 3, DYNAMIC),
    "every third closing": ((DELAY, DECODE), FULL, 3, CLOSING),
    "every third, plain": ((OWN, DELAY), PLAIN, 3, COUNT),
    "only delays, every fourth": ((DELAY,), FULL, 4, DYNAMIC),
    "copies at two rates": ((COPY,), FULL, 2, DYNAMIC),
    "chain of overlaps": ((), PLAIN, 1, DYNAMIC),
}


@pytest.mark.parametrize("guarantee", ["worst-case", "p99"])
@pytest.mark.parametrize("kind", KINDS)
def test_both_roads_agree(knowledge, kind, guarantee):
    first, stages, every, batching = KINDS[kind]
    text = f"""
sources: {SOURCE % (", ".join(first), str(batching != COUNT).lower())}
tasks: {{name: t, task: image-classification, source: cam, every_nth: {every}, deadline_ms: none,
  guarantee: {guarantee}, stages: [{stages}]}}
search: {{chips: {CHIPS}, batches: [1, 2, 8], batching: {batching}, buffers: [1, 2]}}
host: {{owned: true, cpu_cores: 4}}
known: [{", ".join(MEASURED)}]
"""
    problem = parse_problem(text, "paths", vocabulary_of(knowledge.catalog))
    context = prepare(problem, problem.tasks[0], knowledge)
    rows = evaluate_all(context)
    finite = (rows.worst_case_ms != UNKNOWN) & (rows.worst_case_ms != INFINITE)
    batch = context.runs.batch[rows.run]
    kinds = [finite & (batch == 1), finite & (batch > 1), rows.worst_case_ms == INFINITE]
    bounded = 0
    for row in np.concatenate([_spread(np.flatnonzero(some)) for some in kinds]).tolist():
        shown = int(rows.worst_case_ms[row])
        path = ExactPath(context, int(rows.run[row]), int(rows.option[row]))
        worst, load = path.worst_case_ms(), path.load()
        assert (worst is None) <= (shown == INFINITE)
        if worst is not None and shown != INFINITE:
            # Rounding up may let one more frame or batch fit; most rows differ by the rounding of a few times alone.
            bounded += 0 <= shown - worst * 10_000 < 100
            assert worst * 10_000 <= shown
        if load is not None and shown != INFINITE:
            assert 0 <= int(rows.utilization[row]) - load * 1_000_000 < 60
    assert bounded > 12


def _spread(rows):
    """Some fifteen of the rows, all over the table."""
    return rows[:: max(1, len(rows) // 15)]
