"""Findings of the gecko story by hand, with their limits, bills and fixes, for made reports.

The figures are of the size that the story has; they are not results of the program.
"""

from datetime import date
from decimal import Decimal

from netplan_planner.model import (
    Change,
    ChangeKind,
    Confidence,
    Estimate,
    Evidence,
    Finding,
    Fix,
    FixSet,
    FixStep,
    Instruction,
    Limit,
    LimitKind,
    LineItem,
    Member,
    OrderedFix,
    ResourceRef,
    SelfLink,
    Severity,
    SkuId,
)

ZONE = "us-central1-a"
PROJECT = "gecko-demo"
LIMITS_DAY = date(2017, 7, 20)
PRICES_DAY = date(2026, 7, 30)
TRAFFIC_PRICES_DAY = date(2026, 4, 30)
CAPS_SOURCE = "docs.cloud.google.com/compute/docs/network-bandwidth (2017 edition)"
MEASURED_SOURCE = "seed measurements, external path inside a zone"


def instance_ref(name: str, index: int = 0) -> ResourceRef:
    """Return a machine of the gecko project, read from a file."""
    return ResourceRef(
        self_link=SelfLink(f"projects/{PROJECT}/zones/{ZONE}/instances/{name}"),
        source=f"inventory/instances.json:/{index}",
    )


def egress_limit(machine_type: str, gbps: float) -> Limit:
    """Return a documented cap of the story's year."""
    return Limit(
        name="vm-egress",
        gbps=gbps,
        kind=LimitKind.DOCUMENTED,
        source=CAPS_SOURCE,
        as_of=LIMITS_DAY,
        detail=machine_type,
        lifted_by="a type with more vCPUs",
    )


def path_limit() -> Limit:
    """Return the measured limit of the external path."""
    return Limit(
        name="external-path",
        gbps=1.6,
        kind=LimitKind.MEASURED,
        source=MEASURED_SOURCE,
        as_of=date(2017, 7, 27),
        detail="inside one zone",
        low_gbps=0.88,
        high_gbps=1.7,
        lifted_by="the internal address",
    )


def estimate(*limits: Limit, low: float | None = None, high: float | None = None) -> Estimate:
    """Return the least of the limits."""
    ranked = tuple(sorted(limits, key=lambda limit: limit.gbps))
    return Estimate(gbps=ranked[0].gbps, low_gbps=low, high_gbps=high, limits=ranked)


SMALL = egress_limit("n1-standard-1", 2.0)
BIG = egress_limit("n1-standard-16", 16.0)
NOW = estimate(path_limit(), SMALL, low=1.2, high=1.8)
INTERNAL = estimate(SMALL, low=1.9, high=2.0)
BIG_EXTERNAL = estimate(path_limit(), BIG)
BOTH = estimate(BIG)


def line(
    name: str,
    quantity: str,
    unit: str,
    price: str,
    *,
    sku: str | None = None,
    day: date = PRICES_DAY,
) -> LineItem:
    """Return a line of a bill."""
    return LineItem(
        name=name,
        quantity=Decimal(quantity),
        unit=unit,
        unit_price_usd=Decimal(price),
        usd_per_month=Decimal(quantity) * Decimal(price),
        as_of=day,
        source=f"price snapshot of {day.isoformat()}",
        sku_id=SkuId(sku) if sku else None,
    )


DELETE_ADDRESS = (
    f"gcloud compute instances delete-access-config ingest-1 --zone={ZONE} --project={PROJECT}"
    " --network-interface=nic0"
)


def resize_commands(name: str) -> tuple[str, ...]:
    """Return what gives a transcoder another machine type."""
    where = f"{name} --zone={ZONE} --project={PROJECT}"
    return (
        f"gcloud compute instances stop {where}",
        f"gcloud compute instances set-machine-type {where} --machine-type=n1-standard-16",
        f"gcloud compute instances start {where}",
    )


def _internal_address(number: int) -> Fix:
    return Fix(
        text=f"in transcoder-{number}, send to ingest-1.us-central1-a.c.gecko-demo.internal instead"
        " of 35.184.0.10",
        label="internal address",
        verify=Instruction(text="the flow logs have no record to 35.184.0.10"),
        clean_up=Instruction(
            text="only when nothing uses 35.184.0.10 any more: take it off ingest-1",
            commands=(DELETE_ADDRESS,),
        ),
        undo=Instruction(text="put 35.184.0.10 back"),
        documents=("https://cloud.google.com/compute/docs/internal-dns",),
        caution="a firewall rule must let the internal source address in",
    )


