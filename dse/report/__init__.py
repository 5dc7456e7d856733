"""What to say (``summary``) and how to say it (``text`` for the terminal, ``table`` for CSV)."""
