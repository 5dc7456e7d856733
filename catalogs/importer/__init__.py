"""Turns a folder of collected public figures into dse's own catalogue files.

Run once, then the files under ``catalogs/`` are the truth and are edited by hand:

    python -m catalogs.importer FOLDER

One module per catalogue: ``models`` (networks and accuracies), ``chips`` (silicon, power modes), ``measurements``
(speed and power figures) and ``tails`` (how far the slowest runs lie above the mean).
"""
