"""Members of unmanaged instance groups, which the groups themselves do not name.

`instanceGroups.listInstances` reads, but by POST.
"""

from typing import NamedTuple
from urllib.parse import quote

import msgspec

from netplan_planner.google.refusals import LIST_MEMBERS, Refusal, Request
from netplan_planner.google.transport import NotWhole, Transport
from netplan_planner.input_files import decode_json
from netplan_planner.model import InstanceGroup, ProjectId, SelfLink, canonical_link
from netplan_planner.readers.collector import Collector

PERMISSION = "compute.instanceGroups.list"


class _Member(msgspec.Struct):
    instance: str = ""


class _Page(msgspec.Struct, rename="camel"):
    items: list[_Member] = []
    next_page_token: str = ""


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
    token = ""
    seen: set[str] = set()
    for _ in range(transport.options.max_pages):
        try:
            page = transport.get(_request(place, token, transport.options.page_size), _decoded)
        except Refusal as exc:
            found.error(place.project, str(exc))
            return found
        for item in page.items:
            found.member(place.link, SelfLink(canonical_link(item.instance)))
        token = page.next_page_token
        if not token or token in seen:
            break
        seen.add(token)
    return found


def _request(place: GroupPlace, token: str, page_size: int) -> Request:
    project = quote(place.project, safe=":")
    query = {"maxResults": str(page_size), "prettyPrint": "false"}
    return Request(
        method=LIST_MEMBERS,
        path=f"projects/{project}/zones/{quote(place.zone)}"
        f"/instanceGroups/{quote(place.name)}/listInstances",
        query=query | ({"pageToken": token} if token else {}),
        permission=PERMISSION,
        disabled="the Compute Engine API is disabled (403)",
        missing=f"{LIST_MEMBERS}: no group {place.name} in {place.zone} (404)",
        body=b"{}",
    )


def _decoded(body: bytes) -> _Page:
    try:
        return decode_json(body, _Page)
    except msgspec.DecodeError as exc:
        raise NotWhole(str(exc)) from exc
