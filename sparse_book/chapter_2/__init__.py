"""What chapter 2 alone needs, with its audit and the drawings of its proof."""
