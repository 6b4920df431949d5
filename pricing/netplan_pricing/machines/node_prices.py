"""Prices of sole-tenant nodes per hour: all their vCPUs and memory, and a premium on both.

Source: cloud.google.com/compute/sole-tenant-pricing (copies without a date, read 2026-11-27): what
the node occupies costs what its series costs, and 10 % more. Sustained-use discounts apply to that
premium, committed-use discounts do not (the same page, "Sole-tenant node billing"; the page
cloud.google.com/compute/docs/sustained-use-discounts, "Eligible resources", names the premium of
nodes beside their vCPUs and memory; read 2026-11-28). The catalogue of 2026-04-30 has SKUs
`… Sole Tenancy Instance Core` and `Ram` at the rates of the series in all but six places, and
`Sole Tenancy Premium for …` at a tenth of them.
"""

import re
from decimal import Decimal

from netplan_planner.errors import MissingDatum
from netplan_planner.model import Price, Region, Usage, discounted
from netplan_pricing.machines.component_rates import ComponentRates
from netplan_pricing.machines.sustained_use import SustainedUse
from netplan_pricing.texts import joined, quoted

PREMIUM = Decimal("0.10")
"""What a node costs more than its vCPUs and memory by themselves."""
_TYPE = re.compile(r"([a-z]\d+[a-z]?)-node-([1-9]\d*)-([1-9]\d*)")
"""Series, vCPUs and GB of memory, which Google counts as GiB: `n1-node-96-624` has 96 vCPUs and 624
GB (cloud.google.com/compute/docs/reference/rest/v1/nodeTypes)."""
_SERIES = frozenset(
    {
        *("c2", "c3", "c3d", "c4", "c4a", "c4d", "h3"),
        *("m1", "m3", "n1", "n2", "n2d", "n4", "n4d"),
    }
)
"""Whose nodes the catalogue of 2026-04-30 sells as core and memory at the rates of the series. G2
has GPUs besides, M2 a premium of its own, and M4 two series of rates under one name."""
_NOTE = (
    "the rates of the series and the documented premium: in six places the SKUs of M1 and N1 nodes"
    " differ from them, by up to 9 %"
)


class NodePrices:
    """The prices of node types, of the rates that machines have."""

    def __init__(self, rates: ComponentRates, sustained: SustainedUse) -> None:
        self._rates, self._sustained = rates, sustained

    def price(self, region: str, node_type: str, usage: Usage) -> Price:
        """Return what a node costs an hour, on demand or with the discount of a full month.

        Raises:
            MissingDatum: If the name has not the documented form, or a rate is not known.
        """
        found = _TYPE.fullmatch(node_type)
        if found is None or found[1] not in _SERIES:
            raise MissingDatum(f"no price of the node type {quoted(node_type)} is known")
        if usage not in {Usage.ON_DEMAND, Usage.SUSTAINED_USE}:
            raise MissingDatum(f"no {usage.value} price of sole-tenant nodes is known")
        series, counts = found[1], (Decimal(found[2]), Decimal(found[3]))
        core, ram = (
            self._rates.price(region, series, part, Usage.ON_DEMAND) for part in ("core", "ram")
        )
        whole = 1 + PREMIUM
        price = Price(
            usd=(counts[0] * core.usd + counts[1] * ram.usd) * whole,
            unit="hour",
            description=f"{node_type}, on-demand: ({counts[0]} × core {core.usd.normalize():f} +"
            f" {counts[1]} × ram {ram.usd.normalize():f}) × {whole.normalize():f}",
            as_of=min(core.as_of, ram.as_of),
            source="; ".join(dict.fromkeys((core.source, ram.source))),
            region=Region(region),
            note=joined(_NOTE, core.note, ram.note),
        )
        if usage is Usage.ON_DEMAND:
            return price
        ratio = self._sustained.full_month_ratio(series)
        return price if ratio == 1 else discounted(price, ratio)
