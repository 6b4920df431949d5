"""The `netplan` command. Each verb is a module here; it parses, calls the engine and writes."""

from netplan_planner.cli.app import app, run

__all__ = ["app", "main"]


def main() -> None:
    """Run the `netplan` command."""
    run()
