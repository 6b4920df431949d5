"""How old prices may be before an answer that rests on them says so."""

from datetime import date, timedelta
from pathlib import Path

from netplan_planner.model.money.prices import SnapshotInfo

MOST_PRICE_DAYS = 90
"""List prices: none changed in ten weeks, up to a sixth in half a year (pricing/README.md)."""
MOST_SPOT_DAYS = 30
"""Spot prices: nearly all moved within ten weeks."""
SHIPPED = Path("shipped")
"""What `--prices` takes for the snapshot that ships, whatever else there is."""
_BUNDLE = ".zst"


def age_of(
    as_of: date | None, spot_as_of: date | None, today: date, folder: Path | None = None
) -> str:
    """Return the line that says that prices are old and how to get new ones; empty while they hold.

    It names dates, not ages: the same answer reads the same tomorrow.

    Args:
        as_of: Date of the oldest price that the answer rests on, Spot aside; None for none.
        spot_as_of: Date of the oldest Spot price; None where there is none.
        today: The day of the answer.
        folder: That `--prices` named; None: none was named.

    >>> age_of(date(2026, 4, 30), None, date(2026, 11, 22), Path("own"))
    'Prices of 2026-04-30 are over 90 days old. Update them: netplan prices refresh --out own'
    >>> age_of(date(2026, 4, 30), date(2026, 7, 20), date(2026, 7, 29), Path("own"))
    ''
    """
    is_old = as_of is not None and today - as_of > timedelta(days=MOST_PRICE_DAYS)
    is_spot_old = spot_as_of is not None and today - spot_as_of > timedelta(days=MOST_SPOT_DAYS)
    if not is_old and not is_spot_old:
        return ""
    if is_old and is_spot_old:
        said = f"Prices of {as_of} and Spot prices of {spot_as_of} are old"
    elif is_old:
        said = f"Prices of {as_of} are over {MOST_PRICE_DAYS} days old"
    else:
        said = f"Spot prices of {spot_as_of} are over {MOST_SPOT_DAYS} days old"
    return f"{said}. {update_of(folder)}"


def update_of(folder: Path | None) -> str:
    """Return what gets new prices for an answer that took them from a folder; None: by itself.

    >>> update_of(Path("own"))
    'Update them: netplan prices refresh --out own'
    """
    update = "Update them: netplan prices refresh"
    if folder is None:
        return update
    if folder == SHIPPED:
        # Shorter, as it has to fit in a line.
        return f"Run netplan prices refresh, omit --prices {SHIPPED}"
    if folder.suffix == _BUNDLE:
        # Prices of a bundle stay what they were.
        return f"{update} --out prices, then --prices prices"
    return f"{update} --out {folder}"


def price_age(
    info: SnapshotInfo, today: date, *, has_spot: bool = False, folder: Path | None = None
) -> str:
    """Return that line for an answer that may rest on any price of a snapshot.

    Args:
        info: What the prices rest on.
        today: The day of the answer.
        has_spot: Whether it rests on Spot prices too.
        folder: That `--prices` named; None: none was named.
    """
    spot = info.spot_as_of if has_spot else None
    return age_of(info.oldest, spot, today, folder)
