"""What gcloud takes, and what it would refuse in a command."""

import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from netplan_planner.model import Fix


class Surface(NamedTuple):
    """What gcloud takes after the words of a command."""

    needed: frozenset[str]
    """Flags without which gcloud would ask or fail; of several in one text, one must be there."""
    others: frozenset[str] = frozenset()
    switches: frozenset[str] = frozenset()
    """Flags without a value."""
    names: int | None = 1
    """Words that are no flags; None: one or more."""


def flags(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


# `gcloud … --help` of Google Cloud SDK 528.0.0, read 2026-11-21; what neither rules nor plans use
# is left out.
GCLOUD = {
    "compute addresses delete": Surface(flags("region|global"), switches=flags("global")),
    "compute instances add-access-config": Surface(
        flags("zone"), flags("access-config-name address network-interface network-tier")
    ),
    "compute instances add-resource-policies": Surface(flags("zone resource-policies")),
    "compute instances delete-access-config": Surface(
        flags("zone"), flags("access-config-name network-interface")
    ),
    "compute instances set-machine-type": Surface(
        flags("zone machine-type"), flags("custom-cpu custom-memory custom-vm-type")
    ),
    "compute instances describe": Surface(flags("zone")),
    "compute instances remove-resource-policies": Surface(flags("zone resource-policies")),
    "compute resource-policies delete": Surface(flags("region")),
    "compute ssh": Surface(flags("zone"), flags("command"), switches=flags("tunnel-through-iap")),
    "compute networks list": Surface(frozenset(), names=0),
    "compute networks peerings delete": Surface(flags("network")),
    "network-connectivity spokes delete": Surface(flags("global|region"), switches=flags("global")),
    "network-connectivity spokes linked-vpc-network create": Surface(
        flags("global hub vpc-network"),
        flags("exclude-export-ranges include-export-ranges"),
        switches=flags("global"),
    ),
    "compute networks peerings list": Surface(flags("network"), names=0),
    "compute interconnects attachments dedicated update": Surface(flags("region bandwidth")),
    "compute vpn-tunnels delete": Surface(flags("region")),
    "recommender recommendations mark-dismissed": Surface(flags("location recommender etag")),
    "logging read": Surface(frozenset(), flags("freshness limit")),
    "compute commitments create": Surface(flags("region resources plan type")),
    "compute commitments describe": Surface(flags("region")),
    "compute instance-groups managed list-instances": Surface(flags("region|zone")),
    "compute instance-groups managed rolling-action start-update": Surface(
        flags("region|zone version"),
        flags("max-surge max-unavailable minimal-action replacement-method type"),
    ),
    "compute instance-groups managed wait-until": Surface(
        flags("region|zone"), flags("timeout"), switches=flags("stable version-target-reached")
    ),
    "compute instances bulk create": Surface(
        flags("predefined-names zone"),
        flags(
            "machine-type min-cpu-platform provisioning-model instance-termination-action"
            " network-interface network-performance-configs"
        ),
        names=0,
    ),
    "compute instances create": Surface(
        flags("zone"),
        flags("source-machine-image machine-type network-interface network-performance-configs"),
    ),
    "compute instances delete": Surface(flags("zone"), names=None),
    "compute machine-images create": Surface(flags("source-instance source-instance-zone")),
    "compute machine-images delete": Surface(frozenset()),
    "compute instances start": Surface(flags("zone"), switches=flags("async"), names=None),
    "compute instances resume": Surface(flags("zone"), switches=flags("async"), names=None),
    "compute instances stop": Surface(
        flags("zone"), flags("discard-local-ssd"), switches=flags("async"), names=None
    ),
    "compute instances update": Surface(
        flags("zone"), flags("min-cpu-platform update-labels remove-labels")
    ),
    "compute resource-policies create group-placement": Surface(
        flags("region"),
        flags("collocation vm-count availability-domain-count gpu-topology description"),
    ),
    "compute networks peerings create": Surface(
        flags("network peer-network"),
        flags("peer-project stack-type"),
        switches=flags("async import-custom-routes export-custom-routes"),
    ),
    "compute networks subnets update": Surface(
        flags("region"),
        flags(
            "logging-aggregation-interval logging-flow-sampling logging-metadata"
            " logging-filter-expr stack-type purpose role"
        ),
        switches=flags("enable-flow-logs no-enable-flow-logs enable-private-ip-google-access"),
    ),
    "compute routers nats update": Surface(
        flags("router region"),
        flags("min-ports-per-vm max-ports-per-vm nat-external-ip-pool"),
        switches=flags(
            "enable-dynamic-port-allocation no-enable-dynamic-port-allocation"
            " enable-endpoint-independent-mapping no-enable-endpoint-independent-mapping"
            " clear-min-ports-per-vm clear-max-ports-per-vm"
        ),
    ),
    "beta compute backend-services update": Surface(
        flags("region"), flags("zonal-affinity-spillover zonal-affinity-spillover-ratio")
    ),
    "compute routers nats create": Surface(
        flags("router region auto-allocate-nat-external-ips|nat-external-ip-pool"),
        flags("nat-custom-subnet-ip-ranges"),
        switches=flags(
            "auto-allocate-nat-external-ips nat-all-subnet-ip-ranges nat-primary-subnet-ip-ranges"
        ),
    ),
    "compute routers nats delete": Surface(flags("router region")),
    "compute routers nats describe": Surface(flags("router region")),
    "compute routes create": Surface(
        flags(
            "network destination-range next-hop-address|next-hop-gateway|next-hop-ilb"
            "|next-hop-instance"
        ),
        flags("next-hop-instance-zone priority tags"),
    ),
    "compute routes delete": Surface(frozenset()),
    "compute networks describe": Surface(frozenset()),
    "compute networks update": Surface(
        frozenset(), flags("mtu bgp-routing-mode"), switches=flags("async")
    ),
}

OF_EVERY_COMMAND = flags("project quiet format")

# The same help pages; `--mtu`: cloud.google.com/vpc/docs/mtu.
VALUES = {
    "logging-aggregation-interval": r"interval-(5-sec|30-sec|1-min|5-min|10-min|15-min)",
    "collocation": r"collocated|unspecified-collocation",
    "logging-metadata": r"include-all|exclude-all|custom",
    "logging-flow-sampling": r"0\.\d+|1\.0|1|0",
    "mtu": r"1[3-9]\d\d|[2-7]\d\d\d|8[0-7]\d\d|88[0-8]\d|889[0-6]",
    "network-interface": r"nic\d+|(network=[^,]+,(subnet=[^,]+,)?(no-address,)?)?nic-type=GVNIC"
    r"|(nic-type=GVNIC,)?(no-address|network-tier=(PREMIUM|STANDARD))",
    "zone": r"[a-z]+-[a-z]+\d-[a-z]",
    "region": r"[a-z]+-[a-z]+\d",
    "plan": r"12-month|36-month",
    "type": r"(general-purpose|compute-optimized|memory-optimized|accelerator-optimized"
    r"|graphics-optimized|storage-optimized)(-[a-z]\d[a-z]?)?",
    "resources": r"vcpu=\d+,memory=\d+MB",
    "network-performance-configs": r"total-egress-bandwidth-tier=(TIER_1|DEFAULT)",
    "network-tier": r"PREMIUM|STANDARD",
    "provisioning-model": r"STANDARD|SPOT",
    "instance-termination-action": r"STOP|DELETE",
    "version": r"template=[a-z][a-z0-9-]*",
    "machine-type": r"[a-z]\d*[a-z]*-[a-z0-9-]+",
    "bandwidth": r"(50|100|200|300|400|500)m|(1|2|5|10|20|50|100)g",
    # Empty: no least platform any more.
    "min-cpu-platform": r".*",
}


def commands_in(fix: Fix) -> Iterator[str]:
    """Yield what makes the change, shows that it works, cleans up after it and takes it back."""
    yield from fix.commands
    for step in (fix.verify, fix.clean_up, fix.undo):
        yield from step.commands if step is not None else ()


def surface_of(words: list[str]) -> tuple[str, list[str]]:
    """Return the longest known command that the words begin with, and the words behind it."""
    for end in range(len(words), 0, -1):
        name = " ".join(words[1:end])
        if name in GCLOUD:
            return name, words[end:]
    raise AssertionError(f"no known command: {words}")


def faults_of(text: str) -> list[str]:
    """Return what gcloud would refuse in a command."""
    words = shlex.split(text)
    if words[0] != "gcloud":
        return [f"{words[0]} is not gcloud"]
    name, rest = surface_of(words)
    surface, faults = GCLOUD[name], []
    names = [word for word in rest if not word.startswith("--")]
    if (len(names) != surface.names) if surface.names is not None else not names:
        faults.append(f"{len(names)} resources are named")
    given_flags = set()
    for flag in (word[2:] for word in rest if word.startswith("--")):
        key, equals, value = flag.partition("=")
        given_flags.add(key)
        allowed = surface.others | OF_EVERY_COMMAND
        allowed |= {part for one in surface.needed for part in one.split("|")}
        is_switch = key in surface.switches
        if key not in allowed | surface.switches:
            faults.append(f"{name} has no --{key}")
        elif bool(equals) is is_switch:
            faults.append(f"--{key} {'takes no' if is_switch else 'needs a'} value")
        elif not is_switch and not re.fullmatch(VALUES.get(key, r".+"), value):
            faults.append(f"--{key} does not take {value!r}")
    faults += [
        f"{name} needs --{needed}"
        for needed in sorted(surface.needed)
        if not given_flags & set(needed.split("|"))
    ]
    if "project" not in given_flags:
        faults.append("the project is left to chance")
    return faults
