"""The hit of the two rules on near endpoints, and how a Service comes to prefer them."""

from netplan_planner.model import Evidence, Fix, Hit, Instruction
from netplan_planner.model.project.kubernetes import Kubernetes, Service
from netplan_rules.kubernetes._cluster import kubectl
from netplan_rules.shared.near_services import NearService
from netplan_rules.shared.trust import Doubts

PREFER_CLOSE = '{"spec":{"trafficDistribution":"PreferClose"}}'
_NO_PREFERENCE = '{"spec":{"trafficDistribution":null}}'


def patch(service: Service, change: str) -> str:
    """Return the command that changes a field of a Service."""
    return kubectl(service.namespace, "patch", "service", service.name, f"--patch={change}")


def see_slices(service: Service) -> Instruction:
    """Return how to see that routing to near endpoints is on."""
    return Instruction(
        text="Its endpoint slices have zone hints, and flow logs show less traffic between zones.",
        commands=(
            kubectl(
                service.namespace,
                "get",
                "endpointslices",
                f"--selector=kubernetes.io/service-name={service.name}",
                "--output=yaml",
            ),
        ),
    )


_AMBIENT = (
    " GKE ambient networking does not support the field: it has no effect in an enrolled"
    " namespace. The input does not state enrollment (docs.cloud.google.com/kubernetes-engine,"
    " prepare ambient networking)."
)


def prefer_near(kubernetes: Kubernetes | None, service: Service, documents: tuple[str, ...]) -> Fix:
    """Return the fix that makes a Service prefer near endpoints."""
    is_told = kubernetes is not None and kubernetes.namespaces is not None
    return Fix(
        label="PreferClose",
        text=f"Set trafficDistribution: PreferClose in the Service {service.full_name} and in its"
        " source manifest.",
        commands=(patch(service, PREFER_CLOSE),),
        verify=see_slices(service),
        undo=Instruction(text="Remove the field.", commands=(patch(service, _NO_PREFERENCE),)),
        documents=documents,
        caution="Endpoints in zones with many clients get more load: scale per zone (topology"
        " spread of pods). Clients use other zones only once their zone has no ready"
        f" endpoint, not when its endpoints are overloaded.{'' if is_told else _AMBIENT}",
    )


def near_hit(one: NearService, text: str, fix: Fix) -> Hit:
    """Return the hit of a Service whose traffic could stay in its zones.

    Args:
        one: With `traffic.near`.
        text: What is at fault.
        fix: What to do.
    """
    near, service = one.traffic.near, one.traffic.service
    assert near is not None
    doubts = Doubts()
    if one.lone_zones:
        doubts.add(f"single endpoint in {', '.join(one.lone_zones)}")
    if one.traffic.unplaced_bytes:
        doubts.add("the zones of part of its traffic are unknown")
    times = f"{near.overload_ratio:.2g}"
    load = "as much as" if times == "1" else f"{times}x what"
    return Hit(
        resources=(service.ref,),
        subject=service.full_name,
        message=f"{text}; near endpoints would keep {one.saved_gib:,.0f} GiB inside, and the"
        f" fullest endpoint would carry {load} the fullest carries now",
        evidence=(
            Evidence(
                name="crossing",
                value=float(one.crossing_gib),
                unit="GiB/month",
                source="pod traffic",
            ),
            Evidence(
                name="saved",
                value=float(one.saved_gib),
                unit="GiB/month",
                source="pod traffic and endpoint slices",
            ),
            Evidence(
                name="overload",
                value=round(near.overload_ratio, 3),
                unit="times",
                source="the same",
            ),
            Evidence(name="clients", value=", ".join(one.traffic.clients[:3])),
        ),
        saving=one.saving,
        gib_per_month=one.saved_gib,
        fix=fix,
        doubts=doubts.reasons,
        change=one.change,
    )
