"""A grid of what-ifs: any field of a problem file changed, one answer per point.

``values`` reads what a field is to take, ``changes`` finds the field and alters the data, ``points`` lays the grid,
``checking`` judges every point before the first is solved, ``journal`` keeps what is finished, ``rows`` says what goes
into the table, and ``run`` calls them in order.
"""
