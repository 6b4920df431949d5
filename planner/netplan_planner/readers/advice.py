"""Google's recommendations of machine types as model values."""

from netplan_planner.model import ProjectId, ResourceRef, TypeRecommendation
from netplan_planner.readers.links import Problems, needed, resolve
from netplan_planner.readers.wire import WireRecommendation


def recommendation(
    wire: WireRecommendation, ref: ResourceRef, problems: Problems
) -> TypeRecommendation:
    """Return one recommendation of another type for a machine."""
    project = ProjectId(ref.self_link.split("/")[1])
    return TypeRecommendation(
        ref=ref,
        project=project,
        instance=resolve(needed(wire.instance, "instance"), project),
        machine_type=needed(wire.machine_type, "machine type"),
        etag=wire.etag,
        state=wire.state_info.state if wire.state_info is not None else None,
    )
