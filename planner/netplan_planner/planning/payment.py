"""The way in which machines are paid, of the flags that ask for it."""

from collections.abc import Mapping

from netplan_planner.errors import UsageError
from netplan_planner.model import Usage
from netplan_planner.model.plans.machine_choice import PAYMENT as PAYMENT


def one_usage(flags: Mapping[Usage, bool]) -> Usage | None:
    """Return the one way of paying that is asked for; None: none is named.

    Raises:
        UsageError: If there are two.
    """
    chosen = [usage for usage, is_on in flags.items() if is_on]
    if len(chosen) > 1:
        both = " and ".join(f"--{usage.value}" for usage in chosen)
        raise UsageError(f"{both} exclude each other: a machine is paid in one way")
    return chosen[0] if chosen else None


def check_interruptions(per_day: float | None) -> None:
    """Raise where Spot machines are asked for and nobody says how often they are interrupted."""
    if per_day is None:
        raise UsageError(
            "--spot needs --spot-interruptions-per-day: Google documents no rate for Spot machines"
            " (docs/job.md says where yours can be read)"
        )
