"""The Sphinx extension of this book, and what builds it."""


class Stop(Exception):
    """What went wrong and what to do about it, in one line: a command ends with it."""


def setup(app):
    from companion import extension

    return extension.setup(app)
