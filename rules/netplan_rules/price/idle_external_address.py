"""Reserved external addresses that nothing uses."""

from collections.abc import Iterator
from datetime import timedelta

from netplan_planner import model
from netplan_planner.ledger import ledger_of
from netplan_planner.ledger.resources import idle_addresses
from netplan_rules.base import Rule, Threshold
from netplan_rules.shared.removal import release
from netplan_rules.work import RELEASE

RULE = Rule(
    id="idle-external-address",
    title="A reserved external address is not in use",
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.EXTERNAL_ADDRESSES}),
    rationale="A static external address that is assigned to nothing costs more per hour than one"
    " in use.",
    remediation="Release it, unless it is kept for a partner's allow-list or a fail-over.",
    guards="Addresses younger than the threshold, internal ranges, addresses whose status is not"
    " RESERVED, and those that a machine, a forwarding rule or a Cloud NAT gateway of the inventory"
    " holds or that traffic goes to keep the rule silent, whatever their own entry says. An address"
    " without a creation date lowers the confidence.",
    references=("https://cloud.google.com/vpc/network-pricing#ipaddress",),
    work=RELEASE,
    thresholds=(
        Threshold(
            name="min_age_days",
            default=7.0,
            unit="days",
            about="age below which an address counts as just being set up",
        ),
    ),
    group_message="{count} reserved external addresses are not in use",
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit]:
    """Yield each reserved external address without a user."""
    youngest = facts.today - timedelta(days=facts.threshold(RULE.id, "min_age_days"))
    for address in idle_addresses(facts):
        if address.created is None or address.created.date() <= youngest:
            yield _hit(facts, address)


def _hit(facts: model.Facts, address: model.Address) -> model.Hit:
    change = model.Change(
        kind=model.ChangeKind.RELEASE_ADDRESS, target=address.ref.self_link, to=address.address
    )
    return model.Hit(
        resources=(address.ref,),
        subject=f"{address.name} ({address.address}, {address.region or 'global'})",
        message=f"the external address {address.address} ({address.name}) is reserved and assigned"
        " to nothing",
        evidence=(
            model.Evidence(name="address", value=address.address, source="inventory"),
            model.Evidence(name="region", value=address.region or "global", source="inventory"),
            model.Evidence(
                name="created",
                value=address.created.date().isoformat() if address.created else "not stated",
                source="inventory",
            ),
        ),
        saving=ledger_of(facts).value(change).saving,
        fix=RULE.fix(
            text=f"Release {address.address} ({address.name}).",
            label="release it",
            verify="Nobody misses it; the next bill has no idle address.",
            undo="There is no way back: a released address goes to somebody else. Reserve it"
            " again at once and you may get it, or may not.",
            commands=(release(address),),
            caution="A released address cannot be had back: look for DNS records and allow-lists"
            " that name it.",
        ),
        doubts=() if address.created else ("the input does not state its age",),
        change=change,
    )
