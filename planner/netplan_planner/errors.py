"""Every error that netplan raises on purpose.

    NetplanError
    ├── UsageError      wrong flag or configuration                 exit status 2
    ├── InputError      a file, flow log or page cannot be read     exit status 3
    │   └── AccessError the cloud refused, or is silent; names the permission
    ├── MissingDatum    no price, cap or measurement; never a 0     exit status 3
    └── IncompleteError the answer lacks a part and `--strict` was given   exit status 4

The shell translates foreign exceptions where they arise (`from exc`). After that, errors are
caught at two places only: `engine`, so that one rule's crash does not hide the others, and `cli`.
"""


class NetplanError(Exception):
    """An error whose text tells the user what was wrong, where, and what to do."""

    exit_status = 3


class UsageError(NetplanError):
    """A flag, environment variable or configuration file asks for what cannot be."""

    exit_status = 2


class InputError(NetplanError):
    """An input exists but cannot be read; the text names file and position."""


class AccessError(InputError):
    """The cloud refused or did not answer; the text names the missing permission where known."""


class MissingDatum(NetplanError):
    """A price, cap or measurement that netplan does not have. It is never read as 0."""


class IncompleteError(NetplanError):
    """A part of the answer is missing and `--strict` asked to fail on that."""

    exit_status = 4
