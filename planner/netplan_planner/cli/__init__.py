"""The `netplan` command. Each verb is a module here; it parses, calls the engine and writes."""

from netplan_planner.cli import (
    audit,
    calibrate,
    caps,
    config,
    model,
    predict,
    price,
    price_services,
    prices,
    prices_reconcile,
    probe,
    probe_import,
    recommend,
    rules,
)
from netplan_planner.cli.app import app, run

VERBS = (
    audit,
    recommend,
    predict,
    probe,
    probe_import,
    calibrate,
    model,
    caps,
    price,
    price_services,
    prices,
    prices_reconcile,
    rules,
    config,
)
"""The modules that register the verbs by being imported, in the order of the help page."""

__all__ = ["app", "main"]


def main() -> None:
    """Run the `netplan` command."""
    run()
