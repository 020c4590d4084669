"""What chapter 8 alone needs."""
