"""The networks of a machine's interfaces, of which Terraform often says the subnetwork alone."""

from collections.abc import Mapping

from netplan_planner.model import SelfLink, last_part
from netplan_planner.readers.links import Unusable, network_link, place_of, subnetwork_link
from netplan_planner.readers.terraform.attributes import Unknowns
from netplan_planner.readers.terraform.machines import JsonObject


def with_networks(
    raw: JsonObject, link: SelfLink, networks: Mapping[SelfLink, str], notes: Unknowns
) -> None:
    """Give the interfaces of a machine the network of their subnetwork, where none is said.

    Of a subnetwork that the document does not hold, the network has a name that says so and no
    network can have.

    Args:
        raw: The machine in the API's words; its interfaces are changed.
        link: Of the machine.
        networks: The network of each subnetwork of the document.
        notes: Takes what is not known.
    """
    try:
        project, _, zone, _ = place_of(link)
    except Unusable:
        return  # The collector says so of the machine.
    for index, nic in enumerate(raw["networkInterfaces"]):
        subnetwork = nic.get("subnetwork")
        if not isinstance(subnetwork, str):
            continue
        home = nic.get("subnetworkProject") or project
        full = subnetwork_link(subnetwork, home, zone.rpartition("-")[0])
        nic["subnetwork"] = full
        if not nic.get("network"):
            nic["network"] = networks.get(full)
        if not nic["network"]:
            reason = "not known: its subnetwork is not in the file"
            notes.asked.append((f"network_interface[{index}].network", reason))
            own = _project_in(full) or home
            nic["network"] = f"projects/{own}/global/networks/(network of {last_part(full)})"


def network_of(subnetwork: SelfLink, network: object) -> str:
    """Return the full link of the network that a subnetwork states; empty for none."""
    if not isinstance(network, str):
        return ""
    return network_link(network, _project_in(subnetwork) or "")


def _project_in(link: str) -> str | None:
    parts = link.split("/", 2)
    return parts[1] if parts[0] == "projects" and len(parts) > 2 else None
