"""Worst-case latency of one task on one platform: pure functions of arrays, no tables, no files.

All times are int64 ticks of 0.1 µs: demand rounds up, capacity rounds down, the rest is exact integer arithmetic.

    ticks      from milliseconds to ticks, the caps and the sentinel for "no bound"
    arrivals   how many items N merged periodic streams can bring, how close and how far apart
    stages     what every bound needs of the item stages, and the parts a bound is made of
    pipeline   bounds of a path of item stages with one batch stage (tandem, count, dynamic)
    dynamic    the batch sizes a dynamic batcher can reach, and the queue branch of its bound
    batching   the same bounds for the network alone, and their stability tests
    path       the entry of the candidate table: every row's bound, split into parts that add up
    exact      the same bounds again, one candidate at a time in exact fractions of a millisecond
"""
