"""What it takes to follow a rule's advice, said alike by all rules whose fixes are of one kind.

The kinds are those of the fixes' own steps (`steps`, `removal`): a finding's commands say it for
its place, the texts here for the rule's page.
"""

from netplan_planner.model import Work

_AT_ONCE = "None: everything keeps running."

MACHINE_TYPE = Work(
    effort="Stop, change and start each VM. Create a new VM for another CPU architecture, other"
    " disks or Tier_1.",
    restart="The VM is stopped and started.",
    undo="Change back to the old type, with one more stop. If you created a new VM, start the old"
    " one again.",
    window="The time that the VM and its services need to stop and start. Managed instance groups"
    " replace their VMs one by one.",
)
"""Another machine type."""

NEW_MACHINE = Work(
    effort="Create a new VM from an image of the old one, then move its clients over.",
    restart="The old VM is stopped once the new one runs.",
    undo="Keep the old VM stopped until the new one is proven. To undo, start it again.",
    window="The time of the switch-over. The image does not include what the old VM writes"
    " meanwhile.",
)
"""What is set when a machine is made: interface, tier, zone, placement."""

NETWORK_MTU = Work(
    effort="One command for the network, then stop and start all its VMs.",
    restart="All VMs of the changed network.",
    undo="Set the old MTU again, then restart the VMs.",
    window="A time when all VMs of the network can be down together.",
)
"""Another MTU of a network."""

GUEST = Work(
    effort="One setting in the operating system of each VM, or one restart that takes it from the"
    " network.",
    restart="Nothing if you change the setting by hand, otherwise the VM.",
    undo="Set the old value again.",
    window="None: open connections keep their packet size until they are reopened.",
)
"""What the operating system of a machine sets for itself."""

ADDRESS = Work(
    effort="Change one name or address in the configuration of the side that opens the connection.",
    restart="No VM. The application restarts if it reads its configuration only at start.",
    undo="Put the old address back into the configuration. You cannot get back a reserved address"
    " that was released.",
    window="None, except for the reload of the application.",
)
"""Another address for the same peer."""

APPLICATION = Work(
    effort="One option of the transfer tool or application.",
    restart="No VM. The application restarts if it reads its options only at start.",
    undo="Set the option back.",
    window="None, except for the restart of the transfer.",
)
"""What the application does with its connections."""

RELEASE = Work(
    effort="One or two commands per address, after checking what else needs it.",
    restart="Nothing.",
    undo="You cannot get a released address back. You can give the VM another one at any time.",
    window="None if nothing uses the address. Check that first.",
)
"""An external address given up."""

LOGGING = Work(
    effort="One command per subnetwork or configuration.",
    restart="Nothing.",
    undo="Set the old sampling, interval and metadata again, or switch the logs back off or on.",
    window=_AT_ONCE,
)
"""Settings of flow logs."""

POD_TEMPLATE = Work(
    effort="One change in the workload's manifest.",
    restart="The pods, in a rolling update; no VM.",
    undo="Apply the old manifest again. The pods roll once more.",
    window="The time of the rolling update. Each database member must catch up before the next one"
    " restarts.",
)
"""What a workload says of its pods."""

NETWORK_PLUGIN = Work(
    effort="Change one setting of the plugin, then restart its pods on every node.",
    restart="The plugin's pods on all nodes, and pods that keep the old packet size or route.",
    undo="Set the old value again, with the same restarts.",
    window="A time when pod connections may break: changed and unchanged nodes may not reach each"
    " other meanwhile.",
)
"""How a cluster's network plugin sends."""

SERVICE = Work(
    effort="One field of the Service.",
    restart="Nothing: new connections follow it.",
    undo="Remove the field.",
    window=_AT_ONCE,
)
"""Which endpoints a Service prefers."""

NODE_POOL = Work(
    effort="Create a new node pool, then move the pods node by node.",
    restart="All pods of the pool, as its nodes are drained.",
    undo="Keep the old pool until the new one is proven. To undo, move the pods back.",
    window="The time to drain the nodes. Disruption budgets set the pace.",
)
"""What is set when a node pool is made."""

DATABASE_PLACES = Work(
    effort="A migration plan for the database: add members elsewhere, then remove the old ones.",
    restart="Members of the database, one at a time; no other VM.",
    undo="Move a member back to its old place and let it catch up.",
    window="A time with few writes: members use bandwidth while they catch up.",
)
"""Where the members of a database are."""

NOTHING_TO_DO = Work(
    effort="None: the finding shows a cost and recommends no change.",
    restart="Nothing.",
    undo="Nothing to undo: the cloud does not change.",
    window=_AT_ONCE,
)
"""What is only told."""

READ_AGAIN = Work(
    effort="Repeat the audit with more or newer input.",
    restart="Nothing.",
    undo="Nothing to undo: the cloud does not change.",
    window=_AT_ONCE,
)
"""Input that is missing or old."""

MEASURE_AGAIN = Work(
    effort="A measurement of a few minutes between the two VMs.",
    restart="Nothing.",
    undo="Nothing to undo: the cloud does not change.",
    window="A quiet time: a measurement uses bandwidth that others need.",
)
"""Measurements."""

GATEWAY = Work(
    effort="One or two commands per gateway, after checking who uses it.",
    restart="Nothing, but open connections through the gateway break.",
    undo="Create the gateway again with its old configuration. Addresses that Google assigned"
    " change.",
    window="None if the gateway is unused. Otherwise a quiet time: open connections break.",
)
"""A gateway changed or taken away."""

BACKEND_SERVICE = Work(
    effort="One command per backend service, after checking how many backends each zone has.",
    restart="Nothing: new connections follow it.",
    undo="Set the old value again.",
    window=_AT_ONCE,
)
"""Where a load balancer sends new connections."""

ROUTES = Work(
    effort="Create a VM or gateway in each place and a route to it, with the same firewall rules as"
    " the old one.",
    restart="No VM, but open connections over the old path break.",
    undo="Delete the new routes. The old route, kept until then, takes over.",
    window="A quiet time: open connections break.",
)
"""Another next hop."""
