"""The recommendations and jobs that a demo's story asks for."""

from datetime import date

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.optimise.job.plan import plan_job
from netplan_planner.optimise.vm_today import baseline_of, with_baseline
from netplan_planner.planning.path_question import PathQuestion
from netplan_planner.planning.predict_path import predict_described, with_service
from netplan_planner.throughput.limits.named import ethernet_payload_ratio
from netplan_planner.throughput.limits.pods.tables import NONE, encapsulation_of
from netplan_planner.throughput.services import known_service
from netplan_planner.verbs.audit.answer import OnLink, PluginChange, PluginChanges
from netplan_planner.world.demos import Demo, DemoNeed, DemoPlugin, DemoPlugins
from netplan_planner.world.reading import machine_of


def demo_answers(
    facts: model.Facts, demo: Demo | None
) -> tuple[tuple[model.MachinePlan, ...], tuple[model.JobPlan, ...]]:
    """Return what the story of a demo asks for; nothing without a demo."""
    if demo is None:
        return (), ()
    plans = tuple(plan for asked in demo.needs for plan in (_plan(facts, asked),) if plan)
    return plans, tuple(plan_job(one, facts.prices, facts.caps) for one in demo.jobs)


def _plan(facts: model.Facts, asked: DemoNeed) -> model.MachinePlan | None:
    machine = machine_of(facts.inventory, asked.replaces)
    shape = facts.shape(machine.machine_type)
    if shape is None:
        return None
    need = replace(asked.need, basis=_basis(facts, asked, machine))
    plan = facts.machines.choose_from(machine, need)
    if isinstance(plan, model.Infeasible):
        return None
    return with_baseline(plan, *baseline_of(machine, shape, need, facts.prices, facts.caps))


def _basis(facts: model.Facts, asked: DemoNeed, machine: model.Instance) -> str:
    """Return whose wish it is, and whether the findings take it for the machine's target."""
    target = facts.target(machine)
    is_declared = target is not None and target.gbps == asked.need.gbps
    return f"the story's goal for {machine.name}" + (", its stated target" if is_declared else "")


LEVEL = 0.9


def plugin_changes(asked: DemoPlugins, as_of: date) -> PluginChanges:
    """Return the service's transactions with each plugin on both links, the hosts' own first.

    Raises:
        UnknownName: If the service or a plugin is none that netplan knows.
    """
    service = known_service(asked.service, ethernet_payload_ratio())
    hosts = PluginChange(
        plugin=None,
        encapsulation=NONE,
        told=asked.hosts_told,
        source="the two values of the story that describe the service",
        before=_on(asked, None, service, as_of, asked.slow_gbps),
        after=_on(asked, None, service, as_of, asked.fast_gbps),
    )
    rows = (
        PluginChange(
            plugin=plugin.name,
            encapsulation=plugin.encapsulation,
            told=plugin.told,
            source=_source(plugin),
            before=_on(asked, plugin, service, as_of, asked.slow_gbps),
            after=_on(asked, plugin, service, as_of, asked.fast_gbps),
        )
        for plugin in asked.plugins
    )
    return PluginChanges(service=asked.service, limits=asked.limits, rows=(hosts, *rows))


def _source(plugin: DemoPlugin) -> str:
    """Return what a plugin's figures rest on; the story gives none of its own."""
    default = encapsulation_of(plugin.name)
    stated = plugin.source or default.source
    return f"header sizes and packet times; the story does not state them ({stated})"


def _on(
    asked: DemoPlugins, plugin: DemoPlugin | None, service: model.Service, as_of: date, gbps: float
) -> OnLink:
    """Return what goes over one link; the hosts use it themselves, a plugin beside the other."""
    if plugin is None:
        path = PathQuestion(path_class=model.PathClass.SAME_ZONE_INTERNAL, host_link_gbps=gbps)
    else:
        pod = model.PodNetwork(
            encapsulation=plugin.encapsulation,
            mtu_bytes=plugin.mtu_bytes,
            is_bare_metal=True,
            other_link_gbps=gbps if gbps != asked.fast_gbps else None,
        )
        path = PathQuestion(
            path_class=model.PathClass.SAME_ZONE_INTERNAL_POD,
            host_link_gbps=asked.fast_gbps,
            pod=pod,
        )
    found: model.Prediction = with_service(predict_described(path, as_of, LEVEL), service)
    return OnLink(link_gbps=gbps, estimate=found.estimate, transactions=found.transactions)
