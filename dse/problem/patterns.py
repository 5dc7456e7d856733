"""Moved to `dse.patterns`."""

from dse.patterns import is_pattern, matches, matches_any, name_hint, nearest, normalise

__all__ = ["is_pattern", "matches", "matches_any", "name_hint", "nearest", "normalise"]
