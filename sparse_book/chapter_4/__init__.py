"""What chapter 4 alone needs, with its audit."""