def _bigger(number: int) -> Fix:
    name = f"transcoder-{number}"
    return Fix(
        text=f"give {name} the type n1-standard-16",
        label="n1-standard-16",
        commands=resize_commands(name),
        verify=Instruction(text="it runs as n1-standard-16"),
        undo=Instruction(text="give it n1-standard-1 back, with one more stop"),
        caution="stops the machine",
    )


def external_finding() -> Finding:
    """Return the first fault: external addresses inside one zone, eight pairs."""
    members = tuple(
        Member(
            resources=(instance_ref(f"transcoder-{n}", n), instance_ref("ingest-1", 0)),
            subject=f"transcoder-{n} → ingest-1 ({ZONE})",
            message=f"{9.4 - n / 2:.1f} TiB a month to 35.184.0.10",
            evidence=(Evidence(name="bytes", value=10**13 - n, unit="bytes"),),
            throughput_now=NOW,
            throughput_fixed=INTERNAL,
            saving_usd_per_month=Decimal("80.38") if n > 1 else Decimal("80.41"),
            used_ratio=0.99,
            gib_per_month=Decimal(8040 - n),
            fix=_internal_address(n),
        )
        for n in range(1, 9)
    )
    return Finding(
        rule="external-ip-intra-zone",
        title="Machines of one zone talk over external addresses",
        severity=Severity.HIGH,
        severity_reason="saves $643.07 a month: medium from $100 on",
        confidence=Confidence.HIGH,
        confidence_reason="the address was held all day",
        resources=members[0].resources,
        subject=members[0].subject,
        message="62.8 TiB a month between your own machines, addressed to 35.184.0.10"
        " (ingest-1, nic0, static)",
        evidence=(
            Evidence(
                name="gib_per_month", value=64307.0, unit="GiB", source="flow logs, headers in"
            ),
            Evidence(name="p95_gbps", value=1.58, unit="Gbit/s", source="one-minute series"),
            Evidence(name="destination_address", value="35.184.0.10"),
        ),
        limit=NOW.binding,
        throughput_now=NOW,
        throughput_fixed=INTERNAL,
        saving_usd_per_month=Decimal("643.07"),
        saving_unknown="",
        line_items=(
            line(
                "Inter Zone Data Transfer, billed in one zone too for external addresses",
                "64307",
                "GiB",
                "0.01",
                sku="0000-AAAA-0001",
                day=TRAFFIC_PRICES_DAY,
            ),
        ),
        fix=_internal_address(1),
        members=members,
        changes=(
            Change(
                kind=ChangeKind.INTERNAL_ADDRESS,
                target=members[0].resources[0].self_link,
                destination=members[0].resources[1].self_link,
            ),
        ),
        fingerprint="5f1c0e6a90d2b7431c5e",
        rank=1,
        marginal_usd_per_month=Decimal("643.07"),
    )


def cap_finding() -> Finding:
    """Return the second fault: the machine is too small, and the fix costs money."""
    members = tuple(
        Member(
            resources=(instance_ref(f"transcoder-{n}", n),),
            subject=f"transcoder-{n} ({ZONE}, n1-standard-1)",
            message="p95 1.58 Gbit/s of 2 Gbit/s",
            throughput_now=NOW,
            throughput_fixed=BOTH,
            saving_usd_per_month=Decimal("-520.12"),
            used_ratio=0.79,
            fix=_bigger(n),
        )
        for n in range(1, 9)
    )
    return Finding(
        rule="egress-cap-saturated",
        title="A machine sends as much as its type may",
        severity=Severity.HIGH,
        severity_reason="79% of what binds is in use: medium from 50% on",
        confidence=Confidence.MEDIUM,
        confidence_reason="records cover more than a minute, so bursts are hidden",
        resources=members[0].resources,
        subject=members[0].subject,
        message="egress p95 1.58 Gbit/s is 79 % of the cap, and the path hides more demand",
        evidence=(
            Evidence(name="p95_gbps", value=1.58, unit="Gbit/s", source="one-minute series"),
            Evidence(name="cap_gbps", value=2, unit="Gbit/s", source=CAPS_SOURCE),
        ),
        limit=SMALL,
        throughput_now=NOW,
        throughput_fixed=BOTH,
        saving_usd_per_month=Decimal("-4160.94"),
        saving_unknown="",
        line_items=(
            line(
                "n1-standard-1 in us-central1", "5840", "hour", "0.04749975", sku="0000-BBBB-0001"
            ),
            line("n1-standard-16 in us-central1", "-5840", "hour", "0.759996"),
        ),
        fix=_bigger(1),
        members=members,
        changes=(
            Change(
                kind=ChangeKind.MACHINE_TYPE,
                target=members[0].resources[0].self_link,
                to="n1-standard-16",
            ),
        ),
        fingerprint="a94d21be77c06f3e8d10",
        rank=2,
        marginal_usd_per_month=Decimal("-4160.94"),
    )


