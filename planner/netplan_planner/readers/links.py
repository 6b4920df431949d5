"""Links between resources, spelled alike whatever the source wrote.

Answers repeat the same few networks, zones and types a hundred thousand times: each spelling is
worked out once and the same string is shared. The caches are bounded.
"""

import sys
from functools import lru_cache

from netplan_planner.model import ProjectId, Region, SelfLink, Zone, canonical_link, region_of

CACHED_LINKS = 65_536
"""How many distinct links are remembered; a project has fewer networks and subnetworks."""

_RELATIVE = ("global/", "regions/", "zones/")


class Unusable(Exception):
    """A resource lacks what it cannot be described without; the text says what."""


Problems = list[tuple[str, str]]
"""Fields of the resource in hand that could not be read, and why."""


def needed(value: str | None, field: str) -> str:
    """Return a field that a resource cannot do without.

    Raises:
        Unusable: If it is missing or empty.
    """
    if not value:
        raise Unusable(f"no {field}")
    return value


@lru_cache(CACHED_LINKS)
def resolve(link: str, project: str) -> SelfLink:
    """Return a link of a resource of `project` in its one spelling, relative forms completed.

    >>> resolve("https://compute.googleapis.com/compute/beta/projects/p/global/networks/n", "q")
    'projects/p/global/networks/n'
    >>> resolve("regions/r/subnetworks/s", "q")
    'projects/q/regions/r/subnetworks/s'
    """
    found = canonical_link(link)
    if found.startswith(_RELATIVE):
        return SelfLink(f"projects/{project}/{found}")
    return found


def resolve_optional(link: str | None, project: str) -> SelfLink | None:
    """Return `resolve(link)`, or None for no link."""
    return resolve(link, project) if link else None


@lru_cache(CACHED_LINKS)
def network_link(link: str, project: str) -> SelfLink:
    """Return the link of a network; a bare name is one of the resource's own project.

    >>> network_link("default", "p")
    'projects/p/global/networks/default'
    """
    bare = "/" not in link
    return (
        SelfLink(f"projects/{project}/global/networks/{link}") if bare else resolve(link, project)
    )


@lru_cache(CACHED_LINKS)
def subnetwork_link(link: str, project: str, region: str) -> SelfLink:
    """Return the link of a subnetwork; a bare name is one of the own project and region."""
    if "/" in link:
        return resolve(link, project)
    return SelfLink(f"projects/{project}/regions/{region}/subnetworks/{link}")


@lru_cache(CACHED_LINKS)
def bare_name(link: str) -> str:
    """Return what stands after the last slash, the same string for the same link."""
    return sys.intern(link.rpartition("/")[2])


@lru_cache(CACHED_LINKS)
def canonical_head(head: str) -> str:
    """Return the canonical form of a self link less its last part, with the slash at its end.

    >>> canonical_head("https://www.googleapis.com/compute/v1/projects/p/global/networks")
    'projects/p/global/networks/'
    """
    return f"{canonical_link(head)}/"


@lru_cache(CACHED_LINKS)
def zone_of_head(head: str) -> tuple[ProjectId, Zone | None, Region | None]:
    """Return project, zone and region of a canonical link less its last part.

    >>> zone_of_head("projects/p/zones/us-east1-b/instances")
    ('p', 'us-east1-b', 'us-east1')

    Raises:
        Unusable: If it is no place in a project.
    """
    project, scope, name, _ = place_of(f"{head}/name")
    return (project, Zone(name), region_of(name)) if scope == "zones" else (project, None, None)


def place_of(link: str) -> tuple[ProjectId, str, str, str]:
    """Return project, scope kind, scope name and resource name of a canonical link.

    >>> place_of("projects/p/zones/us-east1-b/instances/i")
    ('p', 'zones', 'us-east1-b', 'i')
    >>> place_of("projects/p/global/networks/n")
    ('p', 'global', '', 'n')

    Raises:
        Unusable: If it is no link of a resource in a project.
    """
    parts = link.split("/")
    if parts[0] == "projects" and parts[-1]:
        if len(parts) == 6:
            return ProjectId(sys.intern(parts[1])), parts[2], sys.intern(parts[3]), parts[5]
        if len(parts) == 5 and parts[2] == "global":
            return ProjectId(sys.intern(parts[1])), "global", "", parts[4]
    raise Unusable("its self link has no project, location and name")


def region_at(link: str, stated: str | None) -> Region | None:
    """Return the region in a resource's own link, else the stated one; None when it is global."""
    _, scope, name, _ = place_of(link)
    if scope == "regions":
        return Region(name)
    return Region(bare_name(stated)) if stated else None
