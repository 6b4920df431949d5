"""The `netplan` command: options, output, errors and completion of the verbs in `verbs`."""

import os

_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""Matrices here have a hundred rows: threads of linear algebra only wait for each other, which
took three times the CPU of a forecast. The engines of flow logs and programs have their own."""


def main() -> None:
    """Run the `netplan` command; Ctrl-C ends it quietly from its first import on."""
    for name in _ONE_THREAD:
        os.environ.setdefault(name, "1")
    try:
        from netplan_planner.cli.interrupts import ended_quietly
    except KeyboardInterrupt:
        os._exit(130)  # As `EXIT_INTERRUPTED`, which is not there yet.
    with ended_quietly():
        from netplan_planner.streams import keep_for_answer, libraries_apart

        keep_for_answer()
        with libraries_apart():
            from netplan_planner.cli.app import run

        run()
