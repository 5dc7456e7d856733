"""A discrete-event replay of real-time inference, item by item: what worst-case bounds claim, without their formulas.

``plant`` describes what is replayed, ``phases`` when frames are released, and ``layouts`` which such patterns to try;
``replay`` plays one of them, and ``search`` looks for the worst. Nothing here knows a bound: it shares neither code nor
formula with ``dse.timing``, so it can disagree. A replay shows that a latency occurs; it never shows that none is
longer.

All times are whole ticks; the station does not care how long a tick is.
"""
