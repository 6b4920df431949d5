"""Which machines a Cloud NAT gateway serves, and what they send and receive through it."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal

from netplan_planner import model
from netplan_planner.paths.gateways import nat_hour_lines
from netplan_planner.units import HOURS_PER_MONTH
from netplan_rules.wording import command

_MONTH_H = Decimal(HOURS_PER_MONTH)


class Gateway(model.Value, frozen=True, kw_only=True):
    """A gateway with the running machines whose way to the internet it is."""

    nat: model.NatGateway
    router: model.Router
    users: tuple[model.Instance, ...]
    """By self link."""

    @property
    def subject(self) -> str:
        """`name (region)`."""
        return f"{self.nat.name} ({self.nat.region})"

    def command(self, verb: str, *flags: str) -> str:
        """Return `gcloud compute routers nats VERB NAME` with router, region, project and flags."""
        where = (f"--router={self.router.name}", f"--region={self.nat.region}")
        project = f"--project={self.router.project}"
        name = self.nat.name
        return command("gcloud", "compute", "routers", "nats", verb, name, *where, project, *flags)


def gateways(facts: model.Facts) -> tuple[Gateway, ...]:
    """Return every public gateway, in the order of the routers."""
    users: dict[tuple[model.SelfLink, str], dict[model.SelfLink, model.Instance]] = defaultdict(
        dict
    )
    for instance in facts.inventory.instances:
        for nat, _ in served_interfaces(facts, instance) if instance.is_running else ():
            users[nat.router, nat.name][instance.ref.self_link] = instance
    return tuple(
        Gateway(nat=nat, router=router, users=tuple(users[nat.router, nat.name].values()))
        for router in facts.inventory.routers
        for nat in router.nats
        if not nat.is_private
    )


def served_interfaces(
    facts: model.Facts, instance: model.Instance
) -> Iterator[tuple[model.NatGateway, model.NetworkInterface]]:
    """Yield the interfaces of a machine that reach the internet through Cloud NAT."""
    for nic in instance.interfaces:
        nat = facts.inventory.nat_of(instance, nic)
        if nat is not None:
            yield nat, nic


def nat_edges(facts: model.Facts, instance: model.Instance) -> Iterator[model.Edge]:
    """Yield what a machine behind Cloud NAT exchanges with the internet, either way."""
    seen = facts.seen_traffic.vm_by_link.get(instance.ref.self_link)
    if seen is None:
        return
    sent = facts.seen_traffic.edges_by_src.get(seen.owner, ())
    received = facts.seen_traffic.edges_by_dst.get(seen.owner, ())
    for edge in (*sent, *received):
        is_nat = edge.path_class is model.PathClass.NAT
        if is_nat and model.OwnerKind.INTERNET in (facts.src(edge).kind, facts.dst(edge).kind):
            yield edge


def processed(facts: model.Facts, region: str, byte_count: int) -> model.LineItem:
    """Return what Cloud NAT charges a month for bytes of the window.

    Raises:
        MissingDatum: If the region has no price.
    """
    price = facts.prices.nat_data(region)
    return model.line_item("Cloud NAT, data processed", facts.gib_per_month(byte_count), price)


def hours_saved(
    facts: model.Facts, region: str, before: int, after: int
) -> Sequence[model.LineItem]:
    """Return what a gateway's hours cost less when fewer machines use it.

    Raises:
        MissingDatum: If the region has no price.
    """
    kept = nat_hour_lines(facts.prices, region, after, _MONTH_H) if after else ()
    paid = nat_hour_lines(facts.prices, region, before, _MONTH_H) if before else ()
    return (*paid, *(model.negated(item) for item in kept))
