"""Pareto fronts: the designs that no other feasible design beats, complete and exact, over freely chosen axes."""
