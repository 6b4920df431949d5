"""Commitments for tests, as values."""

from datetime import UTC, datetime

from netplan_planner.model import Commitment, ProjectId, Region, ResourceRef, SelfLink


def commitment(
    vcpus: int | None,
    memory_gib: int | None,
    kind: str | None = "GENERAL_PURPOSE_N2",
    name: str = "three-years",
    region: str = "us-central1",
    project: str = "p",
    plan: str = "THIRTY_SIX_MONTH",
    status: str | None = "ACTIVE",
    ends: str | None = "2028-06-01",
    category: str = "MACHINE",
    others: tuple[str, ...] = (),
    is_renewed: bool | None = None,
) -> Commitment:
    """Return a commitment for so many vCPUs and GiB of memory."""
    link = f"projects/{project}/regions/{region}/commitments/{name}"
    return Commitment(
        ref=ResourceRef(self_link=SelfLink(link), source="commitments.json:/0"),
        project=ProjectId(project),
        name=name,
        region=Region(region),
        plan=plan,
        category=category,
        commitment_type=kind,
        status=status,
        vcpu_count=vcpus,
        memory_mib=None if memory_gib is None else memory_gib * 1024,
        ends=datetime.fromisoformat(ends).replace(tzinfo=UTC) if ends else None,
        others=others,
        is_renewed=is_renewed,
    )
