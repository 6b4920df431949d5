"""The `netplan` command. Each verb is a module here; it parses, calls the engine and writes."""

import os


def main() -> None:
    """Run the `netplan` command; Ctrl-C ends it quietly from its first import on."""
    try:
        from netplan_planner.cli.interrupts import ended_quietly
    except KeyboardInterrupt:
        os._exit(130)  # As `EXIT_INTERRUPTED`, which is not there yet.
    with ended_quietly():
        from netplan_planner.cli.app import run

        run()
