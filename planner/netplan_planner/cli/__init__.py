"""The `netplan` command. Each verb is a module here; it parses, calls the engine and writes."""


def main() -> None:
    """Run the `netplan` command; Ctrl-C ends it quietly from its first import on."""
    from netplan_planner.cli.interrupts import ended_quietly

    with ended_quietly():
        from netplan_planner.cli.verbs import run

        run()
