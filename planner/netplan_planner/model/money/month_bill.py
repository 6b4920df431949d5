"""The bill of a month of a project, by kind of what is paid."""

from decimal import Decimal

from netplan_planner.model.base import Value


class MonthBill(Value, frozen=True, kw_only=True):
    """What a month costs, by kind; parts without a known price are in no sum."""

    machines_usd: Decimal
    """With Tier_1 fees, attached GPUs and Local SSDs; without other disks and licences."""
    addresses_usd: Decimal
    """Of machines, and reserved ones that nothing has; hours that are free once are not off."""
    addresses_note: str = ""
    """What is free of them."""
    traffic_usd: Decimal | None
    """None: no traffic was given."""
    services_usd: Decimal
    """Gateways, tunnels, forwarding rules, flow logs, and the fees of GKE."""
    commitments_usd: Decimal | None
    """The fees of commitments less what they cover, which is in the machines; None: not known."""
    commitments_unknown: str = ""
    """Why it is not known."""
    unpriced_machine_count: int
    unpriced_address_count: int = 0
    """Reserved ones that nothing has, without a known price."""
    unpriced_low_usd: Decimal
    """Of traffic and services without a known price: at least."""
    unpriced_high_usd: Decimal | None
    """At most; None: nothing bounds it."""
    unpriced_gib: Decimal

    @property
    def usd_per_month(self) -> Decimal:
        """The sum of what is known."""
        known = self.machines_usd + self.addresses_usd + self.services_usd
        return known + (self.traffic_usd or Decimal(0)) + (self.commitments_usd or Decimal(0))

    @property
    def least_usd_per_month(self) -> Decimal:
        """The same with the least of what is known between bounds: the total to show."""
        return self.usd_per_month + self.unpriced_low_usd

    @property
    def is_whole(self) -> bool:
        """Whether all of it has a known price."""
        is_bounded = not self.unpriced_low_usd and self.unpriced_high_usd == 0
        unpriced = self.unpriced_machine_count + self.unpriced_address_count
        return is_bounded and not unpriced and not self.commitments_unknown
