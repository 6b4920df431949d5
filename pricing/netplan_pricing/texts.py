"""The words of answers and refusals, in one place so that each reason reads the same everywhere."""

from netplan_planner.model import Usage

_SHOWN = 60

USAGE_NOTES = {
    Usage.ON_DEMAND: "",
    Usage.SPOT: "a Spot price changes within weeks: it is valid for its date",
    Usage.CUD_1Y: "resource-based commitment: billed every hour of the year, used or not",
    Usage.CUD_3Y: "resource-based commitment: billed every hour of the three years, used or not",
    Usage.SUSTAINED_USE: "average hour of a full month; only for accounts that pay online, and"
    " not for committed usage",
}

ROW_NOTES = {
    "z3-local-ssd-sku-corrected": "local SSD at the rate of Z3; another calculation uses the"
    " generic rate",
    "spot-withheld": "",
    "includes-m2-upgrade-premium": "M1 rates and the M2 upgrade premium",
    "not-in-machine-list": "not in the Compute API's list of machine types",
    "duplicate-skus-in-region": "the catalog has two current prices of one part in this region",
    "computed-from-components": "summed from component rates",
    "assumes-3750-gib-local-ssd": "assumed: its bundled local SSD has 3750 GiB",
    "zero-priced-in-catalogue": "the catalog lists it at 0, which is not a price",
    "stepped-in-catalogue": "the catalog prices it in steps by monthly usage; an hourly VM price"
    " has no steps",
    "no-price-in-catalogue": "the catalog names the SKU but no price",
    "solved-from-machine-prices": "derived from prices of whole VMs",
    "duplicate-skus": "the catalog has two current rates for a part of it in this region",
}
"""What the note codes of price rows mean; a code that is not here is shown as it is."""


def quoted(name: str) -> str:
    r"""Return a name from outside for a message: short, with escapes visible.

    >>> quoted("n1\x1b[31m")
    "'n1\\x1b[31m'"
    """
    return ascii(name[:_SHOWN] + "…" if len(name) > _SHOWN else name)


def row_note(codes: str) -> str:
    """Return the note codes of a price row as a sentence."""
    if not codes:
        return ""
    parts = (ROW_NOTES.get(code, code) for code in codes.split(";"))
    return "; ".join(part for part in parts if part)


def joined(*notes: str) -> str:
    """Return the notes that say something, as one text."""
    return "; ".join(note for note in notes if note)
