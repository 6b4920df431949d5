"""The rates of many flows that share links: weighted max-min fairness.

A link is anything whose capacity several flows share: a machine's egress, its egress to external
addresses, a receiver's ingress, a tunnel. A flow has a bound of its own besides: what one flow can
reach on its path, or what it wants to send. Nobody's share can grow but at the cost of one that is
no greater: that is what long TCP transfers come near to when their round-trip times are alike.

`filling.py` has the method.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from netplan_planner.throughput.sharing.filling import FloatArray, IntArray, WaterFilling

OWN_BOUND = -1
"""As the binding link of a flow: its own bound holds it."""
LEAST, GREATEST = 1e-100, 1e100
"""Of finite capacities, bounds and weights; nothing in between over- or underflows."""


class FairRates(NamedTuple):
    """The max-min fair rates; each array has one entry a flow, in the order of the input's rows."""

    gbps: FloatArray
    """Never NaN or infinite, and never above the flow's own bound."""
    binding_link: IntArray
    """The link that binds the flow, one of them where several do; `OWN_BOUND` where it gets all
    that its bound allows."""


def fair_rates(
    *,
    capacity_gbps: FloatArray,
    links: npt.NDArray[np.integer[Any]],
    bound_gbps: FloatArray | None = None,
    weight: FloatArray | None = None,
) -> FairRates:
    """Return the weighted max-min fair rate of each flow, in Gbit/s, and what binds it.

    Flows that the same link binds get rates in proportion to their weights. The order of the flows
    changes no bit of any rate. Rounding stays below 1e-12 of a rate unless nearly all the weight
    on its link belongs to flows that are bound elsewhere: the error grows with the ratio of the
    two.

    Args:
        capacity_gbps: By link; 0 stops every flow on it, infinity binds none.
        links: Axes: flow, place on its path. Entries: index of a link, or -1 for none. The order
            in a row means nothing, and a link that stands twice in a row counts once.
        bound_gbps: By flow, 0 or more: its own limit or its demand, infinity for none.
        weight: By flow, above 0: its share against others, for instance its streams; default 1.

    Raises:
        ValueError: If a shape does not fit, a value is NaN or outside its range (finite ones above
            0 lie between 1e-100 and 1e100), a link does not exist, or a flow has neither a bound
            nor a link of finite capacity: nothing says what its rate is.

    Source:
        Bertsekas and Gallager, "Data Networks", 2nd edition, 1992, section 6.5.2.

    >>> both = fair_rates(
    ...     capacity_gbps=np.array([10.0, 4.0]),
    ...     links=np.array([[0, -1], [0, 1], [0, 1]]),
    ...     bound_gbps=np.array([np.inf, np.inf, 1.0]),
    ... )
    >>> both.gbps.tolist(), both.binding_link.tolist()
    ([6.0, 3.0, 1.0], [0, 1, -1])
    """
    capacity = _floats("capacity_gbps", capacity_gbps)
    rows = _rows(links, capacity)
    flow_count = rows.shape[0]
    bound = np.full(flow_count, np.inf) if bound_gbps is None else _floats("bound_gbps", bound_gbps)
    weights = np.ones(flow_count) if weight is None else _floats("weight", weight)
    for name, values in (("bound_gbps", bound), ("weight", weights)):
        if values.size != flow_count:
            raise ValueError(f"{name} has {values.size} entries for {flow_count} flows")
    _refuse("weight", weights, (weights == 0) | np.isinf(weights), "above 0 and finite")
    endless = np.isinf(bound) & (rows == capacity.size).all(axis=1)
    _refuse("bound_gbps", bound, endless, "finite where no link of the flow is")

    order = _canonical_order(bound, weights)
    filling = WaterFilling(capacity, rows.take(order, axis=0), bound[order], weights[order])
    filling.run()
    gbps, binding = np.empty(flow_count), np.empty(flow_count, dtype=np.intp)
    gbps[order], binding[order] = filling.gbps, filling.binding
    return FairRates(gbps=gbps, binding_link=np.where(binding == capacity.size, OWN_BOUND, binding))


def _floats(name: str, values: FloatArray) -> FloatArray:
    """Return `values` as float64; refuse what is no capacity, bound or weight."""
    made: FloatArray = np.asarray(values, dtype=np.float64)
    if made.ndim != 1:
        raise ValueError(f"{name} must have one axis, not {made.ndim}")
    is_ok = (made >= LEAST) & (made <= GREATEST) | (made == 0) | (made == np.inf)
    _refuse(name, made, ~is_ok, f"0, infinite, or between {LEAST:g} and {GREATEST:g}")
    return made


def _refuse(name: str, values: FloatArray, is_wrong: npt.NDArray[np.bool_], wanted: str) -> None:
    """Raise for the first wrong value."""
    if is_wrong.any():
        at = int(is_wrong.argmax())
        raise ValueError(f"{name}[{at}] is {values[at]:g}, but must be {wanted}")


def _rows(links: npt.NDArray[np.integer[Any]], capacity: FloatArray) -> IntArray:
    """Return `links` with the number of links for "none", for unlimited links and for repeats."""
    given = np.asarray(links)
    if given.ndim != 2 or not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"links must hold integers on two axes, not {given.dtype} on {given.ndim}")
    if given.size and not -1 <= given.min() <= given.max() < capacity.size:
        raise ValueError(
            f"links has entries from {given.min()} to {given.max()}; "
            f"-1 to {capacity.size - 1} are possible"
        )
    none = capacity.size
    names = np.append(np.where(np.isinf(capacity), none, np.arange(none)), none)
    rows: IntArray = names[given]  # -1 is the last one
    for column in range(1, rows.shape[1]):
        for earlier in range(column):
            rows[rows[:, column] == rows[:, earlier], column] = none
    return rows


def _canonical_order(bound: FloatArray, weight: FloatArray) -> IntArray:
    """Return an order of the flows that is the same, but for equal ones, however they came.

    Sums of floats depend on the order of their terms, and so would the last bits of the rates.
    """
    if weight.size and weight.min() != weight.max():
        return np.lexsort((weight, bound))
    return np.argsort(bound)
