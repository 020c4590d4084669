"""The Sphinx extension of this book, and what builds it."""


class Stop(Exception):
    """What went wrong and what to do about it, in one line: a command ends with it."""


def text_of(path):
    """The text of a file in UTF-8, the only encoding of this book."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Stop(f"{path.name} cannot be read: {error}") from None


def setup(app):
    from companion import extension

    return extension.setup(app)
