"""Changes made to a copy of the facts, in one order whatever the order in which they are said."""

from collections.abc import Sequence

from netplan_planner.machines.known import Known
from netplan_planner.model import Facts
from netplan_planner.verbs.whatif.addresses import give_mtu, give_plugin, give_tier, use_address
from netplan_planner.verbs.whatif.answer import WhatifChange, WhatifField
from netplan_planner.verbs.whatif.growth import grow
from netplan_planner.verbs.whatif.machines import (
    check_machines,
    give_nic,
    give_tier1,
    give_type,
    put_in_zone,
)
from netplan_planner.verbs.whatif.scenario import Aimed, Draft, Scenario, aimed, unchanged


def apply(facts: Facts, changes: Sequence[WhatifChange], known: Known) -> Scenario:
    """Return the facts after changes.

    Args:
        facts: As they are; they stay so.
        changes: In any order.
        known: Zones and types that there are.

    Raises:
        NetplanError: If a change names what is not there, cannot be, or contradicts another.
    """
    return apply_aimed(facts, aimed(facts.inventory, changes), known)


def apply_aimed(facts: Facts, aims: Sequence[Aimed], known: Known) -> Scenario:
    """Return the facts after changes whose machines have been found.

    Raises:
        NetplanError: If a change cannot be.
    """
    if not aims:
        return unchanged(facts)
    draft = Draft(facts)
    mtu_by_network: dict[str, WhatifChange] = {}
    for aim in aims:
        match aim.change.field:
            case WhatifField.GROWTH:
                grow(draft, aim)
            case WhatifField.ZONE:
                put_in_zone(draft, aim, known)
            case WhatifField.MACHINE_TYPE:
                give_type(draft, aim, known)
            case WhatifField.NIC:
                give_nic(draft, aim)
            case WhatifField.TIER_1:
                give_tier1(draft, aim)
            case WhatifField.ADDRESS:
                use_address(draft, aim)
            case WhatifField.NETWORK_TIER:
                give_tier(draft, aim)
            case WhatifField.MTU:
                give_mtu(draft, aim, mtu_by_network)
            case WhatifField.PLUGIN:
                give_plugin(draft, aim)
    check_machines(draft, aims)
    return draft.scenario()
