"""The live Compute API: every list of every project side by side, within a bound.

A project or method that refuses is an error in that project's coverage; all else is read. The
result does not depend on which answer comes first: each call fills its own collector.
"""

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import ExitStack, closing
from typing import NamedTuple

import msgspec

from netplan_planner import meter, model
from netplan_planner.errors import AccessError, UsageError
from netplan_planner.google import compute_methods
from netplan_planner.google.compute_pages import PageReader
from netplan_planner.google.options import ApiOptions, ClientApi, resolve_endpoint
from netplan_planner.google.other_apis import (
    LOCATED_APIS,
    SCOPE,
    LocatedApi,
    located_endpoint,
    read_located,
)
from netplan_planner.google.paging import CutOff, Endless, Page, each_page, page_of
from netplan_planner.google.project_settings import read_settings, without_tier
from netplan_planner.google.refusals import Refusal, Request, path_of
from netplan_planner.google.transport import Transport
from netplan_planner.model.base import collection_paused
from netplan_planner.readers.collector import Collector
from netplan_planner.readers.compute.kinds import BY_COLLECTION
from netplan_planner.readers.compute.wire import WireMachineType

_PATH = "projects/{project}/zones/{zone}/instanceGroups/{instanceGroup}/listInstances"


class _Member(msgspec.Struct):
    instance: str = ""


class _Page(Page):
    items: list[_Member] = msgspec.field(default_factory=list)


class GroupPlace(NamedTuple):
    """A zonal group, as the method names it."""

    link: model.SelfLink
    project: model.ProjectId
    zone: str
    name: str


name = "api"


Progress = Callable[[str], None]


def read_projects(
    projects: Sequence[str], options: ApiOptions | None = None, progress: Progress | None = None
) -> model.Inventory:
    """Return everything that the Compute API lists of some projects.

    Machine types in use are looked up too, each in one zone that has it; custom ones are not, as
    their names say what they are. Nothing is written, and no resource's content leaves the
    machine.

    Args:
        projects: Ids or numbers, in any order; a repeated one is read once.
        options: Endpoint, credentials and bounds.
        progress: Takes one line per page; called from several threads, one at a time.

    Raises:
        AccessError: If there are no credentials, or nothing at all could be read.
        UsageError: If the endpoint cannot be used, or no project is named.
    """
    return _read(projects, options or ApiOptions(), progress, must_answer=True).inventory


class Examined(NamedTuple):
    """What could be read of projects, however little, and how the API's clock stands."""

    inventory: model.Inventory
    """Each refusal is an error in its project's coverage, or unread."""
    ahead_s: float | None
    """Seconds that this machine's clock is ahead of the API's; None: no answer had a date."""
    asked: tuple[LocatedApi, ...]
    """Without those that have no known endpoint beside a replaced one."""


def examine_projects(
    projects: Sequence[str], options: ApiOptions, progress: Progress | None = None
) -> Examined:
    """Return what an audit could read of some projects, though that may be nothing.

    Raises:
        AccessError: If there are no credentials, or they are refused.
        UsageError: If the endpoint cannot be used, or no project is named.
    """
    return _read(projects, options, progress, must_answer=False)


def _read(
    projects: Sequence[str], options: ApiOptions, progress: Progress | None, *, must_answer: bool
) -> Examined:
    wanted = [model.ProjectId(project) for project in dict.fromkeys(projects)]
    if not wanted or not all(wanted):
        raise UsageError("give at least one project: --project PROJECT_ID")
    endpoint = resolve_endpoint(options, os.environ)
    transport = Transport(endpoint, options, api=ClientApi.COMPUTE)
    others = _others(options)
    reading = _Reading(transport, progress, others)
    with ExitStack() as opened:
        for one in (transport, *others.values()):
            opened.enter_context(closing(one))
        opened.enter_context(collection_paused())
        pool = ThreadPoolExecutor(options.concurrency)
        try:
            found = reading.run(wanted, pool, must_answer=must_answer)
        except BaseException:
            # Interrupted: no retry or answer is waited for, and nothing new begun.
            for one in (transport, *others.values()):
                one.stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        pool.shutdown()
        return Examined(found, transport.ahead_s, tuple(others))


