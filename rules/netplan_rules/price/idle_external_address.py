"""Reserved external addresses that nothing uses."""

from collections.abc import Iterator
from datetime import timedelta

from netplan_planner import model
from netplan_planner.ledger import ledger_of
from netplan_planner.ledger.resources import idle_addresses
from netplan_rules.base import Threshold, rule_of
from netplan_rules.shared.removal import release
from netplan_rules.work import RELEASE

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.EXTERNAL_ADDRESSES}),
    work=RELEASE,
    thresholds=(
        Threshold(
            name="min_age_days",
            default=7.0,
            unit="days",
            about="minimum age; younger addresses count as being set up",
        ),
    ),
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
        message=f"the external address {address.address} ({address.name}) is reserved and not"
        " assigned",
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
            verify="Nothing fails without it, and the next bill has no idle address.",
            undo="Cannot be undone: you cannot count on getting a released address back, even if"
            " you reserve it again at once.",
            commands=(release(address),),
            caution="You cannot get a released address back: check DNS records and allow-lists"
            " first.",
        ),
        doubts=() if address.created else ("the input does not state its age",),
        change=change,
    )
