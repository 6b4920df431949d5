"""Which evidence a set of facts has; a rule that lacks some is *not evaluated*."""

from netplan_planner.model import Facts, Need


def lacking(need: Need, facts: Facts) -> str | None:
    """Return why the facts cannot answer a rule with this need, or None when they can."""
    inventory = facts.inventory
    match need:
        case Need.INVENTORY:
            return None if inventory.instances else "no machines were read"
        case Need.TRAFFIC:
            return None if facts.traffic is not None else "no traffic was given (--traffic)"
        case Need.FLOW_RECORDS:
            if facts.traffic is None:
                return "no traffic was given (--traffic)"
            return "the traffic has steady rates only" if facts.traffic.is_steady else None
        case Need.TARGETS:
            # A label that cannot be read is a gap of the rule, not a lack of targets.
            has_target = bool(facts.targets) or any(
                facts.target(instance) is not None or facts.why_no_target(instance)
                for instance in inventory.instances
            )
            return None if has_target else "no target bandwidth is declared (label or file)"
        case Need.EXTERNAL_ADDRESSES:
            has_address = any(address.is_external for address in inventory.addresses)
            return None if has_address else "no reserved external addresses were read"
        case Need.SEVERAL_NETWORKS:
            return None if len(inventory.networks) > 1 else "fewer than two networks were read"
        case Need.MEASUREMENTS:
            if facts.measurements is None:
                return "no measurements were given (--measurements FILE)"
            return None if facts.measurements else "the stores hold no measurement"
        case Need.PRICES:
            return None
