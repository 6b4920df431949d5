"""SKUs of which the traffic that was seen explains another amount than the bill."""

from collections.abc import Iterator
from decimal import Decimal

from netplan_planner import model
from netplan_planner.units import HOURS_PER_MONTH
from netplan_rules.base import Rule, ratio_limit, usd_floor
from netplan_rules.shared.trust import Doubts, doubt_of_month
from netplan_rules.wording import money
from netplan_rules.work import READ_AGAIN

RULE = Rule(
    id="bytes-do-not-match-bill",
    title="The traffic that was seen does not explain the bill",
    severity=model.Severity.MEDIUM,
    needs=frozenset({model.Need.BILL}),
    rationale="Savings rest on what flow logs say and on prices. Where that comes to another amount"
    " than was billed, traffic is missing, sampled away or priced by another SKU, and the savings"
    " are as far off.",
    remediation="Look at the balance of each SKU (netplan prices reconcile), log the subnetworks"
    " that are missing, and give the contract's prices.",
    guards="Silent where the difference is a small share of what was billed, and where it is little"
    " money. What is not for traffic is not compared, nor a SKU whose billed amount is not"
    " understood. Another time than the bill's, or a window too short for a month, lowers the"
    " confidence.",
    references=(
        "https://cloud.google.com/billing/docs/how-to/export-data-bigquery-tables/standard-usage",
        "https://cloud.google.com/vpc/network-pricing",
    ),
    work=READ_AGAIN,
    thresholds=(
        ratio_limit(
            "max_difference_ratio",
            0.15,
            "difference to what was billed, as a share of it, from which a SKU is named",
        ),
        usd_floor(20.0, "difference in dollars below which a SKU is not named"),
    ),
    group_message="of {count} SKUs the traffic explains {modelled_money} a month and the bill has"
    " {billed_money}",
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
            yield model.Gap(resource=_ref(balance), reason="what was billed is not known in GiB")
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
            f"{balance.description or balance.sku_id}: the traffic that was seen comes to ",
            money(modelled),
            " a month, the bill to ",
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
            verify="netplan prices reconcile shows a residual below the threshold.",
            documents=RULE.references[:1],
        ),
        doubts=doubts.reasons,
    )


def _advice(balance: model.SkuBalance) -> str:
    look = "Look at it with netplan prices reconcile --billing-export FILE --traffic FILE"
    if balance.residual_usd < 0:
        return (
            f"{look}: the model has more than was billed. A discount of the contract, records that"
            " two configurations wrote, or a window of greater traffic than the bill's explain"
            " that."
        )
    return (
        f"{look}: the model has less than was billed. Subnetworks without flow logs, a low sampling"
        " rate, and traffic of other projects or services on the same SKU explain that."
    )
