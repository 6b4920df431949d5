"""Sustained-use discounts: how much cheaper an hour gets, the longer a machine runs in a month."""

from decimal import Decimal

from netplan_planner.errors import MissingDatum
from netplan_planner.model import series_of
from netplan_pricing import schema
from netplan_pricing.container import SnapshotFile
from netplan_pricing.texts import quoted

_PERCENT = Decimal(100)


class SustainedUse:
    """The schedule of each series: one multiplier per equal part of the month."""

    def __init__(self, file: SnapshotFile) -> None:
        table = file.table(schema.SUSTAINED_USE)
        self._schedules: dict[str, tuple[tuple[Decimal, ...], Decimal]] = {}
        for row in range(table.row_count):
            steps = tuple(Decimal(step) for step in table["multipliers"][row].split("|"))
            full = 1 - Decimal(table["full_month_percent"][row]) / _PERCENT
            self._schedules[table["series"][row]] = (steps, full)

    def _schedule(self, machine_type: str) -> tuple[tuple[Decimal, ...], Decimal]:
        """Return the steps and the full month's mean; f1-micro and g1-small have their own."""
        found = self._schedules.get(machine_type) or self._schedules.get(series_of(machine_type))
        if found is None:
            raise MissingDatum(f"no sustained-use schedule for {quoted(machine_type)} is known")
        return found

    def full_month_ratio(self, machine_type: str) -> Decimal:
        """Return the mean multiplier of a full month, 1 for a series without the discount.

        Raises:
            MissingDatum: If the series is in no schedule.
        """
        return self._schedule(machine_type)[1]

    def known_full_month_ratio(self, machine_type: str) -> Decimal | None:
        """Return the mean multiplier of a full month, None for a series in no schedule."""
        found = self._schedules.get(machine_type) or self._schedules.get(series_of(machine_type))
        return found[1] if found else None

    def ratio(self, machine_type: str, month_ratio: float) -> Decimal:
        """Return the mean multiplier of the on-demand price for a part of a month.

        The steps are published with four digits and add up to slightly more than the discount
        that is published for a whole month; a longer run is never billed below a shorter one, so
        the month's cost stops at the published whole.

        Args:
            machine_type: Any type of the series.
            month_ratio: Share of the month that the machine runs, 0 to 1.

        Raises:
            MissingDatum: If the series is in no schedule.
            ValueError: If `month_ratio` is outside 0 to 1.
        """
        if not 0 <= month_ratio <= 1:
            raise ValueError(f"a share of a month is 0 to 1, got {month_ratio}")
        steps, full = self._schedule(machine_type)
        run = Decimal(str(month_ratio)) * len(steps)
        if not run:
            return steps[0]
        billed = Decimal(0)
        for place, step in enumerate(steps):
            billed += min(max(run - place, Decimal(0)), Decimal(1)) * step
        return min(billed, full * len(steps)) / run
