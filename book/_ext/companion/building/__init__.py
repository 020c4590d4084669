"""From the sources to the site: chapters are read and executed, and what may be kept of the last build is kept."""
