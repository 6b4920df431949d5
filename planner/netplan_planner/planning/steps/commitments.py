"""Commitments to buy: what cannot be undone stands last in a plan."""

from decimal import Decimal

from netplan_planner.model import Amount, AmountKind, Fix, Instruction, worded
from netplan_planner.model.plans.plan_answer import PlanChange, TerraformChange
from netplan_planner.units import MIB_PER_GIB, plain_number
from netplan_rules.wording import gcloud_of

_BUYING = "https://cloud.google.com/compute/docs/instances/signing-up-committed-use-discounts"
_FLEXIBLE = "https://cloud.google.com/docs/cuds-spend-based"
_PLANS = {1: "12-month", 3: "36-month"}
_TYPES = {
    "general-purpose": ("n1",),
    "general-purpose-{}": ("c4", "c4a", "c4d", "e2", "n2", "n2d", "n4", "t2d"),
    "compute-optimized": ("c2",),
    "compute-optimized-{}": ("c2d", "c3", "c3d", "h3", "h4d"),
    "memory-optimized": ("m1", "m2"),
    "memory-optimized-{}": ("m3",),
    "accelerator-optimized": ("a2",),
    "graphics-optimized": ("g2",),
    "storage-optimized-{}": ("z3",),
}
"""What `--type` of `gcloud compute commitments create` takes (SDK 528.0.0), by series."""
_NO_WAY_BACK = Instruction(
    text="None: a commitment cannot be cancelled and is billed every hour of its term. It renews"
    " only if you enable auto-renewal."
)


def type_of(series: str) -> str | None:
    """Return what gcloud calls commitments for a series; None: it is not known here.

    >>> type_of("n2d"), type_of("n1"), type_of("x4")
    ('general-purpose-n2d', 'general-purpose', None)
    """
    found = (name.format(series) for name, series_of in _TYPES.items() if series in series_of)
    return next(found, None)


def buy_for_resources(
    series: str, region: str, years: int, vcpus: int, memory_gib: Decimal, project: str = ""
) -> PlanChange:
    """Return the step that commits to vCPUs and memory of a series.

    Args:
        series: Such as `n2`.
        region: Where they are used.
        years: 1 or 3.
        vcpus: Whole vCPUs.
        memory_gib: In steps of 0.25 GiB.
        project: That buys it; empty: the one that gcloud is set to.
    """
    name = f"netplan-{series}-{years}y"
    commitments = gcloud_of("commitments", project, f"--region={region}")
    plan, kind = _PLANS[years], type_of(series)
    resources = f"vcpu={vcpus},memory={round(memory_gib * MIB_PER_GIB)}MB"
    flags = (f"--resources={resources}", f"--plan={plan}", f"--type={kind}")
    what = f"{vcpus:,} vCPUs and {plain_number(memory_gib)} GiB of {series.upper()} in {region}"
    return PlanChange(
        subject=name,
        fix=Fix(
            text=f"Commit to {what} for {years} {'year' if years == 1 else 'years'}",
            label=f"commitment, {years} years" if years > 1 else "commitment, 1 year",
            commands=(commitments("create", name, *flags),) if kind else (),
            verify=Instruction(
                text="It is active from the next day, and its VMs run.",
                commands=(commitments("describe", name, "--format=value(status)"),),
            ),
            undo=_NO_WAY_BACK,
            documents=(_BUYING,),
            caution="Buy it only once the VMs have the types of the plan and keep them: it cannot"
            " be undone."
            + ("" if kind else f" The gcloud name of commitments for {series} is unknown."),
        ),
        terraform=(
            TerraformChange(
                resource="google_compute_region_commitment",
                name=name,
                attribute="resources",
                before=None,
                after=f"VCPU={vcpus}, MEMORY={round(memory_gib * MIB_PER_GIB)} MiB",
                replaces=False,
                note=f'A new resource: plan = "{"TWELVE" if years == 1 else "THIRTY_SIX"}_MONTH",'
                f" type as gcloud's {kind or 'for the series'}, in capitals.",
            ),
        ),
    )


def buy_flexible(years: int, usd_per_hour: Decimal) -> PlanChange:
    """Return the step that commits to spend on all series and regions.

    Args:
        years: 1 or 3.
        usd_per_hour: The fee, in dollars; the console asks for the spend that it pays for.
    """
    return PlanChange(
        subject="flexible commitment",
        fix=Fix(
            text=f"Commit to an hourly fee for {years} {'year' if years == 1 else 'years'}, in the"
            " console: Billing, Committed use discounts",
            label="flexible commitment",
            verify=Instruction(text="The console lists it as active."),
            undo=_NO_WAY_BACK,
            documents=(_FLEXIBLE,),
            caution=worded(
                "The fee is ",
                Amount(usd=usd_per_hour, kind=AmountKind.UNIT_PRICE),
                "/hour. It is bought for a billing account, for which gcloud and Terraform have"
                " no command. It cannot be undone.",
            ),
        ),
    )
