"""Side by side with other libraries: `python3 make.py bench`. No test asserts a time, and the package imports none."""
