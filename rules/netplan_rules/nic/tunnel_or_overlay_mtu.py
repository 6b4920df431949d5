"""Networks whose packets are greater than what their VPN tunnels carry."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.units import counted
from netplan_rules.base import rule_of
from netplan_rules.nic._mtu import PING_HEADERS, hybrid_bytes, set_mtu, tunnels_by_network
from netplan_rules.work import NETWORK_MTU

_GATEWAY_MTU = 1460
"""Of a Cloud VPN gateway (the first reference, read 2026-11); a tunnel's payload is less by its
headers."""
_PAYLOAD_MTU = 1406
"""The greatest of the documented payloads: AEAD ciphers between IPv4 gateways."""

RULE = rule_of(
    __name__,
    severity=model.Severity.HIGH,
    needs=frozenset({model.Need.INVENTORY}),
    work=NETWORK_MTU,
)

_NAMED = 3
"""Tunnels that a sentence names; the rest is counted."""


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each network with tunnels whose MTU is above the gateway's."""
    by_network, lost = tunnels_by_network(facts)
    for tunnel in lost:
        reason = "the input states no router of it and no route into it, so its network is unknown"
        yield model.Gap(resource=tunnel.ref, reason=reason)
    for link, tunnels in sorted(by_network.items()):
        network = facts.inventory.network_by_link.get(link)
        if network is None:
            yield model.Gap(resource=tunnels[0].ref, reason="its network is not in the inventory")
        elif network.mtu_bytes is None:
            yield model.Gap(resource=network.ref, reason="its MTU is unknown until it is created")
        elif network.mtu_bytes > _GATEWAY_MTU:
            seen = hybrid_bytes(facts, link)
            if seen != 0:
                yield _hit(network, network.mtu_bytes, tunnels, seen)


def _hit(
    network: model.Network, mtu: int, tunnels: tuple[model.VpnTunnel, ...], seen: int | None
) -> model.Hit:
    names = ", ".join(tunnel.name for tunnel in tunnels[:_NAMED])
    more = f" and {len(tunnels) - _NAMED} more" if len(tunnels) > _NAMED else ""
    return model.Hit(
        resources=(network.ref, *(tunnel.ref for tunnel in tunnels)),
        subject=f"{network.name} ({counted(len(tunnels), 'tunnel')})",
        message=f"{network.name} has an MTU of {mtu} B; its VPN tunnels ({names}{more}) carry"
        f" packets of at most {_GATEWAY_MTU} B, including their headers",
        evidence=(
            model.Evidence(name="mtu", value=mtu, unit="bytes", source="inventory"),
            model.Evidence(
                name="gateway_mtu", value=_GATEWAY_MTU, unit="bytes", source=RULE.references[0]
            ),
            *(
                (model.Evidence(name="traffic", value=seen, unit="bytes", source="flow logs"),)
                if seen is not None
                else ()
            ),
        ),
        fix=RULE.fix(
            label=f"MTU {_GATEWAY_MTU}",
            text=f"Set the MTU of {network.name} to {_GATEWAY_MTU} and restart its VMs. If you"
            " need large packets inside, keep the MTU and allow ICMP. Then limit packets to"
            f" the tunnel to its payload (at most {_PAYLOAD_MTU} B, depending on the cipher).",
            commands=(set_mtu(network, _GATEWAY_MTU),),
            verify=f"A ping of {_PAYLOAD_MTU - PING_HEADERS} bytes (or less, depending on the"
            " cipher) with the don't-fragment bit passes the tunnel. A larger one gets an"
            " ICMP answer with the required size.",
            undo=model.Instruction(
                text="Set the old MTU again, then restart the VMs.",
                commands=(set_mtu(network, mtu),),
            ),
            caution=f"Stop all VMs of {network.name} first and start them after the change: each"
            " keeps its MTU until it restarts. Also change peered networks.",
        ),
        # TCP, most of all traffic, is held to the size by the gateway.
        severity=model.Severity.MEDIUM,
        doubts=("it is unknown whether traffic uses the tunnels",) if seen is None else (),
    )
