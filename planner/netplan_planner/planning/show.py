"""What the answers of plans say alike: what their figures rest on."""

from collections.abc import Iterator

from netplan_planner.model.plans.plan_answer import PlanAnswer
from netplan_planner.renderers.document import Block, Para, line
from netplan_planner.renderers.options import RenderOptions


def basis(
    answer: PlanAnswer, options: RenderOptions, *, without: str, paid: str
) -> Iterator[Block]:
    """Yield which prices, limits and calibration a plan counts with.

    Args:
        answer: The answer.
        options: How it is shown.
        without: What its prices leave out.
        paid: The sentences on how its machines are paid, and what its intervals hold.
    """
    own = f"The contract's prices where it names one ({answer.price_terms}), else list prices"
    kind = own if answer.price_terms else "List prices"
    yield Para(
        line=line(
            f"{kind} of {answer.prices_as_of} in USD, Spot of {answer.spot_prices_as_of}, traffic"
            f" of {answer.network_prices_as_of}, without {without}; limits of"
            f" {answer.limits_as_of}. {paid}"
        )
    )
    if answer.calibration:
        yield Para(line=line(answer.calibration))
    if options.currency is not None:
        yield Para(line=line(options.currency.assumption))
