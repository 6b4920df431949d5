"""What is to be placed, whatever input it is from."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from netplan_planner import model

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


class AskedMachine(NamedTuple):
    """One machine."""

    name: str
    zone: str
    vcpus: float | None
    """None: not known."""
    group: str = ""
    """Whose members stand apart; empty: none."""
    pinned: str = ""
    """Why it stays where it is; empty: it may move."""
    offered: frozenset[str] | None = None
    """Zones with its machine type; None: nothing says."""
    machine_type: str = ""
    """That is billed with the traffic; empty: it is not."""
    breaks: tuple[str, ...] = ()
    """What else refers to the machine where it stands."""
    instance: model.Instance | None = None
    """Of the inventory; None: it is a row of a table, or no machine of ours."""
    is_foreign: bool = False
    """It stands for machines of others in a zone, which own ones send to; nobody moves these."""

    @property
    def as_instance(self) -> model.Instance:
        """The machine as commands name it; of a table no more is known than name and zone."""
        if self.instance is not None:
            return self.instance
        zone = model.Zone(self.zone)
        return model.Instance(
            ref=model.ResourceRef(self_link=model.SelfLink(f"zones/{zone}/instances/{self.name}")),
            project=model.ProjectId(""),
            zone=zone,
            name=self.name,
            machine_type=self.machine_type,
            status=model.UNKNOWN_STATUS,
        )


class Kind(NamedTuple):
    """One sort of traffic between machines."""

    path_class: model.PathClass
    """Inside a zone."""
    is_ipv6: bool = False
    hub: str = ""
    """Of Network Connectivity Center, that it passes."""


class AskedEdges(NamedTuple):
    """Traffic, an entry a sender, receiver and sort; machines and sorts by index."""

    src: Indices
    dst: Indices
    kind: Indices
    gib_per_month: Floats


class AskedLimit(NamedTuple):
    """A round trip that two machines must not exceed."""

    one: int
    other: int
    most_ms: float


class Asked(NamedTuple):
    """All of it."""

    title: str
    machines: tuple[AskedMachine, ...]
    """By name."""
    kinds: tuple[Kind, ...]
    edges: AskedEdges
    limits: tuple[AskedLimit, ...]
    zones: tuple[str, ...]
    """Where machines may stand, sorted."""
    capacity: Floats
    """vCPUs of each; infinite where nothing says."""
    least_zones: dict[str, int]
    """Of groups that need not stand in as many zones as there are."""
    assumptions: tuple[str, ...]
    incomplete: tuple[str, ...] = ()

    @property
    def own(self) -> list[AskedMachine]:
        """The machines that are placed; those of others stand behind them."""
        return [one for one in self.machines if not one.is_foreign]
