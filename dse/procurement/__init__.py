"""What designs cost over the years, how they score, and which input moves the choice: pure functions of numbers."""
