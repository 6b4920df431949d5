"""The network of a cluster as the options of `netplan predict` say it; one plugin or several."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from netplan_planner.errors import UsageError
from netplan_planner.model import PodNetwork
from netplan_planner.readers.path_cells import pod_network_of
from netplan_planner.throughput.limits.pods.overlay import (
    ENCRYPTIONS,
    encapsulation_of,
    encapsulations,
)


class NamedPlugin(NamedTuple):
    """A plugin as it was asked for."""

    name: str
    other_link_gbps: float | None


def plugins_of(texts: Sequence[str], other_link_gbps: float | None) -> list[NamedPlugin]:
    """Return the plugins that `--plugin` names, commas or repeated.

    Raises:
        UsageError: If what follows an @ is no rate.
    """
    found = []
    for text in (part.strip() for one in texts for part in one.split(",")):
        name, sign, link = text.partition("@")
        try:
            gbps = float(link) if sign else other_link_gbps
        except ValueError:
            gbps = -1.0
        if gbps is not None and not 0 < gbps < float("inf"):
            raise UsageError(f"--plugin is NAME or NAME@GBPS such as cilium@1, not {text[:40]!r}")
        found.append(NamedPlugin(name, gbps))
    return found


def pod_of(
    plugin: NamedPlugin | None,
    encapsulation: str | None,
    encryption: str | None,
    *,
    is_bare_metal: bool,
) -> PodNetwork | None:
    """Return the cluster's network as the options say it, None where they say nothing."""
    other = plugin.other_link_gbps if plugin else None
    name = plugin.name if plugin else None
    if not (name or encapsulation or encryption or other):
        return None
    if name:
        encapsulation_of(name)
    for option, text, known in (
        ("--encapsulation", encapsulation, encapsulations()),
        ("--encryption", encryption, ENCRYPTIONS),
    ):
        if text is not None and text not in known:
            raise UsageError(f"{option} {text[:40]!r} is none of {', '.join(known)}")
    pod = pod_network_of(
        plugin=name or "",
        encapsulation=encapsulation or "",
        encryption=encryption or "",
        note="",
        is_bare_metal=is_bare_metal,
    )
    return msgspec.structs.replace(pod, other_link_gbps=other, is_assumed=False)
