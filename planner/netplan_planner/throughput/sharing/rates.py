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

FloatArray = npt.NDArray[np.float64]


IntArray = npt.NDArray[np.intp]


WINDOW_COUNT = 1024
"""Links that are sorted by their levels at every step; the others wait until these are done."""


BATCH_LEAST = 4096


BATCH_PART = 512
"""A batch reads that many memberships, or that part of all, whichever is more: fewer need more
steps, more read links again that turn out to wait for others."""


MANY_PART = 8
"""While a pass over all flows settles at least that part of them, another is worth its time."""


ROUNDING = 2.0**-52


EXACT_INTEGERS = 2.0**53


class WaterFilling:
    """Flows and links while the level rises; `run` settles every flow.

    Arrays by flow have the order of `rows`; the order of links in a row means nothing. Arrays by
    link have one more entry at the end, for "no link", which nothing fills.

    Args:
        capacity: By link, finite, 0 or more.
        rows: Axes: flow, place; entries: a link, or the number of links for "none"; no link twice.
        bound: By flow, 0 or more; infinity only where the row has a link.
        weight: By flow, above 0.
    """

    def __init__(
        self, capacity: FloatArray, rows: IntArray, bound: FloatArray, weight: FloatArray
    ) -> None:
        flow_count, self.none = rows.shape[0], capacity.size
        self.rows, self.bound, self.weight = rows, bound, weight
        self.own_level = bound / weight
        self.gbps = np.zeros(flow_count)
        self.binding = np.full(flow_count, self.none, dtype=np.intp)
        self.is_open = np.ones(flow_count, dtype=np.bool_)
        self.open_flow_count = flow_count

        link_count = self.none + 1
        self.left_gbps = np.append(capacity, np.inf)
        self.open_count = np.zeros(link_count, dtype=np.intp)
        self.open_weight = np.zeros(link_count)
        for column in rows.T:
            self.open_count += np.bincount(column, minlength=link_count)
            self.open_weight += np.bincount(column, weight, link_count)
        # Sums of whole numbers are exact; of others, taking terms away leaves their rounding.
        is_exact = weight.sum() < EXACT_INTEGERS and bool((weight == np.rint(weight)).all())
        self.weight_error = self.open_weight * self.open_count * (0.0 if is_exact else ROUNDING)
        self.least_weight = float(weight.min(initial=np.finfo(np.float64).max))
        self.level = np.zeros(link_count)
        self._raise_levels(np.arange(link_count))

    def run(self) -> None:
        """Settle every flow."""
        self._settle_bounded()
        self._list_members()
        waiting = np.flatnonzero(self.open_count[:-1])
        while waiting.size:
            window, ceiling = self._lowest_links(waiting)
            while window.size:
                self._advance(self._batch(window))
                window = window[(self.open_count[window] > 0) & (self.level[window] <= ceiling)]
            waiting = waiting[self.open_count[waiting] > 0]

    def _settle_bounded(self) -> None:
        """Settle flows whose own bound is reached first, in passes over all of them."""
        settled_count = open_count = self.is_open.size
        while settled_count and settled_count * MANY_PART >= open_count:
            flows = np.flatnonzero(self.is_open)
            reached = flows[self.own_level[flows] <= self._lowest_level(flows)]
            open_count, settled_count = flows.size, reached.size
            self._settle(reached, self.bound[reached])

    def _list_members(self) -> None:
        """List the open flows of each link, link by link, in the order of the flows."""
        flows = np.flatnonzero(self.is_open)
        # One sort of plain integers, link before flow, is several times faster than an argsort.
        shift = max(1, int(self.is_open.size).bit_length())
        keys = ((self.rows.take(flows, axis=0).astype(np.int64) << shift) | flows[:, None]).ravel()
        keys.sort()
        keys = keys[: np.searchsorted(keys, self.none << shift)]
        self.members, self.link_of_member = keys & ((1 << shift) - 1), keys >> shift
        self._index_members()

    def _index_members(self) -> None:
        counts = np.bincount(self.link_of_member, minlength=self.none)
        self.member_count = counts
        self.first_member = np.cumsum(counts) - counts
        self.listed_flow_count = self.open_flow_count

    def _drop_settled_members(self) -> None:
        """Forget settled flows once they are half of those that are listed."""
        if 2 * self.open_flow_count < self.listed_flow_count:
            keep = self.is_open[self.members]
            self.members, self.link_of_member = self.members[keep], self.link_of_member[keep]
            self._index_members()

    def _lowest_links(self, waiting: IntArray) -> tuple[IntArray, float]:
        """Return some links, and a level that these are not above and all others not below."""
        if waiting.size <= WINDOW_COUNT:
            return waiting, np.inf
        levels = self.level[waiting]
        parted = np.argpartition(levels, WINDOW_COUNT)
        return waiting[parted[:WINDOW_COUNT]], float(levels[parted[WINDOW_COUNT]])

    def _batch(self, window: IntArray) -> IntArray:
        """Return the lowest links of the window, at least one."""
        self._drop_settled_members()
        rising = window[np.argsort(self.level[window], kind="stable")]
        work = np.cumsum(self.member_count[rising])
        most = max(BATCH_LEAST, self.members.size // BATCH_PART)
        return rising[: max(1, int(np.searchsorted(work, most, side="right")))]

    def _advance(self, batch: IntArray) -> None:
        """Settle the flows of each link of the batch that nothing lower holds back.

        Flows on these links whose own bound is reached are settled too; their links wait.
        """
        place, flows = self._open_members(batch)
        # The sum anew has none of the rounding of the one that is kept up.
        self.open_weight[batch] = np.bincount(place, self.weight[flows], batch.size)
        fresh = self.left_gbps[batch] / self.open_weight[batch]
        self.level[batch] = np.maximum(self.level[batch], fresh)
        level, lowest = self.level[batch][place], self._lowest_level(flows)
        is_bounded = self.own_level[flows] <= lowest
        waits = np.zeros(batch.size, dtype=np.bool_)
        waits[place[is_bounded | (lowest < level)]] = True

        stops = np.flatnonzero(is_bounded | ~waits[place])
        flows, is_bounded = flows[stops], is_bounded[stops]
        place, level = place[stops], level[stops]
        # A flow that stops on several links of the batch comes several times; the last one counts.
        turn = np.arange(flows.size)
        self.binding[flows] = turn
        last = self.binding[flows] == turn
        self.binding[flows] = np.where(is_bounded, self.none, batch[place])
        gbps = np.where(is_bounded, self.bound[flows], self.weight[flows] * level)
        self._settle(flows[last], gbps[last])

    def _open_members(self, batch: IntArray) -> tuple[IntArray, IntArray]:
        """Return the open flows of each link of the batch, and the link's place in the batch."""
        counts = self.member_count[batch]
        place = np.repeat(np.arange(batch.size), counts)
        offset = self.first_member[batch] - (np.cumsum(counts) - counts)
        flows = self.members[np.arange(place.size) + offset[place]]
        is_open = self.is_open[flows]
        return place[is_open], flows[is_open]

    def _lowest_level(self, flows: IntArray) -> FloatArray:
        """Return the lowest level of the links of each flow; infinity for one without links."""
        rows = self.rows.take(flows, axis=0)  # many times faster than an index
        lowest = np.full(flows.size, np.inf)
        for column in rows.T:  # and than a minimum over a short axis
            np.minimum(lowest, self.level[column], out=lowest)
        return lowest

    def _settle(self, flows: IntArray, gbps: FloatArray) -> None:
        """Give flows their rates, and take these from the links."""
        self.gbps[flows] = gbps
        self.is_open[flows] = False
        self.open_flow_count -= flows.size
        touched, width = self.rows.take(flows, axis=0).ravel(), self.rows.shape[1]
        # Summed before it is taken away: a link may lose a hundred thousand small rates at once,
        # and each subtraction would round at the size of what is left.
        taken = np.bincount(touched, np.repeat(gbps, width), self.left_gbps.size)
        self.left_gbps -= taken
        np.subtract.at(self.open_weight, touched, np.repeat(self.weight[flows], width))
        np.subtract.at(self.open_count, touched, 1)
        self._raise_levels(touched)

    def _raise_levels(self, links: IntArray) -> None:
        """Bring the levels of links up to date; rounding must not lower one.

        Without whole weights they may come out a little too low, never too high; see `_advance`.
        """
        # Also keeps a link without open flows, whose level nobody asks for, from dividing by 0.
        weight = np.maximum(self.open_weight[links], self.least_weight) + self.weight_error[links]
        self.level[links] = np.maximum(self.level[links], self.left_gbps[links] / weight)


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
            f"links has entries from {given.min()} to {given.max()}; the allowed range is -1 to"
            f" {capacity.size - 1}"
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
