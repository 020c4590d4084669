"""The Sphinx extension of this book, and what builds it."""


def setup(app):
    from companion import extension, figure_files

    figure_files.setup(app)
    return extension.setup(app)
