"""What flow logs cost, and settings that cost less."""

from msgspec.structs import replace

from netplan_planner.engine.prices.source import PriceSource
from netplan_planner.errors import UsageError
from netplan_planner.planning.project import request_of
from netplan_planner.verbs import Now, always_well, panels, verb
from netplan_planner.verbs.flow_logs.answer import FlowLogBill
from netplan_planner.verbs.flow_logs.ask import CostAsk, PlanAsk
from netplan_planner.verbs.flow_logs.bill import ONLY_COUNTS
from netplan_planner.verbs.flow_logs.expected import cost_of, forecast
from netplan_planner.verbs.flow_logs.plan import plan_flow_logs


@verb(panel=panels.PLAN, has_look=True, ends=always_well)
def cost(ask: CostAsk, now: Now) -> FlowLogBill:
    """Say what flow logs cost a month, by the subnetwork or configuration that writes them.

    From the records themselves, duplicates of two configurations apart; or before they are on, from
    a table, or the metric predicted_max_vpc_flow_logs_count (--metrics; --project asks for it where
    no --traffic is given), of how many there would be. Generation by its price steps, and storage.
    """
    source = PriceSource(
        today=now.today,
        folder=ask.price_folder,
        discounts=ask.pricing.discounts,
        billing_exports=ask.pricing.billing_exports,
    )
    if ask.records is not None:
        if ask.given.is_given or ask.metrics.metrics:
            raise UsageError("--records is for logs that are not on: give it or what to read")
        return forecast(ask.records, source, has_metadata=ask.has_metadata)
    counting = replace(ask.reading.traffic, log_volume_from_gbps=ONLY_COUNTS)
    request = request_of(ask, traffic_options=counting)
    return cost_of(request, source, has_metadata=ask.has_metadata, say=now.say)


@verb(panel=panels.PLAN, has_look=True, ends=always_well)
def plan(ask: PlanAsk, now: Now) -> FlowLogBill:
    """Find the sampling, interval, metadata and filter of flow logs at least cost for a promise.

    The errors are those of a window as long as the one read, from what its own records are like.
    Prints the commands; changes nothing.
    """
    return plan_flow_logs(request_of(ask), ask.goal, now.say)
