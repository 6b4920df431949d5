"""What an answer must know, where its type allows that it does not."""

from typing import TypeVar

Value = TypeVar("Value")


def known(value: Value | None) -> Value:
    """Return a value that is there, and fail where it is not."""
    assert value is not None
    return value
