"""What `netplan price` answers: prices with their dates and SKUs, and sums."""

from decimal import Decimal

from netplan_planner.model.base import Value
from netplan_planner.model.money.price_answers import CurrencyRate


class PriceAnswer(Value, frozen=True, kw_only=True):
    """Prices of one question, a row each, and their sum where one makes sense."""

    title: str
    columns: tuple[str, ...]
    """Fields of a row that stand in the table that people read; data formats hold every field."""
    rows: tuple[dict[str, object], ...]
    """By field; amounts are Decimals, dates ISO texts, None is not known."""
    titles: tuple[tuple[str, str], ...] = ()
    """How columns are headed, where the field's own name would not do."""
    unknown: tuple[tuple[str, str], ...] = ()
    """What has no price, and why."""
    total_usd: Decimal | None = None
    """Of the rows; what is unknown is not in it."""
    hours: Decimal | None = None
    """That the total is for; None: a month."""
    notes: tuple[tuple[str, str], ...] = ()
    """A label and a text each, for people."""
    currency: CurrencyRate | None = None
    """Rows and total are shown in it as well."""
    price_age: str = ""
    """That prices are old, and the command for newer ones; empty while they hold."""
    prices_sha256: str = ""
    """Of the snapshot."""
    warnings: tuple[str, ...] = ()
    """What of the given contract was not used."""
