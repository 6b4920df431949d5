"""The one path class of a flow, from who its ends are and by which addresses they meet."""

from netplan_planner.model import OwnerKind, PathClass, Value
from netplan_planner.paths.ends import AddressKind, FlowEnd

_MACHINES = frozenset({OwnerKind.VM, OwnerKind.OTHER_PROJECT, OwnerKind.PLACE})

_CLASSES = {
    (distance, way): PathClass(f"{distance}-{way}")
    for distance in ("same-zone", "inter-zone", "inter-region")
    for way in ("internal", "external", "internal-pod")
}


class Path(Value, frozen=True, kw_only=True):
    """The class of a flow, and the literal it was addressed to where that matters."""

    path_class: PathClass
    dst_address: str | None = None


def classify(src: FlowEnd, dst: FlowEnd) -> Path:
    """Return the path of a flow.

    The first that applies, of either end: a tunnel, interconnect or appliance (`hybrid`), a load
    balancer (but what the back ends of an external passthrough one answer to the internet goes
    there directly, and is `internet`, addressed by the load balancer's own address), a
    NAT address, nobody (`unknown`), a Google API, the internet (`nat` when the machine can reach it
    through Cloud NAT only); else both are machines, and zones, addresses and pods decide.

    A report by the receiver names the sender's external address and its own internal one: the
    packet was addressed to the receiver's external address, so it gets the same path as the
    sender's report of it.
    """
    kinds = (src.owner.kind, dst.owner.kind)
    is_virtual = AddressKind.VIRTUAL in (src.address_kind, dst.address_kind)
    if not is_virtual and kinds[0] in _MACHINES and kinds[1] in _MACHINES:
        return _between_machines(src, dst)
    if OwnerKind.HYBRID in kinds:
        return Path(path_class=PathClass.HYBRID)
    if src.is_passthrough and dst.owner.kind is OwnerKind.INTERNET:
        return Path(path_class=PathClass.INTERNET, dst_address=_front(src, dst))
    if OwnerKind.LOAD_BALANCER in kinds or is_virtual:
        return Path(path_class=PathClass.LOAD_BALANCER, dst_address=_front(src, dst))
    if OwnerKind.NAT in kinds:
        return Path(path_class=PathClass.NAT, dst_address=_reached(dst))
    if OwnerKind.UNKNOWN in kinds:
        return Path(path_class=PathClass.UNKNOWN)
    if OwnerKind.GOOGLE_API in kinds:
        return Path(path_class=PathClass.GOOGLE_APIS)
    through_nat = src.is_behind_nat or dst.is_behind_nat
    return Path(path_class=PathClass.NAT if through_nat else PathClass.INTERNET)


def _front(src: FlowEnd, dst: FlowEnd) -> str | None:
    """Return the load balancer's address, whichever end it is."""
    if dst.address_kind is AddressKind.VIRTUAL:
        return dst.address
    return src.address if src.address_kind is AddressKind.VIRTUAL else None


def _reached(dst: FlowEnd) -> str | None:
    """Return the external address by which a receiver was reached, None when it is not known."""
    if dst.owner.kind not in _MACHINES:
        return None
    return dst.address if dst.address_kind is AddressKind.EXTERNAL else dst.external_address


def _between_machines(src: FlowEnd, dst: FlowEnd) -> Path:
    distance = _distance(src, dst)
    if distance is None:
        return Path(path_class=PathClass.UNKNOWN)
    if AddressKind.EXTERNAL in (src.address_kind, dst.address_kind):
        return Path(path_class=_CLASSES[distance, "external"], dst_address=_reached(dst))
    if src.is_pod or dst.is_pod:
        # All machines of another project in a zone are one owner: not one node for that.
        if src.owner.key == dst.owner.key and src.owner.kind is dst.owner.kind is OwnerKind.VM:
            return Path(path_class=PathClass.SAME_NODE_POD)
        return Path(path_class=_CLASSES[distance, "internal-pod"])
    return Path(path_class=_CLASSES[distance, "internal"])


def _distance(src: FlowEnd, dst: FlowEnd) -> str | None:
    """Return how far two machines stand apart, or None when a place is not known."""
    if src.owner.zone is None or dst.owner.zone is None:
        apart = src.owner.region != dst.owner.region
        known = src.owner.region is not None and dst.owner.region is not None
        return "inter-region" if apart and known else None
    if src.owner.zone == dst.owner.zone:
        return "same-zone"
    return "inter-zone" if src.owner.region == dst.owner.region else "inter-region"
