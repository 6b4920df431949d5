"""What the Compute API holds of a project itself: the network tier of addresses that name none.

Google states the tier of nearly all of them, so a project is asked only where one is without.
"""

from netplan_planner.google.compute_methods import PROJECT_ID, PROJECT_PERMISSION
from netplan_planner.google.paging import page_of
from netplan_planner.google.refusals import Refusal, Request, path_of
from netplan_planner.google.transport import Transport
from netplan_planner.model import ProjectId
from netplan_planner.readers.collector import Collector
from netplan_planner.readers.compute.kinds import BY_COLLECTION
from netplan_planner.readers.compute.networks import TIERED, WireProject, names_no_tier


def without_tier(found: Collector) -> list[ProjectId]:
    """Return the projects with an external address that names no network tier."""
    resources = (one for field in TIERED for one in found.found[field])
    return sorted({one.project for one in resources if names_no_tier(one)})


def read_settings(transport: Transport, project: ProjectId, disabled: str) -> Collector:
    """Return what a project sets for its resources; a refusal is noted, with what it leaves open.

    Args:
        transport: Of the Compute API.
        project: Which.
        disabled: What is said where the API is switched off.
    """
    found = Collector()
    source = f"{PROJECT_ID} projects/{project}"
    names = {"project": project}
    request = Request(
        method=PROJECT_ID,
        path=path_of("projects/{project}", names),
        query={"prettyPrint": "false"},
        permission=PROJECT_PERMISSION,
        disabled=disabled,
        missing="the project does not exist, or this account cannot see it (404)",
        names=names,
    )
    try:
        wire = transport.get(request, _project)
    except Refusal as exc:
        found.note(source, f"{exc}; addresses without a stated network tier count as Premium Tier")
        return found
    found.add(BY_COLLECTION["projects"], [wire], source)
    return found


def _project(body: bytes) -> WireProject:
    return page_of(body, WireProject)
