"""Hand-made reports for the renderers: the gecko story, an empty one, crowds and hostile names.

The figures are of the size that the story has; they are not results of the program.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

import msgspec

from netplan_planner.model import (
    BadRecord,
    Candidate,
    ClassTotal,
    Direction,
    ExpiredSuppression,
    Filtered,
    Infeasible,
    MachineNeed,
    MachinePlan,
    Member,
    NotEvaluated,
    PathClass,
    ProjectCoverage,
    ProjectId,
    Rejected,
    RulePage,
    ServiceTotal,
    Severity,
    Suppressed,
    TrafficCoverage,
    Unpriced,
    Unread,
    Work,
    ZonePair,
)
from netplan_planner.model.report_rows import MonthBill
from netplan_planner.verbs.audit.answer import Coverage, Report, WindowInfo
from netplan_planner.verbs.recommend.answer import Recommendation
from support.reports.findings import (
    LIMITS_DAY,
    NOW,
    PRICES_DAY,
    PROJECT,
    TRAFFIC_PRICES_DAY,
    ZONE,
    address_finding,
    cap_finding,
    egress_limit,
    external_finding,
    fix_set,
    instance_ref,
    line,
    nic_finding,
    ordered_fixes,
)
from support.reports.made_job import short_job_plan


def _rule(*, severity: Severity, reference: str, guards: str = "", **texts: str) -> RulePage:
    lists: dict[str, Any] = dict.fromkeys(("needs", "thresholds", "aliases"), ())
    told: dict[str, Any] = {**texts, **lists, "references": (reference,)}
    work = Work(effort="A command.", restart="Nothing.", undo="The old one.", window="None.")
    return RulePage(severity=severity.value, guards=guards, since="0.1.0", work=work, **told)


RULES = (
    _rule(
        id="external-ip-intra-zone",
        title="Machines of one zone talk over external addresses",
        severity=Severity.HIGH,
        area="address",
        rationale="Packets to an external address leave the VPC: slower, and billed per GiB.",
        remediation="Use the internal address or the internal DNS name.",
        reference="https://cloud.google.com/vpc/network-pricing",
        guards="The two networks neither are the same nor peered.",
    ),
    _rule(
        id="egress-cap-saturated",
        title="A machine sends as much as its type may",
        severity=Severity.HIGH,
        area="capacity",
        rationale="Egress is capped by machine type; above the cap packets wait or are dropped.",
        remediation="Take a type with a greater cap.",
        reference="https://cloud.google.com/compute/docs/network-bandwidth",
    ),
    _rule(
        id="needless-external-address",
        title="An external address that nothing uses",
        severity=Severity.LOW,
        area="address",
        rationale="Every external IPv4 address is billed by the hour.",
        remediation="Delete the access config.",
        reference="https://cloud.google.com/vpc/network-pricing",
    ),
    _rule(
        id="gvnic-missing",
        title="VirtIO where gVNIC would be faster",
        severity=Severity.MEDIUM,
        area="nic",
        rationale="Above some rate the VirtIO driver costs CPU time that gVNIC saves.",
        remediation="Recreate the machine from an image with the GVNIC feature.",
        reference="https://cloud.google.com/compute/docs/networking/using-gvnic",
    ),
)


def candidate(
    machine_type: str, vcpus: int, cap_gbps: float, price: str | None, *, count: int = 1
) -> Candidate:
    """Return a way to meet a need; without a price it is of an unknown one."""
    hours = Decimal(730 * count)
    items = (line(f"{machine_type} in us-central1", str(hours), "hour", price),) if price else ()
    return Candidate(
        machine_type=machine_type,
        count=count,
        is_tier1=price is None,
        vcpus=vcpus,
        memory_gib=vcpus * 3.75,
        cap_gbps=cap_gbps,
        usable_gbps=cap_gbps * count * 0.8,
        usd_per_month=hours * Decimal(price) if price else None,
        line_items=items,
        limit=egress_limit(machine_type, cap_gbps),
        note="" if price else "the Tier_1 fee of this series is not published",
    )


def machine_plan() -> MachinePlan:
    """Return a ranked answer with an unknown price at its end."""
    ranked = (
        candidate("n1-standard-8", 8, 16.0, "0.379998"),
        candidate("n1-standard-4", 4, 8.0, "0.189999", count=2),
        candidate("n1-standard-16", 16, 16.0, "0.759996"),
        candidate("n2-standard-32", 32, 50.0, None),
    )
    return MachinePlan(
        need=MachineNeed(gbps=10.0, region="us-central1", vcpus=4, memory_gib=15.0),
        ranked=ranked,
        front=(candidate("n1-standard-1", 1, 2.0, "0.04749975"), ranked[0]),
        rejected=(
            Rejected(
                machine_type="n1-standard-1", is_tier1=False, reason="bandwidth", detail="2 Gbit/s"
            ),
            Rejected(
                machine_type="n1-standard-2", is_tier1=False, reason="bandwidth", detail="4 Gbit/s"
            ),
            Rejected(
                machine_type="t2a-standard-8", is_tier1=False, reason="price", detail="no price"
            ),
        ),
        baseline=candidate("n1-standard-1", 1, 2.0, "0.04749975", count=8),
        baseline_note="eight transcoders",
    )


def traffic_coverage() -> TrafficCoverage:
    """Return a coverage with two malformed records and bytes of nobody."""
    return TrafficCoverage(
        files=24,
        record_count=4_212_340,
        used_count=4_212_338,
        excluded=(("malformed", 2),),
        examples=(
            BadRecord(source="flows-03.json.gz:118", reason="bytes_sent is not a number"),
            BadRecord(source="flows-03.json.gz:2071", reason="the line ends inside a string"),
        ),
        source_reported_bytes=2_268_000_000_000,
        destination_reported_bytes=12_000_000_000,
        other_side_bytes=2_251_000_000_000,
        payload_bytes=2_280_000_000_000,
        header_bytes=61_000_000_000,
        owned_bytes=2_273_000_000_000,
        unowned_bytes=7_000_000_000,
        assumed_bytes=1_500_000_000,
        dropped_packets=312,
    )


def month_bill() -> MonthBill:
    """Return a bill of every kind, of which something has no price."""
    return MonthBill(
        machines_usd=Decimal("1234.56"),
        addresses_usd=Decimal("14.6"),
        traffic_usd=Decimal("2519.75"),
        services_usd=Decimal("33.06"),
        commitments_usd=Decimal("-12.5"),
        unpriced_machine_count=1,
        unpriced_low_usd=Decimal(0),
        unpriced_high_usd=None,
        unpriced_gib=Decimal(40),
    )


def gecko_report() -> Report:
    """Return a report of the gecko story with every section filled."""
    external, cap, nic, address = (
        external_finding(),
        cap_finding(),
        nic_finding(),
        address_finding(),
    )
    return Report(
        tool="netplan 0.1.0",
        title=PROJECT,
        projects=(PROJECT,),
        limits_as_of=LIMITS_DAY,
        prices_as_of=PRICES_DAY,
        network_prices_as_of=TRAFFIC_PRICES_DAY,
        window=WindowInfo(
            start=datetime(2017, 7, 20, tzinfo=UTC),
            end=datetime(2017, 7, 21, tzinfo=UTC),
            observed_minutes=1440,
            reporter="source",
            sampling="1.0",
        ),
        coverage=Coverage(
            projects=(
                ProjectCoverage(
                    project=ProjectId(PROJECT),
                    counts=(("addresses", 2), ("instances", 9)),
                    errors=(
                        "compute.vpnTunnels.list was refused: compute.vpnTunnels.list is missing",
                    ),
                ),
            ),
            instance_count=9,
            resource_counts=(("addresses", 2), ("instances", 9), ("networks", 1), ("routes", 0)),
            unread=(
                Unread(
                    source="inventory/firewalls.json",
                    reason="firewalls are not read",
                    resource="allow-all",
                ),
            ),
            traffic=traffic_coverage(),
            is_complete=False,
            notes=("limits are those of 2017; prices are today's",),
        ),
        bill=month_bill(),
        findings=(external, cap, nic, address),
        do_first=ordered_fixes((external, cap)),
        fix_sets=(fix_set((external, cap)),),
        traffic_by_class=(
            ClassTotal(
                path_class=PathClass.SAME_ZONE_EXTERNAL,
                gib_per_month=Decimal(64307),
                usd_per_month=Decimal("643.07"),
                edge_count=8,
                line_items=(
                    line("same-zone-external", "64307", "GiB", "0.01", sku="0000-AAAA-0001"),
                ),
            ),
            ClassTotal(
                path_class=PathClass.INTERNET,
                gib_per_month=Decimal("310.5"),
                usd_per_month=None,
                edge_count=3,
                price_note="no price of the internet for peers without an area",
                unpriced=(
                    Unpriced(
                        name="internet, us-central1",
                        quantity=Decimal("310.5"),
                        unit="GiB",
                        reason="no price of the internet for peers without an area",
                        lowest_usd_per_month=Decimal("37.14"),
                        highest_usd_per_month=Decimal("71.19"),
                        what_tells="flow logs with metadata name the destination's area",
                    ),
                ),
            ),
            ClassTotal(
                path_class=PathClass.INTERNET,
                gib_per_month=Decimal("41.2"),
                usd_per_month=None,
                edge_count=5,
                price_note="not billed to the receiver",
                direction=Direction.RECEIVED,
            ),
            ClassTotal(
                path_class=PathClass.SAME_ZONE_INTERNAL,
                gib_per_month=Decimal("0.75"),
                usd_per_month=Decimal(0),
                edge_count=1,
            ),
            ClassTotal(
                path_class=PathClass.UNKNOWN,
                gib_per_month=Decimal("199.2"),
                usd_per_month=None,
                edge_count=4,
                price_note="bytes without an owner have no price",
                unpriced=(
                    Unpriced(
                        name="unknown",
                        quantity=Decimal("199.2"),
                        unit="GiB",
                        reason="bytes without an owner have no price",
                    ),
                ),
            ),
            ClassTotal(
                path_class=PathClass.NAT,
                gib_per_month=Decimal(200),
                usd_per_month=Decimal(9),
                edge_count=2,
                price_note="Cloud NAT charges for what comes back, too",
                direction=Direction.RECEIVED,
                line_items=(line("nat, us-central1", "200", "GiB", "0.045"),),
            ),
        ),
        zone_pairs=(
            ZonePair(
                src_zone=ZONE,
                dst_zone=ZONE,
                path_class=PathClass.SAME_ZONE_EXTERNAL,
                gib_per_month=Decimal(64307),
                usd_per_month=Decimal("643.07"),
                max_gbps=1.66,
                rtt_ms=0.52,
                predicted=NOW,
                pair="transcoder-1 → ingest-1",
            ),
            ZonePair(
                src_zone=ZONE,
                dst_zone="us-central1-b",
                path_class=PathClass.INTER_ZONE_INTERNAL,
                gib_per_month=Decimal("12.5"),
                usd_per_month=None,
                max_gbps=0.02,
                rtt_ms=None,
                predicted=None,
                pair="ingest-1 → archive-1",
            ),
        ),
        recommendations=(machine_plan(),),
        jobs=(short_job_plan(),),
        assumptions=("a day of the story stands for every day of the month",),
        suppressed=(
            Suppressed(
                rule="idle-external-address",
                subject="reserve (us-central1)",
                reason="kept for a customer's allow list",
                source=".netplan-ignore.toml",
                expires=date(2026, 12, 31),
                saving_usd_per_month=Decimal("7.3"),
                fingerprint="c0ffee00c0ffee00c0ff",
            ),
        ),
        filtered=(
            Filtered(
                rule="flow-logs-thin",
                subject="default (us-central1)",
                severity="info",
                saving_usd_per_month=None,
                why="below --severity low",
                fingerprint="1a2b3c4d5e6f70819203",
            ),
        ),
        expired_suppressions=(
            ExpiredSuppression(
                rule="tier1-unused",
                resource="instances/render-*",
                reason="until the launch",
                source=".netplan-ignore.toml",
                expires=date(2026, 3, 31),
            ),
        ),
        network_services=(
            ServiceTotal(
                service="cloud-vpn",
                count=2,
                usd_per_month=Decimal(73),
                line_items=(line("VPN in us-central1: 2 tunnels", "1460", "hour", "0.05"),),
                note="what they carry is in the hybrid row of the traffic",
            ),
            ServiceTotal(
                service="cloud-nat",
                count=1,
                usd_per_month=Decimal("4.088"),
                line_items=(line("nat: gateway, hours of 4 VMs", "2920", "hour", "0.0014"),),
                unpriced=(
                    Unpriced(
                        name="nat: external addresses",
                        quantity=Decimal(1),
                        unit="gateway",
                        reason="Google picks its addresses, and the input does not say how many",
                        lowest_usd_per_month=Decimal("3.65"),
                        what_tells="the status of its router",
                    ),
                ),
            ),
        ),
        not_evaluated=(
            NotEvaluated(
                rule="egress-cap-undersized-for-target",
                reason="no declared targets",
                kind="missing-evidence",
            ),
            NotEvaluated(
                rule="vpc-mtu-mismatch", reason="only one network was read", kind="missing-evidence"
            ),
            NotEvaluated(
                rule="tier1-missing",
                reason="the cap of these types is not known",
                kind="gap",
                resource_count=2,
                examples=("archive-1", "archive-2"),
            ),
        ),
    )


def empty_report() -> Report:
    """Return a report that found nothing, with traffic and every rule evaluated."""
    return msgspec.structs.replace(
        gecko_report(),
        findings=(),
        do_first=(),
        fix_sets=(),
        recommendations=(),
        jobs=(),
        assumptions=(),
        suppressed=(),
        filtered=(),
        expired_suppressions=(),
        not_evaluated=(),
        coverage=msgspec.structs.replace(
            gecko_report().coverage, unread=(), notes=(), is_complete=True, projects=()
        ),
    )


def report_without_traffic() -> Report:
    """Return a report of an inventory alone."""
    full = gecko_report()
    return msgspec.structs.replace(
        full,
        window=None,
        findings=(full.findings[3],),
        do_first=(),
        fix_sets=(),
        traffic_by_class=(),
        zone_pairs=(),
        recommendations=(),
        jobs=(),
        assumptions=(),
        coverage=msgspec.structs.replace(full.coverage, traffic=None),
    )


def crowded_report(finding_count: int, member_count: int = 1) -> Report:
    """Return a report with many findings of many members each."""
    template = nic_finding()
    members = tuple(
        Member(
            resources=(instance_ref(f"vm-{n:05}", n),),
            subject=f"vm-{n:05} ({ZONE}, n1-standard-16)",
            message=f"machine {n}",
            saving_usd_per_month=Decimal("1.5"),
        )
        for n in range(member_count)
    )
    severities = tuple(Severity)
    findings = tuple(
        msgspec.structs.replace(
            template,
            severity=severities[4 * n // finding_count],
            subject=f"vm-{n:05} ({ZONE}, n1-standard-16)",
            members=members,
            saving_usd_per_month=Decimal("1.5") * member_count,
            fingerprint=f"{n:020x}",
        )
        for n in range(finding_count)
    )
    return msgspec.structs.replace(gecko_report(), findings=findings, do_first=(), fix_sets=())


def with_text(value: object, change: Callable[[str], str]) -> Any:
    """Return a report in which every text but the schema's name went through `change`."""
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return change(value)
    if isinstance(value, tuple):
        return tuple(with_text(item, change) for item in value)
    if not isinstance(value, msgspec.Struct):
        return value
    fields = {
        name: with_text(getattr(value, name), change)
        for name in value.__struct_fields__
        if not (isinstance(value, Report) and name == "schema")
    }
    return type(value)(**fields)


def hostile_report(text: str) -> Report:
    """Return the gecko report with `text` in place of every text."""
    report: Report = with_text(gecko_report(), lambda _: text)
    return report


def recommendation(plan: MachinePlan | Infeasible | None = None) -> Recommendation:
    """Return the answer of `netplan recommend` with a plan."""
    return Recommendation(
        is_feasible=not isinstance(plan, Infeasible),
        plan=plan if plan is not None else machine_plan(),
        limits_as_of=date(2026, 9, 24),
        calibration=None,
        prices_as_of=date(2026, 4, 30),
        network_prices_as_of=date(2026, 4, 30),
        prices_sha256="0" * 64,
        price_terms="",
        price_age="",
    )
