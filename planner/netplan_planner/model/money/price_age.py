"""How old prices may be before an answer that rests on them says so, in its first line."""

from datetime import date, timedelta
from pathlib import Path

from netplan_planner.model.money.prices import SnapshotInfo

MOST_PRICE_DAYS = 90
"""List prices: none changed in ten weeks, up to a sixth in half a year (pricing/README.md)."""
MOST_SPOT_DAYS = 30
"""Spot prices: nearly all moved within ten weeks."""
_BUNDLE = ".zst"
_NEW_FOLDER = Path("prices")


def age_of(
    as_of: date | None, spot_as_of: date | None, today: date, folder: Path | None = None
) -> str:
    """Return the line that says that prices are old and how to get new ones; empty while they hold.

    It names dates, not ages: the same answer reads the same tomorrow.

    Args:
        as_of: Date of the oldest price that the answer rests on, Spot aside; None for none.
        spot_as_of: Date of the oldest Spot price; None where there is none.
        today: The day of the answer.
        folder: Of the snapshot, None for the embedded one.

    >>> age_of(date(2026, 4, 30), None, date(2026, 11, 22), Path("own"))
    'Prices of 2026-04-30, over 90 days old: netplan prices refresh --out own'
    >>> age_of(date(2026, 4, 30), date(2026, 7, 20), date(2026, 7, 29), Path("own"))
    ''
    """
    old = []
    if as_of is not None and today - as_of > timedelta(days=MOST_PRICE_DAYS):
        old.append(f"Prices of {as_of.isoformat()}, over {MOST_PRICE_DAYS} days old")
    if spot_as_of is not None and today - spot_as_of > timedelta(days=MOST_SPOT_DAYS):
        old.append(f"Spot prices of {spot_as_of.isoformat()}, over {MOST_SPOT_DAYS} days old")
    if not old:
        return ""
    # Prices of a bundle stay what they were: new ones stand beside it.
    own = folder if folder is None or folder.suffix != _BUNDLE else None
    out = own or _NEW_FOLDER
    then = f", then --prices {out}" if own is None else ""
    return f"{'; '.join(old)}: netplan prices refresh --out {out}{then}"


def price_age(
    info: SnapshotInfo, today: date, *, has_spot: bool = False, folder: Path | None = None
) -> str:
    """Return that line for an answer that may rest on any price of a snapshot.

    Args:
        info: What the prices rest on.
        today: The day of the answer.
        has_spot: Whether it rests on Spot prices too.
        folder: Of the snapshot, None for the embedded one.
    """
    spot = info.spot_as_of if has_spot else None
    return age_of(min(info.as_of, info.network_as_of), spot, today, folder)
