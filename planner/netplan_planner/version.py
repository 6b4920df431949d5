"""The version of netplan. A module of its own: to look it up takes a seventh of `--help`."""

from importlib.metadata import PackageNotFoundError, version


def tool_version() -> str:
    """Return the installed version, or `0+unknown` when run from an unpacked tree."""
    try:
        return version("gce-netplan")
    except PackageNotFoundError:
        return "0+unknown"
