"""Resources of an inventory in as few words as a test needs: their link says the rest."""

from typing import Any, TypeVar

import msgspec

from netplan_planner.model import ProjectId, Region, ResourceRef, SelfLink, Zone

Resource = TypeVar("Resource", bound=msgspec.Struct)
_PLACES: dict[str, tuple[str, type[str]]] = {
    "regions": ("region", Region),
    "zones": ("zone", Zone),
}


def resource(kind: type[Resource], link: str, /, **more: Any) -> Resource:
    """Return the resource of a link; project, name and place are the link's unless said."""
    parts = link.split("/")
    said: dict[str, Any] = {"project": ProjectId(parts[1]), "name": parts[-1], "region": None}
    if parts[2] in _PLACES:
        field, typed = _PLACES[parts[2]]
        said[field] = typed(parts[3])
    own = {name: said[name] for name in kind.__struct_fields__ if name in said}
    return kind(ref=ResourceRef(self_link=SelfLink(link)), **(own | more))
