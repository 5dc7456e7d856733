"""Several tasks on one device: the rows of each, what they share, and the exact verdict on a combination.

sides      each task alone: its context and the rows that could still be part of a design
prune      of alike rows on one unit, those that no other beats in anything a combination depends on
flows      from one chosen row per task to the flows that meet on the device
totals     memory and power of a combination
evaluate   every requirement of a combination, exactly
"""
