"""What machines on shared cores have of their vCPUs, for ever; they burst to all for a while."""

SUSTAINED_VCPUS = {
    "e2-micro": 0.25,
    "e2-small": 0.5,
    "e2-medium": 1.0,
    "f1-micro": 0.2,
}
"""What shared-core types have of their vCPUs in the long run; for a while they burst to all.

Source: cloud.google.com/compute/vm-instance-pricing (2026-07-30) bills E2 types for that part of
their vCPUs; opsdash.com/blog/google-cloud-f1-micro.html (2017) has 0.2 and measured 0.22. Of
g1-small no source was found: it is taken for a whole vCPU.
"""


def sustained_vcpus(machine_type: str, vcpus: float) -> float:
    """Return the vCPUs that a machine has in the long run.

    >>> sustained_vcpus("e2-custom-micro-2048", 2), sustained_vcpus("n2-standard-4", 4)
    (0.25, 4)
    """
    # e2-custom-micro-2048 has the vCPUs of e2-micro.
    standard = "-".join(part for part in machine_type.split("-")[:3] if part != "custom")
    return SUSTAINED_VCPUS.get(standard, vcpus)


def sustained_share(machine_type: str | None) -> float:
    """Return the part of one core that a flow can count on, at most all of it.

    >>> sustained_share("f1-micro"), sustained_share("n2-standard-4"), sustained_share(None)
    (0.2, 1.0, 1.0)
    """
    return min(sustained_vcpus(machine_type or "", 1.0), 1.0)
