"""The network of a cluster and the service of `netplan predict`, of what the options say."""

from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner.errors import UsageError, did_you_mean
from netplan_planner.model import PodNetwork, Service
from netplan_planner.readers.path_cells import pod_network_of
from netplan_planner.throughput.limits.named import ethernet_payload_ratio
from netplan_planner.throughput.limits.pods.overlay import (
    ENCRYPTIONS,
    encapsulation_of,
    encapsulations,
)
from netplan_planner.throughput.services.application import (
    ServicePoint,
    described_service,
    fit_two_points,
    known_service,
)
from netplan_planner.verbs.predict.ask import Pods, Served

_LIKE = "--tps-at is GBPS=TPS, such as 1=2700"


class NamedPlugin(NamedTuple):
    """A plugin as it was asked for."""

    name: str
    other_link_gbps: float | None


def plugins_of(asked: Pods) -> list[NamedPlugin]:
    """Return the plugins that `--plugin` names, commas or repeated.

    Raises:
        UsageError: If what follows an @ is no rate.
    """
    found = []
    for text in (part.strip() for one in asked.plugins for part in one.split(",")):
        name, sign, link = text.partition("@")
        try:
            gbps = float(link) if sign else asked.other_link_gbps
        except ValueError:
            gbps = -1.0
        if gbps is not None and not 0 < gbps < float("inf"):
            raise UsageError(f"--plugin is NAME or NAME@GBPS such as cilium@1, not {text[:40]!r}")
        found.append(NamedPlugin(name, gbps))
    return found


def pod_of(plugin: NamedPlugin | None, asked: Pods, *, is_bare_metal: bool) -> PodNetwork | None:
    """Return the cluster's network with one plugin, None where the options say nothing of it.

    Raises:
        UsageError: If there is no such plugin, encapsulation or encryption.
    """
    other = plugin.other_link_gbps if plugin else None
    name = plugin.name if plugin else None
    if not (name or asked.encapsulation or asked.encryption or other):
        return None
    if name:
        encapsulation_of(name)
    for option, text, known in (
        ("--encapsulation", asked.encapsulation, encapsulations()),
        ("--encryption", asked.encryption, ENCRYPTIONS),
    ):
        if text is not None and text not in known:
            hint = did_you_mean(text, known)
            raise UsageError(f"{option} {text[:40]!r} is none of {', '.join(known)}{hint}")
    pod = pod_network_of(
        plugin=name or "",
        encapsulation=asked.encapsulation or "",
        encryption=asked.encryption or "",
        note="",
        is_bare_metal=is_bare_metal,
    )
    return replace(pod, other_link_gbps=other, is_assumed=False)


def service_of(asked: Served) -> Service | None:
    """Return the service that the options describe, None where they describe none.

    Raises:
        UsageError: If they say half of it, or both ways at once.
    """
    size_bytes, max_tps, points = asked.bytes_per_transaction, asked.max_tps, asked.tps_at
    if asked.service is not None:
        if size_bytes is not None or max_tps is not None or points:
            raise UsageError("--service has its own figures: leave out --tps-at and the others")
        return known_service(asked.service, ethernet_payload_ratio())
    if not points:
        if size_bytes is None and max_tps is None:
            return None
        if size_bytes is None or max_tps is None:
            raise UsageError("--bytes-per-transaction and --max-tps belong together")
        return described_service(bytes_per_transaction=size_bytes, ceiling_tps=max_tps)
    if size_bytes is not None or max_tps is not None:
        raise UsageError("--tps-at stands instead of --bytes-per-transaction and --max-tps")
    if len(points) != 2:
        raise UsageError(f"--tps-at is given twice, for two bandwidths; here {len(points)} times")
    low, high = sorted(map(_point, points), key=lambda point: point.gbps)
    return fit_two_points(low=low, high=high)


def _point(text: str) -> ServicePoint:
    gbps, sign, tps = text.partition("=")
    try:
        point = ServicePoint(gbps=float(gbps), tps=float(tps))
    except ValueError as exc:
        raise UsageError(f"{_LIKE}, not {text[:40]!r}") from exc
    if not sign or not (0 < point.gbps < float("inf") and 0 < point.tps < float("inf")):
        raise UsageError(f"{_LIKE}, not {text[:40]!r}")
    return point