def _others(options: ApiOptions) -> dict[LocatedApi, Transport]:
    """Return the ways to the APIs beside Compute's, without those that cannot be asked."""
    endpoints = {api: located_endpoint(api, options, os.environ) for api in LOCATED_APIS}
    return {
        api: Transport(endpoint, options, scopes=(SCOPE,))
        for api, endpoint in endpoints.items()
        if endpoint is not None
    }


class _Part(NamedTuple):
    """What one call brought."""

    project: model.ProjectId
    found: Collector
    has_answer: bool


class _Type(NamedTuple):
    """A machine type and where it is in use."""

    name: str
    project: model.ProjectId
    zone: str


class _Reading:
    """One run over some projects."""

    def __init__(
        self,
        transport: Transport,
        progress: Progress | None,
        others: Mapping[LocatedApi, Transport],
    ) -> None:
        self._transport = transport
        self._others = others
        self._progress = progress
        self._lock = threading.Lock()

    def run(
        self, projects: list[model.ProjectId], pool: ThreadPoolExecutor, *, must_answer: bool
    ) -> model.Inventory:
        calls: list[Future[_Part]] = [
            pool.submit(self._list, project, method)
            for method in compute_methods.LISTS
            for project in projects
        ]
        located = [
            pool.submit(read_located, transport, api, method, project)
            for api, transport in self._others.items()
            for method in api.methods
            for project in projects
        ]
        with meter.work("reading the Compute API", total=len(calls), unit="lists"):
            for call in as_completed(calls):
                call.result()
                meter.advance()
        parts = [call.result() for call in calls]
        everything = Collector()
        for project in projects:
            everything.errors[project] = set()
        for part in parts:
            everything.merge(part.found)
        if must_answer and not any(part.has_answer for part in parts):
            raise AccessError(_nothing_read(everything))
        types = [pool.submit(self._type, places) for places in self._types(everything)]
        members = [
            pool.submit(read_members, self._transport, place) for place in places_of(everything)
        ]
        settings = [
            pool.submit(read_settings, self._transport, project, disabled_api(project))
            for project in without_tier(everything)
        ]
        for looked_up in types:
            everything.merge(looked_up.result().found)
        for listed in settings:
            everything.merge(listed.result())
        for listed in members:
            everything.merge(listed.result())
        for listed in located:
            everything.merge(listed.result())
        return everything.inventory()

    def _list(self, project: model.ProjectId, method: compute_methods.Method) -> _Part:
        """Read one list, page by page; what was read before a failure is kept."""
        found = Collector()
        pages = PageReader(method.kind, is_aggregated=method.is_aggregated)
        source = f"{method.id} projects/{project}"
        count = 0
        try:
            for page in each_page(
                lambda token: self._transport.get(
                    self._request(project, method, token),
                    lambda body: pages.read(body, source, found),
                ),
                self._transport.options.max_pages,
                lambda page: page.signature,
            ):
                for warning in page.warnings:
                    found.error(project, f"{method.id}: incomplete: {warning}")
                count += page.resource_count
                self._say(f"{project}: {count} {method.kind.collection}")
        except Endless as exc:
            found.error(project, f"{method.id}: {exc}")
        except CutOff as exc:
            found.error(project, f"{exc} ({count:,} {method.kind.collection} read before)")
        except Refusal as exc:
            found.error(project, str(exc))
            return _Part(project, found, has_answer=False)
        return _Part(project, found, has_answer=True)

    def _request(
        self, project: model.ProjectId, method: compute_methods.Method, token: str
    ) -> Request:
        query = {"maxResults": str(self._transport.options.page_size), "prettyPrint": "false"}
        if token:
            query["pageToken"] = token
        if method.knows_partial_success:
            query["returnPartialSuccess"] = "true"
        names = {"project": project}
        return Request(
            method=method.id,
            path=path_of(f"projects/{{project}}/{method.path}", names),
            query=query,
            permission=method.permission,
            disabled=disabled_api(project),
            missing="the project does not exist, or this account cannot see it (404)",
            names=names,
        )

    def _types(self, found: Collector) -> list[list[_Type]]:
        """Return the machine types in use, each with one place per project that has it."""
        places: dict[str, dict[model.ProjectId, _Type]] = {}
        for instance in sorted(found.found["instances"], key=lambda i: (i.project, i.zone)):
            machine_type = instance.machine_type
            if model.shape_of_custom(machine_type) is None:
                by_project = places.setdefault(machine_type, {})
                place = _Type(machine_type, instance.project, instance.zone)
                by_project.setdefault(instance.project, place)
        most = self._transport.options.max_machine_types
        for machine_type in sorted(places)[most:]:
            for project in places[machine_type]:
                found.error(project, f"looked up {most} of {len(places)} machine types in use")
        return [list(places[machine_type].values()) for machine_type in sorted(places)[:most]]

    def _type(self, places: list[_Type]) -> _Part:
        """Look one machine type up, in the first project that allows it."""
        found = Collector()
        for place in places:
            try:
                wire = self._transport.get(_type_request(place), _machine_type)
            except Refusal as exc:
                found.error(place.project, str(exc))
                continue
            source = f"{compute_methods.MACHINE_TYPE_ID} projects/{place.project}"
            found.add(BY_COLLECTION["machineTypes"], [wire], source)
            return _Part(place.project, found, has_answer=True)
        return _Part(places[0].project, found, has_answer=False)

    def _say(self, text: str) -> None:
        if self._progress is not None:
            with self._lock:
                self._progress(text)


