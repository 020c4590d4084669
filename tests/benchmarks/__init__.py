"""Side by side with other libraries: `python3 make.py bench`. The package imports none of them."""
