"""How every page looks, whatever it is about: formulas, the signs of print, names, figures as files, the theme."""
