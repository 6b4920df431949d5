"""What `netplan price` answers: prices with their dates and SKUs, and sums."""

from decimal import Decimal

from netplan_planner.model.base import Value


class CurrencyRate(Value, frozen=True, kw_only=True):
    """What a US dollar is in another currency."""

    code: str
    per_usd: Decimal
    as_of: str

    @property
    def note(self) -> str:
        """Where the rate is from, for people."""
        rate = f"{self.per_usd.normalize():f}"
        return f"1 USD = {rate} {self.code}, Cloud Billing Catalog API, {self.as_of}"

    @property
    def assumption(self) -> str:
        """What a report that shows it says of it."""
        return f"Amounts in {self.code} are converted: {self.note}; a $ is a US dollar."
