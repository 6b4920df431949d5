"""GKE clusters of Terraform's files, and their node pools: resources of their own, or blocks.

A cluster's `node_pool` also lists, in states and in plans for what is there already, the pools
that have resources of their own, and those that a plan destroys: what the resources say counts.
Where no pool is stated GKE makes one of the cluster's own settings, whose name it chooses.
"""

from collections.abc import Callable

from msgspec.structs import replace

from netplan_planner.model import UNKNOWN_PROJECT, SelfLink, last_part
from netplan_planner.model.gke import NodePool
from netplan_planner.readers.kubernetes.gke import CLUSTERS, KINDS, POOLS, cluster_link
from netplan_planner.readers.links import Unusable
from netplan_planner.readers.terraform import gke
from netplan_planner.readers.terraform.attributes import Attributes, Unknowns
from netplan_planner.readers.terraform.context import Context
from netplan_planner.readers.terraform.layout import Entry
from netplan_planner.readers.terraform.machines import JsonObject
from netplan_planner.readers.terraform.places import where_of
from netplan_planner.readers.terraform.types import NODE_POOL, TYPES, Type

_CLUSTER = TYPES["google_container_cluster"]
_POOL = Type(POOLS, _CLUSTER.scope, KINDS[POOLS])

DEFAULT_POOL = "(default pool)"
"""Stands for the name that GKE chooses; no pool's name has parentheses."""


class Clusters:
    """The clusters of a document; its node pools are to be taken before them."""

    def __init__(self, context: Context, destroyed: tuple[Entry, ...]) -> None:
        self._context = context
        self._apart: set[SelfLink] = set()
        for entry in destroyed:
            if entry.type == NODE_POOL:
                held = context.attributes(entry, Unknowns())
                try:
                    self._apart.add(self._link_of_pool(entry, held))
                except Unusable:
                    continue

    def take_pool(self, entry: Entry) -> None:
        """Take a node pool that is a resource of its own."""
        notes = Unknowns()
        held = self._context.attributes(entry, notes)
        try:
            link = self._link_of_pool(entry, held)
        except Unusable as exc:
            self._context.note(entry, str(exc))
            return
        self._apart.add(link)
        self._add(entry, link, held, gke.node_pool(held))
        self._context.note_unknown(entry, link, notes)

    def _link_of_pool(self, entry: Entry, held: Attributes) -> SelfLink:
        made = held.text("id")
        if made is not None and f"/{POOLS}/" in made:
            return cluster_link(made)
        name = held.text("name") or f"({entry.address.replace('/', '%2F')})"
        return SelfLink(f"{self._cluster_of(entry, held)}/{POOLS}/{name}")

    def _cluster_of(self, entry: Entry, held: Attributes) -> SelfLink:
        """Return the cluster of a pool, which states its name or its link.

        What the configuration refers to comes first: a name alone lacks the project.
        """
        stated = held.link("cluster")
        if not stated:
            raise Unusable("the cluster that it belongs to is not known")
        for link in held.referred("cluster"):
            if last_part(link) == last_part(stated):
                return SelfLink(link)
        if "/" in stated:
            return cluster_link(stated)
        configuration = self._context.configuration
        project = held.text("project") or configuration.provider_default(entry, "project")
        where = last_part(where_of(entry, _CLUSTER, configuration))
        return SelfLink(
            f"projects/{project or UNKNOWN_PROJECT}/locations/{where}/{CLUSTERS}/{stated}"
        )

    def take(self, entry: Entry, link: SelfLink) -> None:
        """Take a cluster, and the node pools that it states itself."""
        notes = Unknowns()
        held = self._context.attributes(entry, notes)
        raw = gke.cluster(held, link.split("/")[3])
        self._context.add(entry, _CLUSTER, link, raw)
        for number, block in enumerate(held.blocks("node_pool"), 1):
            pool = SelfLink(f"{link}/{POOLS}/{block.text('name') or f'(node pool {number})'}")
            if pool not in self._apart:
                self._add(entry, pool, block, gke.node_pool(block))
        default = gke.default_pool(held)
        if default is not None:
            self._add(entry, SelfLink(f"{link}/{POOLS}/{DEFAULT_POOL}"), held, default)
        self._context.note_unknown(entry, link, notes)

    def _add(self, entry: Entry, link: SelfLink, held: Attributes, raw: JsonObject) -> None:
        self._context.add(entry, _POOL, link, raw, _with_unknowns(held))


def _with_unknowns(held: Attributes) -> Callable[[NodePool], NodePool] | None:
    """Return what takes from a pool what is not known: the API leaves out what is off."""
    is_spot_known, is_tier_known = not gke.is_spot_unknown(held), not gke.is_tier_unknown(held)
    if is_spot_known and is_tier_known:
        return None
    return lambda pool: replace(
        pool,
        is_spot=pool.is_spot if is_spot_known else None,
        bandwidth_tier=pool.bandwidth_tier if is_tier_known else None,
    )
