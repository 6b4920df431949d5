"""The answer of `netplan price sku`."""

from typing import TYPE_CHECKING

from netplan_planner.cli.price_answers import Answer
from netplan_planner.errors import MissingDatum

if TYPE_CHECKING:
    from netplan_pricing import SnapshotPriceBook


def sku_answer(book: "SnapshotPriceBook", sku_id: str) -> Answer:
    """Return what a SKU is and costs.

    Raises:
        MissingDatum: If the snapshot does not hold it, or the catalogue names no price for it.
    """
    entry = book.skus.entry(sku_id.strip().upper())
    if not entry.tiers:
        raise MissingDatum(
            f"{entry.sku_id} is {entry.description!a}: the catalogue names it without a price"
        )
    kind = ", ".join(filter(None, (entry.kind, entry.series, entry.component, entry.usage)))
    answer = Answer(
        f"{entry.sku_id} {entry.description} ({entry.service})",
        ("from", "unit", "usd_per_unit", "as_of"),
        "USD",
    )
    for tier in book.terms.tiers(entry.tiers, entry.service):
        price = tier.price
        listed = next(one for one in reversed(entry.tiers) if one.start <= tier.start)
        answer.rows.append(
            {
                "sku_id": entry.sku_id,
                "from": tier.start,
                "unit": price.unit,
                "usd_per_unit": price.usd,
                "list_usd_per_unit": listed.price.usd,
                "description": entry.description,
                "service": entry.service,
                "kind": entry.kind,
                "series": entry.series,
                "component": entry.component,
                "usage": entry.usage,
                "regions": "|".join(entry.regions),
                "as_of": price.as_of.isoformat(),
                "source": price.source,
                "note": price.note,
            }
        )
    for model, own in sorted(book.terms.under.get(entry.sku_id, {}).items()):
        answer.notes.append(f"under    {model}: {own.usd:f} ({own.source})")
    answer.notes += [f"kind     {kind}", f"regions  {', '.join(entry.regions)}"]
    return answer
