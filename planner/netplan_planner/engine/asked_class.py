"""The class of the path that a user asks about: as given, where the two places allow it."""

from netplan_planner.errors import UsageError, nearest_names
from netplan_planner.model import PathClass, PathEnd
from netplan_planner.readers.path_cells import path_class_of

_SAME_ZONE, _INTER_ZONE, _INTER_REGION = "same-zone", "inter-zone", "inter-region"


def named_class(text: str | None) -> PathClass | None:
    """Return the path class of a name, None without one.

    Raises:
        UsageError: If it names none.
    """
    if text is None:
        return None
    found = path_class_of(text)
    if found is None:
        near = nearest_names(text, [one.value for one in PathClass])
        known = ", ".join(one.value for one in PathClass)
        hint = f"; near: {', '.join(near)}" if near else f"; it is one of {known}"
        raise UsageError(f"--path {text[:60]!r} is no path class{hint}")
    return found


def class_of_path(
    given: PathClass | None, src: PathEnd, dst: PathEnd, *, is_external: bool
) -> PathClass:
    """Return the class of the path between two ends.

    Args:
        given: The class that was asked for, None where the places are to decide.
        src: The sender.
        dst: The receiver.
        is_external: Whether the receiver is addressed by its external address.

    Raises:
        UsageError: If nothing tells the class, or if the places or the address contradict it.
    """
    possible = _distances(src, dst)
    if given is None:
        if not possible:
            raise UsageError(
                "the class of the path is not known: give --path (such as inter-region-internal),"
                " or the places of both ends (--src-place, --dst-place)"
            )
        return PathClass(f"{possible[0]}-{'external' if is_external else 'internal'}")
    if possible and not _fits(given, possible):
        raise UsageError(
            f"--path {given.value} contradicts the places: from {_place(src)} to {_place(dst)} a"
            f" path is {' or '.join(possible)}. Leave out --path, or change a place."
        )
    if is_external and given.is_between_own_vms and not given.is_external_address:
        raise UsageError(
            f"--path {given.value} contradicts --external: that class is over the internal"
            " address. Leave out one of the two."
        )
    return given


def assumed_class(*, is_external: bool, has_pods: bool) -> PathClass:
    """Return the class of a path of whose ends no place is told: both stand in one zone."""
    if is_external:
        return PathClass.SAME_ZONE_EXTERNAL
    return PathClass.SAME_ZONE_INTERNAL_POD if has_pods else PathClass.SAME_ZONE_INTERNAL


def class_of_nodes(path_class: PathClass | None) -> PathClass | None:
    """Return the class of the nodes' own path, of whose pods a class is."""
    if path_class is None or not path_class.is_pod or path_class is PathClass.SAME_NODE_POD:
        return path_class
    return PathClass(path_class.value.removesuffix("-pod"))


def _distances(src: PathEnd, dst: PathEnd) -> tuple[str, ...]:
    """Return what the distance may be by the places, the likely one first; nothing: not known."""
    if src.region is None or dst.region is None:
        return ()
    if src.region != dst.region:
        return (_INTER_REGION,)
    if src.zone is None or dst.zone is None:
        return _INTER_ZONE, _SAME_ZONE
    return (_SAME_ZONE,) if src.zone == dst.zone else (_INTER_ZONE,)


def _fits(given: PathClass, possible: tuple[str, ...]) -> bool:
    """Return whether a class is possible; paths to elsewhere have no distance."""
    distance = _SAME_ZONE if given is PathClass.SAME_NODE_POD else given.distance
    return distance is None or distance in possible


def _place(end: PathEnd) -> str:
    return end.zone or end.region or "nowhere"
