"""What it takes to follow a rule's advice, said alike by all rules whose fixes are of one kind.

The kinds are those of the fixes' own steps (`steps`, `removal`): a finding's commands say it for
its place, the texts here for the rule's page.
"""

from netplan_planner.model import Work

_AT_ONCE = "None: what runs goes on meanwhile."

MACHINE_TYPE = Work(
    effort="A stop, a command and a start for each machine; a new machine where the type is of"
    " another CPU architecture, takes other disks or has Tier_1.",
    restart="The machine is stopped and started.",
    undo="Give it the old type back, with one more stop; a new machine is undone by starting the"
    " old one again.",
    window="As long as the machine and its services take to stop and to start; managed groups"
    " replace theirs one by one.",
)
"""Another machine type."""

NEW_MACHINE = Work(
    effort="A new machine from an image of the old one, and a switch-over of who uses it.",
    restart="The old machine is stopped once the new one runs.",
    undo="Keep the old machine stopped until the new one is proven; start it again.",
    window="As long as the switch-over takes: what the old machine writes meanwhile is not in the"
    " image.",
)
"""What is set when a machine is made: interface, tier, zone, placement."""

NETWORK_MTU = Work(
    effort="One command for the network, and a stop and start of all of its machines.",
    restart="All machines of the network that changes.",
    undo="Set the old MTU again, then restart the machines.",
    window="One in which all machines of the network may stand still together.",
)
"""Another MTU of a network."""

GUEST = Work(
    effort="One setting in the operating system of each machine, or one restart that takes it from"
    " the network.",
    restart="Nothing where the setting is made by hand; else the machine.",
    undo="Set the old value again.",
    window="None: connections that are open keep their packet size until they are opened again.",
)
"""What the operating system of a machine sets for itself."""

ADDRESS = Work(
    effort="One name or address in the configuration of the side that opens the connection.",
    restart="No machine; the application, where it reads its configuration at its start only.",
    undo="Put the old address back into the configuration. A reserved address that was released"
    " meanwhile cannot be had back.",
    window="None beyond the reload of the application.",
)
"""Another address for the same peer."""

APPLICATION = Work(
    effort="An option of the tool or application that transfers.",
    restart="No machine; the application, where it reads its options at its start only.",
    undo="Set the option back.",
    window="None beyond the restart of the transfer.",
)
"""What the application does with its connections."""

RELEASE = Work(
    effort="One or two commands for each address, after a look at what else may need it.",
    restart="Nothing.",
    undo="An address that was released goes to somebody else: there is no way back to the same one."
    " A machine can be given another one at any time.",
    window="None where nothing uses the address, which is to be made sure of first.",
)
"""An external address given up."""

LOGGING = Work(
    effort="One command for each subnetwork or configuration.",
    restart="Nothing.",
    undo="Set the old sampling, interval and metadata again, or switch the logs off or on again.",
    window=_AT_ONCE,
)
"""Settings of flow logs."""

POD_TEMPLATE = Work(
    effort="One change of the workload's manifest.",
    restart="Its pods, one after another as the workload rolls them; no machine.",
    undo="Apply the old manifest again; the pods roll once more.",
    window="As long as the pods take to roll; of a database, each member must have caught up before"
    " the next one goes.",
)
"""What a workload says of its pods."""

NETWORK_PLUGIN = Work(
    effort="One change of the plugin's settings, then its pods on every node.",
    restart="The plugin's pods on all nodes, and pods that keep the old packet size or route.",
    undo="Set the old value again, with the same restarts.",
    window="One in which connections between pods may break: nodes that have changed and nodes that"
    " have not may not reach each other meanwhile.",
)
"""How a cluster's network plugin sends."""

SERVICE = Work(
    effort="One field of the Service.",
    restart="Nothing: new connections follow it.",
    undo="Take the field away again.",
    window=_AT_ONCE,
)
"""Which endpoints a Service prefers."""

NODE_POOL = Work(
    effort="A new node pool, and the pods moved there node by node.",
    restart="All pods of the pool, as its machines are drained.",
    undo="Keep the old pool until the new one is proven; move the pods back.",
    window="As long as draining takes; disruption budgets set the pace.",
)
"""What is set when a node pool is made."""

DATABASE_PLACES = Work(
    effort="A plan of the database's own: new members elsewhere, then the old ones given up.",
    restart="Members of the database, one at a time; no machine of others.",
    undo="Bring a member back to where it was, and let it catch up.",
    window="One with little writing: members that catch up take bandwidth.",
)
"""Where the members of a database are."""

NOTHING_TO_DO = Work(
    effort="None: the finding says what it costs, and advises nothing.",
    restart="Nothing.",
    undo="Nothing to undo: nothing in the cloud changes.",
    window=_AT_ONCE,
)
"""What is only told."""

READ_AGAIN = Work(
    effort="The same audit with more or newer input.",
    restart="Nothing.",
    undo="Nothing to undo: nothing in the cloud changes.",
    window=_AT_ONCE,
)
"""Input that is missing or old."""

MEASURE_AGAIN = Work(
    effort="A measurement of a few minutes between the two machines.",
    restart="Nothing.",
    undo="Nothing to undo: nothing in the cloud changes.",
    window="A quiet one: a measurement takes the bandwidth that others could use.",
)
"""Measurements."""

GATEWAY = Work(
    effort="One or two commands for each gateway, after a look at who uses it.",
    restart="Nothing; connections that are open over the gateway break.",
    undo="Make the gateway again as it was described before; addresses that Google picked are"
    " others then.",
    window="None where nobody uses it, else a quiet one: open connections have to be made again.",
)
"""A gateway changed or taken away."""

BACKEND_SERVICE = Work(
    effort="One command for each backend service, after a look at how many back ends a zone has.",
    restart="Nothing: new connections follow it.",
    undo="Set the old value again.",
    window=_AT_ONCE,
)
"""Where a load balancer sends new connections."""

ROUTES = Work(
    effort="A machine or gateway in each place, and a route for each; firewall rules as those of"
    " the old one.",
    restart="No machine; connections that are open over the old way break.",
    undo="Delete the new routes: the old one, kept until then, takes over again.",
    window="A quiet one: open connections have to be made again.",
)
"""Another next hop."""
