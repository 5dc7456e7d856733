"""Doubts about sound files: what the catalogue holds that can hardly be true, and how much of the world it covers."""
