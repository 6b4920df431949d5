"""SKUs of which the traffic that was seen explains another amount than the bill."""

from collections.abc import Iterator
from decimal import Decimal

from netplan_planner import model
from netplan_planner.units import HOURS_PER_MONTH
from netplan_rules.base import ratio_limit, rule_of, usd_floor
from netplan_rules.shared.trust import Doubts, doubt_of_month
from netplan_rules.wording import money
from netplan_rules.work import READ_AGAIN

RULE = rule_of(
    __name__,
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.BILL}),
    work=READ_AGAIN,
    thresholds=(
        ratio_limit(
            "max_difference_ratio",
            0.15,
            "minimum difference as a share of the billed amount",
        ),
        usd_floor(20.0, "minimum difference in dollars"),
    ),
    summed=("modelled", "billed"),
)


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each SKU whose modelled and billed amounts differ by more than the threshold."""
    found = facts.reconciliation
    if found is None:
        return
    most = Decimal(str(facts.threshold(RULE.id, "max_difference_ratio")))
    floor = Decimal(str(facts.threshold(RULE.id, "min_usd_per_month")))
    to_month = HOURS_PER_MONTH / found.billed_hours if found.billed_hours else Decimal(0)
    for balance in found.balances:
        if balance.billed_gib is None:
            yield model.Gap(resource=_ref(balance), reason="the billed amount in GiB is unknown")
            continue
        difference = abs(balance.residual_usd)
        is_off = difference > most * abs(balance.billed_usd)
        if is_off and difference * to_month >= floor:
            yield _hit(facts, found, balance, to_month)


def _ref(balance: model.SkuBalance) -> model.ResourceRef:
    return model.ResourceRef(self_link=model.SelfLink(f"billing/skus/{balance.sku_id}"))


def _hit(
    facts: model.Facts, found: model.Reconciliation, balance: model.SkuBalance, to_month: Decimal
) -> model.Hit:
    doubts = Doubts()
    for reason in (*found.warnings, doubt_of_month(facts)):
        if reason:
            doubts.add(reason)
    modelled, billed = balance.modelled_usd * to_month, balance.billed_usd * to_month
    note = f" ({balance.note})" if balance.note else ""
    return model.Hit(
        resources=(_ref(balance),),
        subject=f"{balance.sku_id} {balance.description}".strip(),
        message=model.worded(
            f"{balance.description or balance.sku_id}: observed traffic costs ",
            money(modelled),
            "/month, the bill says ",
            money(billed),
            note,
        ),
        cause="more than was billed" if balance.residual_usd < 0 else "less than was billed",
        evidence=(
            model.Evidence(
                name="modelled",
                value=round(float(modelled), 2),
                unit="USD/month",
                source="flow logs and price snapshot",
            ),
            model.Evidence(
                name="billed",
                value=round(float(billed), 2),
                unit="USD/month",
                source="billing export",
            ),
            model.Evidence(name="modelled_volume", value=float(balance.modelled_gib), unit="GiB"),
        ),
        fix=RULE.fix(
            label="compare by SKU",
            text=_advice(balance),
            verify="`netplan prices reconcile` shows a difference below the threshold.",
            documents=RULE.references[:1],
        ),
        doubts=doubts.reasons,
    )


def _advice(balance: model.SkuBalance) -> str:
    look = "Compare: netplan prices reconcile --billing-export FILE --traffic FILE"
    if balance.residual_usd < 0:
        return (
            f"{look}. The model has more than the bill. Possible causes: a contract discount,"
            " duplicate records of two configurations, or a window with more traffic than the"
            " billed period."
        )
    return (
        f"{look}. The model has less than the bill. Possible causes: subnetworks without flow"
        " logs, a low sampling rate, or other projects or services on the same SKU."
    )
