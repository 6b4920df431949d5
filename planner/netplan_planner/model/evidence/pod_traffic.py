"""Traffic between pods by workload, zone and Service, from whatever source names pods.

Beside the `TrafficMatrix`, whose owners are VMs: the same bytes under the names that Kubernetes
gives, never added to it.
"""

from datetime import datetime
from enum import StrEnum

from netplan_planner.model.base import Region, Value, Zone, region_of
from netplan_planner.model.path_class import PathClass


class PodSource(StrEnum):
    """What the flows of pods were read from."""

    FLOW_LOGS = "flow logs with GKE annotations"
    TABLE = "a table of pods"
    HUBBLE = "Hubble flows"
    """Events without bytes: how often pods of a pair were seen, not how much they sent."""


class PodEnd(Value, frozen=True, kw_only=True):
    """One end of a flow: the pods of a workload in a zone."""

    workload: str
    """`namespace/name`; of a pod whose workload is not known the pod's."""
    zone: Zone | None = None
    cluster: str | None = None
    """Name of the GKE cluster, as flow logs state it."""


class PodFlow(Value, frozen=True, kw_only=True):
    """What the pods of one workload in a zone sent to those of another, or of the same."""

    src: PodEnd
    dst: PodEnd
    service: str | None = None
    """`namespace/name` of the Service by which the pods met; None where none is known."""
    is_reply: bool = False
    """From the Service's endpoints to its clients; False: towards the endpoints."""
    is_same_node: bool | None = None
    """Whether both pods are on one node; None where that is not known of all of it."""
    payload_bytes: int | None = None
    """None: the source does not count bytes (Hubble)."""
    header_bytes: int = 0
    record_count: int = 0
    """Log entries, rows or events."""

    @property
    def wire_bytes(self) -> int | None:
        """Payload and headers: what bills count; None where bytes are not known."""
        return None if self.payload_bytes is None else self.payload_bytes + self.header_bytes

    @property
    def regions(self) -> tuple[Region, Region] | None:
        """Of sender and receiver, None where a zone is not known."""
        if self.src.zone is None or self.dst.zone is None:
            return None
        return region_of(self.src.zone), region_of(self.dst.zone)

    @property
    def path_class(self) -> PathClass | None:
        """The class whose price these bytes have, None where a zone is not known."""
        if self.regions is None:
            return None
        if self.regions[0] != self.regions[1]:
            return PathClass.INTER_REGION_INTERNAL_POD
        if self.src.zone != self.dst.zone:
            return PathClass.INTER_ZONE_INTERNAL_POD
        return PathClass.SAME_NODE_POD if self.is_same_node else PathClass.SAME_ZONE_INTERNAL_POD


class PodTraffic(Value, frozen=True, kw_only=True):
    """Flows of pods, the greatest first, and what they rest on."""

    flows: tuple[PodFlow, ...]
    sources: tuple[PodSource, ...]
    window_seconds: int | None = None
    """From the first to the last moment; None where the input gives rates, or no times."""
    is_steady: bool = False
    """A table of rates: bytes are those of an hour."""
    record_count: int = 0
    """All that were read, those without pods included."""
    left_out: tuple[tuple[str, int], ...] = ()
    """Reason and number of the records that are in no flow, sorted by reason."""
    incomplete: tuple[str, ...] = ()
    """What of the given flows could not be read, a line each."""
    notes: tuple[str, ...] = ()

    @property
    def month_seconds(self) -> int | None:
        """Seconds of which a month has 730 h times; None where there is no time."""
        return 3600 if self.is_steady else self.window_seconds

    @property
    def has_bytes(self) -> bool:
        """Whether any flow counts bytes, so that it has a price."""
        return any(flow.payload_bytes is not None for flow in self.flows)


def seconds_between(first: datetime, last: datetime) -> int:
    """Return whole seconds from a first to a last moment, 1 at least."""
    return max(1, round((last - first).total_seconds()))
