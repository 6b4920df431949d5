"""netplan: an advisory linter and planner for Compute Engine networking."""


def tool_version() -> str:
    """Return the installed version, or `0+unknown` when run from an unpacked tree."""
    # Imported here: it costs a seventh of what `netplan --help` takes.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("gce-netplan")
    except PackageNotFoundError:
        return "0+unknown"
