"""Members of unmanaged instance groups, which the groups themselves do not name.

`instanceGroups.listInstances` reads, but by POST.
"""

from typing import NamedTuple

import msgspec

from netplan_planner.google.compute_methods import MEMBERS_ID, MEMBERS_PERMISSION
from netplan_planner.google.paging import CutOff, Page, each_page, page_of
from netplan_planner.google.refusals import Refusal, Request, path_of
from netplan_planner.google.transport import Transport
from netplan_planner.model import InstanceGroup, ProjectId, SelfLink, canonical_link
from netplan_planner.readers.collector import Collector

_PATH = "projects/{project}/zones/{zone}/instanceGroups/{instanceGroup}/listInstances"


class _Member(msgspec.Struct):
    instance: str = ""


class _Page(Page):
    items: list[_Member] = msgspec.field(default_factory=list)


class GroupPlace(NamedTuple):
    """A zonal group, as the method names it."""

    link: SelfLink
    project: ProjectId
    zone: str
    name: str


def places_of(found: Collector) -> list[GroupPlace]:
    """Return the unmanaged groups that may have members; all of them are zonal."""
    return [
        GroupPlace(group.ref.self_link, group.project, group.location, group.name)
        for group in found.unmanaged_groups()
        if _may_have_members(group)
    ]


def _may_have_members(group: InstanceGroup) -> bool:
    return not group.is_regional and group.size != 0


def read_members(transport: Transport, place: GroupPlace) -> Collector:
    """Return the members of one group; a refusal is an error of its project."""
    found = Collector()
    options = transport.options
    try:
        for page in each_page(
            lambda token: transport.get(_request(place, token, options.page_size), _decoded),
            options.max_pages,
        ):
            for item in page.items:
                found.member(place.link, SelfLink(canonical_link(item.instance)))
    except CutOff as exc:
        found.error(place.project, f"{MEMBERS_ID} of {place.name}: {exc}")
    except Refusal as exc:
        found.error(place.project, str(exc))
    return found


def _request(place: GroupPlace, token: str, page_size: int) -> Request:
    names = {"project": place.project, "zone": place.zone, "instanceGroup": place.name}
    query = {"maxResults": str(page_size), "prettyPrint": "false"}
    return Request(
        method=MEMBERS_ID,
        path=path_of(_PATH, names),
        query=query | ({"pageToken": token} if token else {}),
        permission=MEMBERS_PERMISSION,
        disabled="the Compute Engine API is disabled (403)",
        missing=f"{MEMBERS_ID}: no group {place.name} in {place.zone} (404)",
        body=b"{}",
        names=names,
    )


def _decoded(body: bytes) -> _Page:
    return page_of(body, _Page)
