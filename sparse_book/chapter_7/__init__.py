"""What chapter 7 alone needs, with its audit."""
