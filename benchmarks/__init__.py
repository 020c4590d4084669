"""Side by side against other libraries: `python3 make.py bench`. Never imported by the package, never asserted in a test."""
