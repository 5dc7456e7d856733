"""How good estimates of time are: fixed splits, scores with intervals, decisions, and rules of thumb to beat."""
