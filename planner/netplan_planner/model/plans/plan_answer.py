"""What the answers of plans share: what they rest on."""

from datetime import date

from netplan_planner.model.base import Value


class PlanAnswer(Value, frozen=True, kw_only=True):
    """The answer of a verb that plans: what it rests on stands first."""

    price_age: str
    """That prices are old, and the command for newer ones; empty while they hold."""
    limits_as_of: date
    calibration: str | None
    """What it says of itself, where probes corrected the limits."""
    prices_as_of: date
    spot_prices_as_of: date
    network_prices_as_of: date
    prices_sha256: str
    price_terms: str
    """Of the contract, where prices are effective ones; empty: list prices."""
