"""Networks whose packets are greater than what their VPN tunnels carry."""

from collections.abc import Iterator

from netplan_planner import model
from netplan_planner.units import counted
from netplan_rules.base import Rule
from netplan_rules.nic._mtu import PING_HEADERS, hybrid_bytes, set_mtu, tunnels_by_network
from netplan_rules.work import NETWORK_MTU

_GATEWAY_MTU = 1460
"""Of a Cloud VPN gateway (the first reference, read 2026-11); a tunnel's payload is less by its
headers."""
_PAYLOAD_MTU = 1406
"""The greatest of the documented payloads: AEAD ciphers between IPv4 gateways."""

RULE = Rule(
    id="tunnel-or-overlay-mtu",
    title="Packets of a network are greater than its VPN tunnels carry",
    severity=model.Severity.HIGH,
    needs=frozenset({model.Need.INVENTORY}),
    rationale="A Cloud VPN gateway takes packets of 1460 bytes, headers of the tunnel included."
    " TCP is held to that by the gateway; UDP and other packets above it are dropped, or answered"
    " by an ICMP message that a firewall rule has to let in.",
    remediation="Keep the network at 1460 bytes, or let what is sent to the tunnel be no greater"
    " than its payload.",
    guards="Networks of at most 1460 bytes keep the rule silent, and with flow logs those that"
    " exchange nothing with networks that are not Google's. A tunnel of which the input does not"
    " tell the network is listed as not judged. Without flow logs the confidence is lower.",
    references=(
        "https://docs.cloud.google.com/network-connectivity/docs/vpn/concepts/mtu-considerations",
        "https://cloud.google.com/vpc/docs/mtu",
    ),
    work=NETWORK_MTU,
    group_message="{count} networks send packets that are greater than what their VPN tunnels"
    " carry",
)

_NAMED = 3
"""Tunnels that a sentence names; the rest is counted."""


@RULE
def check(facts: model.Facts) -> Iterator[model.Hit | model.Gap]:
    """Yield each network with tunnels whose MTU is above the gateway's."""
    by_network, lost = tunnels_by_network(facts)
    for tunnel in lost:
        reason = "the input tells neither its router nor a route into it, so not its network"
        yield model.Gap(resource=tunnel.ref, reason=reason)
    for link, tunnels in sorted(by_network.items()):
        network = facts.inventory.network_by_link.get(link)
        if network is None:
            yield model.Gap(resource=tunnels[0].ref, reason="its network was not read")
        elif network.mtu_bytes is None:
            yield model.Gap(resource=network.ref, reason="its MTU is known once it is made")
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
        f" packets of at most {_GATEWAY_MTU} B, their own headers included",
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
            text=f"Set the MTU of {network.name} to {_GATEWAY_MTU} and restart its machines. Where"
            " great packets are needed inside, keep it, let ICMP in, and hold what is sent to the"
            f" tunnel to its payload (at most {_PAYLOAD_MTU} B, by cipher).",
            commands=(set_mtu(network, _GATEWAY_MTU),),
            verify="A ping with the don't-fragment bit of"
            f" {_PAYLOAD_MTU - PING_HEADERS} bytes, or less by the cipher, crosses the tunnel,"
            " and a greater one is answered by the needed size.",
            undo=model.Instruction(
                text="Set the old MTU again, then restart the machines.",
                commands=(set_mtu(network, mtu),),
            ),
            caution=f"Stop all machines of {network.name} first and start them after the change:"
            " each keeps its MTU until it restarts. Peered networks have to follow.",
        ),
        # TCP, most of all traffic, is held to the size by the gateway.
        severity=model.Severity.MEDIUM,
        doubts=("whether traffic takes the tunnels is not known",) if seen is None else (),
    )
