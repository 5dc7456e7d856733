"""Worst-case latency of tasks on the resources they use: pure functions, no tables, no files.

All times of arrays are int64 ticks of 0.1 µs: demand rounds up, capacity rounds down, the rest is exact integer
arithmetic. Functions of a `Load` are exact for ticks and for fractions of a millisecond alike; None means: no bound.

One task:

    ticks          from milliseconds to ticks, the caps and the sentinel for "no bound"
    arrivals       how many items N merged periodic streams can bring, how close and how far apart
    stages         what every bound needs of the item stages, and the parts a bound is made of
    pipeline       bounds of a path of item stages with one batch stage (tandem, count, dynamic)
    dynamic        the batch sizes a dynamic batcher can reach, and the queue branch of its bound
    timeout_close  batches closed by a time-out even while the server is busy
    batching       the same bounds for the network alone, and their stability tests
    path           the entry of the candidate table: every row's bound, split into parts that add up
    exact          the same bounds again, one candidate at a time in exact fractions of a millisecond
    quantile       waits that few items exceed over random phases: estimates, never bounds

Several tasks on one resource:

    load           what one task demands of a resource it shares
    shared_unit    response at one server: in order, by fixed priority, or both
    shared_affine  the same in closed form, for whole tables and as rows of a 0/1 program
    shared_batches counted batches of several tasks
    round_robin    a server that takes turns
    multiclass     several tasks through the same stages, or through one server and stages of their own
    servers        several equal servers behind one queue
    memory_bus     how much longer jobs take that share a memory bus
    compositional  stage by stage, for whatever nothing else covers
    linear         rows over 0/1 choices and the coefficients they share
    wide           products of two times that do not fit 64 bits
"""
