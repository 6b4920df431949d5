"""All verbs of the command, in the order of its help page."""

from netplan_planner.cli import (
    audit,
    calibrate,
    caps,
    config,
    model,
    predict,
    price,
    prices,
    prices_reconcile,
    probe,
    recommend,
    rules,
)
from netplan_planner.cli.app import run

VERBS = (
    audit,
    recommend,
    predict,
    probe,
    calibrate,
    model,
    caps,
    price,
    prices,
    prices_reconcile,
    rules,
    config,
)
"""The modules that register the verbs by being imported, in the order of the help page."""

__all__ = ["VERBS", "run"]
