"""A machine of the input by the name that a user gives."""

from netplan_planner.errors import UsageError, nearest_names
from netplan_planner.model import Facts, Instance, Inventory
from netplan_planner.world.demos import load_demo
from netplan_planner.world.reading import Say, read_facts
from netplan_planner.world.request import InputRequest

_LISTED = 5


def find_machine(
    request: InputRequest, name: str, say: Say = lambda _: None
) -> tuple[Facts, Instance]:
    """Return the facts of a request and the one machine of that name.

    Raises:
        UsageError: If no machine has the name, or several have.
    """
    demo = load_demo(request.demo) if request.demo is not None else None
    facts = read_facts(request, demo, say)
    return facts, machine_of(facts.inventory, name)


def machine_of(inventory: Inventory, name: str) -> Instance:
    """Return the machine of a name, `project/zone/name` or the end of a self link.

    Raises:
        UsageError: If there is none, or more than one.
    """
    wanted = name.strip("/")
    found = [i for i in inventory.instances if _is_named(i, wanted)]
    if len(found) == 1:
        return found[0]
    if found:
        links = ", ".join(f"{i.project}/{i.zone}/{i.name}" for i in found[:_LISTED])
        raise UsageError(f"{len(found)} machines are named {name!r}: {links}. Name one of them.")
    near = nearest_names(wanted, (i.name for i in inventory.instances))
    hint = f"; near: {', '.join(near)}" if near else ""
    raise UsageError(f"no machine of the input is named {name!r}{hint}")


def _is_named(instance: Instance, wanted: str) -> bool:
    full = f"{instance.project}/{instance.zone}/{instance.name}"
    return wanted in {instance.name, full} or instance.ref.self_link.endswith("/" + wanted)
