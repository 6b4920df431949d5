"""Texts and names as they stand in SQL."""


def quoted(text: str) -> str:
    """Return a text as an SQL literal.

    >>> quoted("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """Return a name as a quoted SQL identifier.

    >>> identifier('a"b')
    '"a""b"'
    """
    return '"' + name.replace('"', '""') + '"'
