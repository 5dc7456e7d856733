"""Everything an answer rests on in one file: packed, read back, worked out again, and compared with another."""
