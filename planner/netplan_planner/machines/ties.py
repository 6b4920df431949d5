"""What a machine holds that another type has to take over."""

from netplan_planner.model import Instance, Inventory, MachineShape, Ties


def ties_of(inventory: Inventory, instance: Instance, shape: MachineShape) -> Ties:
    """Return what ties a machine to some types, as far as the inventory says it.

    Args:
        inventory: Where its disks and policies stand, if they were read.
        instance: The machine.
        shape: What its type has.
    """
    types = inventory.disk_types_by_user.get(instance.ref.self_link)
    return Ties(
        series=instance.series,
        disk_types=tuple(sorted(types)) if types else None,
        is_compact=_is_compact(inventory, instance),
        reservation=instance.reservation,
        is_sole_tenant=instance.is_sole_tenant,
        machine_type=instance.machine_type
        if instance.reservation or instance.is_sole_tenant
        else "",
        gpu_type=instance.gpu_type,
        attached_gpu_count=instance.gpu_count,
        built_in_gpu_count=shape.gpu_count,
        local_ssd_count=instance.local_ssd_count,
        built_in_local_ssd_gib=shape.bundled_local_ssd_gib,
    )


def _is_compact(inventory: Inventory, instance: Instance) -> bool | None:
    """Return whether a machine stands in a compact placement; None: a policy was not read."""
    policies = [inventory.policy_by_link.get(link) for link in instance.resource_policies]
    if any(policy is not None and policy.is_compact for policy in policies):
        return True
    return None if None in policies else False