def nic_finding() -> Finding:
    """Return a fault whose gain is not known."""
    unknown = Estimate(gbps=None, unknown=("no measurement of VirtIO on n1",))
    ref = instance_ref("ingest-1")
    return Finding(
        rule="gvnic-missing",
        title="VirtIO interface on a machine with high traffic",
        severity=Severity.MEDIUM,
        severity_reason="the rule's own: neither money nor a rate nor a volume measures it",
        confidence=Confidence.LOW,
        confidence_reason="the image's features are not in the inventory",
        resources=(ref,),
        subject=f"ingest-1 ({ZONE}, n1-standard-16)",
        message="nic0 uses VirtIO at 12.6 Gbit/s",
        evidence=(Evidence(name="p95_gbps", value=12.6, unit="Gbit/s"),),
        limit=None,
        throughput_now=None,
        throughput_fixed=unknown,
        saving_usd_per_month=None,
        saving_unknown="",
        line_items=(),
        fix=Fix(text="recreate it from an image with the GVNIC feature", caution="a new machine"),
        members=(Member(resources=(ref,), subject="ingest-1", message="VirtIO"),),
        changes=(),
        fingerprint="0b8e55aa12f34cd96e71",
    )


def address_finding() -> Finding:
    """Return a small fault, one without a price."""
    ref = ResourceRef(self_link=SelfLink(f"projects/{PROJECT}/regions/us-central1/addresses/spare"))
    return Finding(
        rule="needless-external-address",
        title="An external address that no internet traffic used",
        severity=Severity.LOW,
        severity_reason="the rule's own: neither money nor a rate nor a volume measures it",
        confidence=Confidence.HIGH,
        confidence_reason="",
        resources=(ref,),
        subject="spare (us-central1)",
        message="reserved and unused since 2016-11-02",
        evidence=(Evidence(name="unused_days", value=260, unit="days"),),
        limit=None,
        throughput_now=None,
        throughput_fixed=None,
        saving_usd_per_month=None,
        saving_unknown="no price of an unused static address in us-central1 in the snapshot",
        line_items=(),
        fix=Fix(
            text="release it",
            commands=(
                f"gcloud compute addresses delete spare --region=us-central1 --project={PROJECT}",
            ),
        ),
        members=(
            Member(
                resources=(ref,),
                subject="spare",
                message="unused",
                saving_unknown="no price of an unused static address in us-central1 in the"
                " snapshot",
            ),
        ),
        changes=(),
        fingerprint="77aa01c4e9b35d20f6c8",
    )


def fix_set(findings: tuple[Finding, ...]) -> FixSet:
    """Return the story's point: only both fixes together help."""
    saved, paid = Decimal("643.07"), Decimal("-4160.94")
    return FixSet(
        subject="transcoder-1 → ingest-1",
        member_count=8,
        resources=findings[0].resources,
        now=NOW,
        singles=(
            FixStep(name="internal address", estimate=INTERNAL, saving_usd_per_month=saved),
            FixStep(name="n1-standard-16", estimate=BIG_EXTERNAL, saving_usd_per_month=paid),
        ),
        joint=FixStep(
            name="internal address + n1-standard-16",
            estimate=BOTH,
            saving_usd_per_month=saved + paid,
        ),
        worth="do internal address and n1-standard-16 together;"
        " n1-standard-16 alone brings nothing",
        findings=tuple(finding.fingerprint for finding in findings),
        used_ratio=0.97,
    )


def ordered_fixes(findings: tuple[Finding, ...]) -> tuple[OrderedFix, ...]:
    """Return the order of fixes of the findings that have a rank."""
    return tuple(
        OrderedFix(
            rank=finding.rank,
            finding=finding.fingerprint,
            rule=finding.rule,
            subject=finding.subject,
            place_count=len(finding.members),
            finding_place_count=len(finding.members),
            label=finding.fix.label if finding.fix else "",
            saving_usd_per_month=finding.marginal_usd_per_month,
            alone_usd_per_month=finding.saving_usd_per_month,
            overlap=finding.overlap,
            now=finding.throughput_now,
            fixed=finding.throughput_fixed,
            used_ratio=0.99,
        )
        for finding in findings
        if finding.rank is not None
    )
