"""What chapter 6 alone needs, with its audit."""
