"""What a SKU is, where it holds, and every step of its price."""

from netplan_planner.errors import MissingDatum
from netplan_planner.planning.price_source import PriceSource
from netplan_planner.verbs.price.answer import PriceAnswer
from netplan_planner.verbs.price.completing import completed


def sku_prices(sku_id: str, source: PriceSource) -> PriceAnswer:
    """Return what a SKU is and costs.

    Raises:
        MissingDatum: If the snapshot does not hold it, or the catalogue names no price for it.
    """
    book = source.book()
    entry = book.skus.entry(sku_id.strip().upper())
    if not entry.tiers:
        raise MissingDatum(
            f"{entry.sku_id} is {entry.description!a}: the catalogue names it without a price"
        )
    rows = []
    for tier in book.terms.tiers(entry.tiers, entry.service):
        price = tier.price
        listed = next(one for one in reversed(entry.tiers) if one.start <= tier.start)
        rows.append(
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
    under = tuple(
        ("under", f"{model}: {own.usd:f} ({own.source})")
        for model, own in sorted(book.terms.under.get(entry.sku_id, {}).items())
    )
    kind = ", ".join(filter(None, (entry.kind, entry.series, entry.component, entry.usage)))
    answer = PriceAnswer(
        title=f"{entry.sku_id} {entry.description} ({entry.service})",
        columns=("from", "unit", "usd_per_unit", "as_of"),
        rows=tuple(rows),
        titles=(("usd_per_unit", "USD per unit"),),
        notes=(*under, ("kind", kind), ("regions", ", ".join(entry.regions))),
    )
    return completed(answer, book, source)
