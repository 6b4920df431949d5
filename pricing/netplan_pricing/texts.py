"""The words of answers and refusals, in one place so that each reason reads the same everywhere."""

from collections.abc import Iterable

from netplan_planner.errors import nearest_names
from netplan_planner.model import Usage

_SHOWN = 60

USAGE_NOTES = {
    Usage.ON_DEMAND: "",
    Usage.SPOT: "a Spot price moves within weeks: it holds for its date",
    Usage.CUD_1Y: "resource-based commitment: paid every hour of the year, used or not",
    Usage.CUD_3Y: "resource-based commitment: paid every hour of the three years, used or not",
    Usage.SUSTAINED_USE: "mean hour of a full month; only for accounts that pay online, and not"
    " for what a commitment covers",
}

ROW_NOTES = {
    "z3-local-ssd-sku-corrected": "local SSD at Z3's own rate; another computation takes the"
    " generic rate",
    "spot-withheld": "",
    "includes-m2-upgrade-premium": "M1 rates and the M2 upgrade premium",
    "not-in-machine-list": "not in the Compute API's list of machine types",
    "duplicate-skus-in-region": "the catalogue has two live prices for a part of it in this region",
    "computed-from-components": "summed from component rates",
    "assumes-3750-gib-local-ssd": "the size of its bundled local SSD (3750 GiB) is an assumption",
    "zero-priced-in-catalogue": "the catalogue lists it at 0, which is no price",
    "stepped-in-catalogue": "the catalogue prices it in steps, by how much is used in a month; a"
    " machine's price per hour has none",
    "no-price-in-catalogue": "the catalogue names the SKU and no price",
    "solved-from-machine-prices": "solved from prices of whole machines",
    "duplicate-skus": "the catalogue has two live rates for a part of it in this region",
}
"""What the note codes of price rows mean; a code that is not here is shown as it is."""


def quoted(name: str) -> str:
    r"""Return a name from outside for a message: short, with escapes visible.

    >>> quoted("n1\x1b[31m")
    "'n1\\x1b[31m'"
    """
    return ascii(name[:_SHOWN] + "…" if len(name) > _SHOWN else name)


def nearest(name: str, known: Iterable[str]) -> str:
    """Return " (nearest: …)" with the names most like `name`, or an empty text.

    >>> nearest("us-centrall1", ["us-central1", "europe-west1"])
    ' (nearest: us-central1)'
    """
    found = nearest_names(name, known)
    return f" (nearest: {', '.join(found)})" if found else ""


def row_note(codes: str) -> str:
    """Return the note codes of a price row as a sentence."""
    if not codes:
        return ""
    parts = (ROW_NOTES.get(code, code) for code in codes.split(";"))
    return "; ".join(part for part in parts if part)


def joined(*notes: str) -> str:
    """Return the notes that say something, as one text."""
    return "; ".join(note for note in notes if note)