def _type_request(place: _Type) -> Request:
    names = {"project": place.project, "zone": place.zone, "machineType": place.name}
    return Request(
        method=compute_methods.MACHINE_TYPE_ID,
        path=path_of("projects/{project}/zones/{zone}/machineTypes/{machineType}", names),
        query={"prettyPrint": "false"},
        permission=compute_methods.MACHINE_TYPE_PERMISSION,
        disabled=disabled_api(place.project),
        missing=f"{compute_methods.MACHINE_TYPE_ID}: {place.name} is not offered in {place.zone}"
        " (404)",
        names=names,
    )


def _machine_type(body: bytes) -> WireMachineType:
    return page_of(body, WireMachineType)


def disabled_api(project: str) -> str:
    """Return what is said of a project whose Compute API is switched off."""
    command = f"gcloud services enable compute.googleapis.com --project={project}"
    return f"the Compute Engine API is disabled (403); run `{command}`"


def _nothing_read(found: Collector) -> str:
    texts = []
    for project, errors in sorted(found.errors.items()):
        first, more = min(errors), len(errors) - 1
        texts.append(f"{project}: {first}" + (f" (and {more} more)" if more else ""))
    return "nothing could be read from the Compute API: " + "; ".join(texts)


def places_of(found: Collector) -> list[GroupPlace]:
    """Return the unmanaged groups that may have members; all of them are zonal."""
    return [
        GroupPlace(group.ref.self_link, group.project, group.location, group.name)
        for group in found.unmanaged_groups()
        if _may_have_members(group)
    ]


def _may_have_members(group: model.InstanceGroup) -> bool:
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
                found.member(place.link, model.SelfLink(model.canonical_link(item.instance)))
    except CutOff as exc:
        found.error(place.project, f"{compute_methods.MEMBERS_ID} of {place.name}: {exc}")
    except Refusal as exc:
        found.error(place.project, str(exc))
    return found


def _request(place: GroupPlace, token: str, page_size: int) -> Request:
    names = {"project": place.project, "zone": place.zone, "instanceGroup": place.name}
    query = {"maxResults": str(page_size), "prettyPrint": "false"}
    return Request(
        method=compute_methods.MEMBERS_ID,
        path=path_of(_PATH, names),
        query=query | ({"pageToken": token} if token else {}),
        permission=compute_methods.MEMBERS_PERMISSION,
        disabled="the Compute Engine API is disabled (403)",
        missing=f"{compute_methods.MEMBERS_ID}: no group {place.name} in {place.zone} (404)",
        body=b"{}",
        names=names,
    )


def _decoded(body: bytes) -> _Page:
    return page_of(body, _Page)
