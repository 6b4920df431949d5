"""What answers about prices say of them: dates, sources, and what of a contract was not used."""

from collections.abc import Iterable
from datetime import date
from decimal import Decimal

from msgspec.structs import replace

from netplan_planner.errors import MissingDatum
from netplan_planner.model import CurrencyRate, LineItem, Price
from netplan_planner.model.money.price_age import age_of
from netplan_planner.planning.inputs import PriceSource, currency_of
from netplan_planner.verbs.price.answer import PriceAnswer
from netplan_pricing import SnapshotPriceBook


def completed(answer: PriceAnswer, book: SnapshotPriceBook, source: PriceSource) -> PriceAnswer:
    """Return an answer with the age of its prices, and in the other currency where one is named.

    Raises:
        MissingDatum: If nothing that was asked for has a price, or the currency has no rate.
    """
    if answer.unknown and not answer.rows:
        # All usages fail for one reason (an unknown type) or each for its own.
        raise MissingDatum("\n".join(dict.fromkeys(reason for _, reason in answer.unknown)))
    answer = replace(
        answer,
        price_age=age_of_rows(answer.rows, source),
        prices_sha256=book.info.sha256,
        warnings=book.terms.unread,
    )
    rate = currency_of(book, source.currency)
    return answer if rate is None else _converted(answer, rate)


def by_the_hour(price: Price, hours: Decimal) -> dict[str, object]:
    """Return the fields of a price by the hour: with the sum for some hours, and its parts."""
    joined = _SKU_JOIN.join(part.sku_id or "" for part in price.parts)
    return {
        "usd_per_hour": price.usd,
        "hours": hours,
        "usd": price.usd * hours,
        "description": price.description,
        "parts": price.description.partition(": ")[2],
        "as_of": price.as_of.isoformat(),
        "sku_id": price.sku_id or joined or None,
        "source": price.source,
        "note": price.note,
        "skus": [
            {
                "component": part.component,
                "quantity": part.quantity,
                "unit": part.unit,
                "usd_per_unit": part.unit_price_usd,
                "ratio": part.ratio,
                "sku_id": part.sku_id,
                "ratio_sku_id": part.ratio_sku_id,
                "description": part.description,
                "as_of": part.as_of.isoformat(),
            }
            for part in price.parts
        ],
    }


def origin_of(line: LineItem) -> dict[str, object]:
    """Return the fields that say where a line of a bill comes from."""
    return {
        "as_of": line.as_of.isoformat(),
        "sku_id": line.sku_id,
        "sku_candidates": SKU_OR.join(line.sku_candidates),
        "source": line.source,
    }


SKU_OR = " or "
"""Between the ids of SKUs of which one is billed."""


_SKU_JOIN = " + "
"""Between the ids of the SKUs that a price is summed from, in the order of its parts."""


_AMOUNTS = ("usd_per_hour", "usd_per_gib", "usd_per_unit", "usd")


def age_of_rows(rows: Iterable[dict[str, object]], source: PriceSource) -> str:
    """Return what there is to say about the age of rows' prices that a refresh renews.

    It renews Spot prices and those of a SKU.
    """
    days: dict[bool, list[date]] = {True: [], False: []}
    for row in rows:
        is_spot = row.get("usage") == "spot"
        is_renewed = is_spot or row.get("sku_id") or row.get("sku_candidates")
        if row.get("as_of") and is_renewed:
            days[is_spot].append(date.fromisoformat(str(row["as_of"])))
    oldest, oldest_spot = min(days[False], default=None), min(days[True], default=None)
    return age_of(oldest, oldest_spot, source.today, source.folder)


def _converted(answer: PriceAnswer, rate: CurrencyRate) -> PriceAnswer:
    """Add to each amount what it is in another currency; the dollars stay beside it."""
    code = rate.code.lower()
    columns: list[str] = []
    for name in answer.columns:
        columns += [name, name.replace("usd", code)] if name in _AMOUNTS else [name]
    rows = []
    for row in answer.rows:
        added = {
            name.replace("usd", code): value * rate.per_usd
            for name in _AMOUNTS
            if isinstance(value := row.get(name), Decimal)
        }
        told = {"currency": rate.code, "units_per_usd": rate.per_usd, "currency_as_of": rate.as_of}
        rows.append({**row, **added, **told})
    heads = dict(answer.titles)
    titles = {
        name.replace("usd", code): heads[name].replace("USD", rate.code)
        for name in _AMOUNTS
        if name in heads
    }
    return replace(
        answer,
        columns=tuple(columns),
        rows=tuple(rows),
        titles=(*answer.titles, *titles.items()),
        notes=(*answer.notes, ("rate", rate.note)),
        currency=rate,
    )
