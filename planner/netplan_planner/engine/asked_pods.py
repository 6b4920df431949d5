"""The network of a cluster as the options of `netplan predict` say it; one plugin or several."""

from typing import NamedTuple

import msgspec

from netplan_planner.errors import UsageError, did_you_mean
from netplan_planner.model import PodNetwork, Value
from netplan_planner.readers.path_cells import pod_network_of
from netplan_planner.throughput.limits.pods.overlay import (
    ENCRYPTIONS,
    encapsulation_of,
    encapsulations,
)


class PodWords(Value, frozen=True, kw_only=True):
    """The network of a cluster, as the options name it."""

    plugins: tuple[str, ...] = ()
    """`NAME` or `NAME@GBPS` each, or several with commas; none: that of the path's class."""
    encapsulation: str | None = None
    encryption: str | None = None
    other_link_gbps: float | None = None
    """Link that a plugin uses instead of the machine's, where none is named with it."""


class NamedPlugin(NamedTuple):
    """A plugin as it was asked for."""

    name: str
    other_link_gbps: float | None


def plugins_of(words: PodWords) -> list[NamedPlugin]:
    """Return the plugins that `--plugin` names, commas or repeated.

    Raises:
        UsageError: If what follows an @ is no rate.
    """
    found = []
    for text in (part.strip() for one in words.plugins for part in one.split(",")):
        name, sign, link = text.partition("@")
        try:
            gbps = float(link) if sign else words.other_link_gbps
        except ValueError:
            gbps = -1.0
        if gbps is not None and not 0 < gbps < float("inf"):
            raise UsageError(f"--plugin is NAME or NAME@GBPS such as cilium@1, not {text[:40]!r}")
        found.append(NamedPlugin(name, gbps))
    return found


def pod_of(
    plugin: NamedPlugin | None, words: PodWords, *, is_bare_metal: bool
) -> PodNetwork | None:
    """Return the cluster's network with one plugin, None where the options say nothing of it.

    Raises:
        UsageError: If there is no such plugin, encapsulation or encryption.
    """
    other = plugin.other_link_gbps if plugin else None
    name = plugin.name if plugin else None
    if not (name or words.encapsulation or words.encryption or other):
        return None
    if name:
        encapsulation_of(name)
    for option, text, known in (
        ("--encapsulation", words.encapsulation, encapsulations()),
        ("--encryption", words.encryption, ENCRYPTIONS),
    ):
        if text is not None and text not in known:
            hint = did_you_mean(text, known)
            raise UsageError(f"{option} {text[:40]!r} is none of {', '.join(known)}{hint}")
    pod = pod_network_of(
        plugin=name or "",
        encapsulation=words.encapsulation or "",
        encryption=words.encryption or "",
        note="",
        is_bare_metal=is_bare_metal,
    )
    return msgspec.structs.replace(pod, other_link_gbps=other, is_assumed=False)
