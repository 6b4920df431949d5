"""`netplan predict` of one path: what was said of it, put together, and its answer."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner.asks import given_options
from netplan_planner.errors import UsageError
from netplan_planner.model import PathClass, Prediction, PriceBook, Service, shape_of_custom
from netplan_planner.planning.path_question import (
    PathQuestion,
    assumed_class,
    check_transfer,
    class_of_nodes,
)
from netplan_planner.planning.predict_path import predict_described, predict_named, with_service
from netplan_planner.planning.project import request_of
from netplan_planner.throughput.limits.caps import load_caps
from netplan_planner.verbs import Now, panels, verb
from netplan_planner.verbs.predict.answer import ByPlugin, PluginTable
from netplan_planner.verbs.predict.ask import OnePath, Pods, PredictAsk
from netplan_planner.verbs.predict.options import NamedPlugin, plugins_of, pod_of, service_of
from netplan_planner.verbs.predict.table_file import write_predictions
from netplan_planner.world.reading import Say
from netplan_planner.world.request import InputRequest
from netplan_pricing import open_prices

Warn = Callable[[tuple[str, ...]], None]
_ASSUMED_CLASS = (
    "one zone and internal addresses are taken: --path, or --src-place and --dst-place, say"
    " otherwise"
)
_PATHS = frozenset(path.value for path in PathClass)


def ended(ask: PredictAsk, found: Prediction | PluginTable) -> bool:
    """Return whether the path has a prediction; of a table of plugins always."""
    del ask
    return not (isinstance(found, Prediction) and found.is_unknown)


@verb(panel=panels.PLAN, explains="Every limit with its source, and the arithmetic.", ends=ended)
def predict(ask: PredictAsk, now: Now) -> Prediction | PluginTable | None:
    """Predict Gbit/s with an interval, the limit that binds, and what would lift it.

    Two machines of an input by name, two machine types (in one zone unless --path or the places
    say otherwise), or a table of paths. From documented caps, TCP and what published measurements
    show; with a date, under the limits of that day. A transfer (--bytes) has its time and cost.
    """
    if ask.written.batch is not None:
        for part in (ask.path, ask.given):
            for option in given_options(part):
                raise UsageError(f"--batch has its own paths: leave out {option}")
        write_predictions(ask, ask.written.batch, ask.written.specs(), now.today, now.note)
        return None
    if ask.is_together:
        raise UsageError("--together is for a table of flows: give one with --batch")

    def warn(warnings: Sequence[str]) -> None:
        for warning in warnings:
            now.warn(warning)

    return predict_asked(ask.path, request_of(ask), now.say, warn, ask.level)


class _Ends(NamedTuple):
    """The two ends: machines by name, or types."""

    machines: tuple[str, str] | None
    types: tuple[str, str | None] | None


class _Known(NamedTuple):
    """What holds for the path with every plugin."""

    machines: tuple[str, str] | None
    service: Service | None
    prices: PriceBook | None
    is_class_assumed: bool
    inputs: InputRequest
    level: float


def predict_asked(
    asked: OnePath,
    inputs: InputRequest,
    say: Say,
    warn: Warn = lambda _: None,
    level: float = 0.9,
) -> Prediction | PluginTable:
    """Return the prediction of a path; with several plugins a row each, after the nodes' own.

    Args:
        asked: The path as somebody describes it.
        inputs: Machines, their traffic, the calibration, the date of the limits, and the prices.
        say: Told what is going on.
        warn: Told what of a price contract was not used.
        level: Share of cases in the interval.

    Raises:
        UsageError: If what is said contradicts itself, or names what is not there.
        InputError: If an input cannot be read.
    """
    service = service_of(asked.served)
    ends = _ends(asked, inputs)
    plugins = plugins_of(asked.pods)
    path, is_class_assumed = _path(asked, ends, has_plugins=bool(plugins))
    if len(plugins) <= 1:
        no_name = NamedPlugin("", asked.pods.other_link_gbps)
        path = _with_plugin(path, plugins[0] if plugins else no_name, asked.pods)
    check_transfer(path)
    prices = None
    if path.transfer_bytes is not None:
        prices = open_prices(inputs.prices, inputs.discounts, inputs.billing_exports)
        warn(prices.terms.unread)
    known = _Known(ends.machines, service, prices, is_class_assumed, inputs, level)
    if len(plugins) <= 1:
        return _answer(path, known, say)
    nodes = replace(path, path_class=class_of_nodes(path.path_class))
    own = ByPlugin(plugin=None, other_link_gbps=None, prediction=_answer(nodes, known, say))
    others = (
        ByPlugin(
            plugin=one.name,
            other_link_gbps=one.other_link_gbps,
            prediction=_answer(_with_plugin(path, one, asked.pods), known, say),
        )
        for one in plugins
    )
    return PluginTable(rows=(own, *others))


def _ends(asked: OnePath, inputs: InputRequest) -> _Ends:
    """Return what SRC and DST name, where that does not contradict the options."""
    path, src = asked.question, asked.ends.src
    if src is None:
        return _Ends(None, None)
    has_input = bool(
        inputs.projects or inputs.parents or inputs.inventory or inputs.traffic or inputs.demo
    )
    on = inputs.as_of or inputs.today
    ends = _named(src, asked.ends.dst, has_input=has_input, on=on)
    if path.src_type or path.dst_type:
        raise UsageError("SRC and DST name both ends: leave out --src-type and --dst-type")
    if ends.machines and (path.src_place or path.dst_place):
        raise UsageError(
            "two machines of the input have places of their own: leave out --src-place and"
            " --dst-place"
        )
    return ends


def _path(asked: OnePath, ends: _Ends, *, has_plugins: bool) -> tuple[PathQuestion, bool]:
    """Return the path with its ends' types and class, and whether the class is assumed.

    Two types by name, or two hosts, stand in one zone where nothing is said of them.
    """
    path, pods = asked.question, asked.pods
    if ends.types is not None:
        path = replace(path, src_type=ends.types[0], dst_type=ends.types[1])
    is_host = path.host_link_gbps is not None
    is_open = path.path_class is None and not (path.src_place or path.dst_place)
    if not is_open or not (ends.types is not None or is_host):
        return path, False
    has_pods = bool(has_plugins or pods.encapsulation or pods.encryption)
    assumed = assumed_class(is_external=path.is_external, has_pods=has_pods)
    return replace(path, path_class=assumed), not is_host


def _with_plugin(path: PathQuestion, plugin: NamedPlugin, pods: Pods) -> PathQuestion:
    pod = pod_of(plugin, pods, is_bare_metal=path.host_link_gbps is not None)
    return replace(path, pod=pod)


def _answer(path: PathQuestion, known: _Known, say: Say) -> Prediction:
    inputs, level = known.inputs, known.level
    if known.machines:
        # Prices are for the transfer alone: what machines cost is not asked.
        plain = replace(inputs, prices=None, discounts=(), billing_exports=())
        found = predict_named(path, known.machines, plain, level, say, known.prices)
    else:
        on = inputs.as_of or inputs.today
        found = predict_described(path, on, level, inputs.calibration, known.prices)
    if known.is_class_assumed:
        found = replace(found, notes=(*found.notes, _ASSUMED_CLASS))
    return with_service(found, known.service) if known.service is not None else found


def _named(src: str, dst: str | None, *, has_input: bool, on: date) -> _Ends:
    """Return what the two words name.

    Args:
        src: The first.
        dst: The second; a type alone stands for both ends.
        has_input: Whether there is an input whose machines they may be.
        on: The day whose machine types count.

    Raises:
        UsageError: If a word is neither, or one machine is missing.
    """
    if has_input:
        if dst is None:
            raise UsageError("name both machines, the sender and the receiver")
        return _Ends((src, dst), None)
    caps = load_caps(on)
    for word in (src, dst):
        if word is None or shape_of_custom(word) is not None or word in caps.machine_types:
            continue
        if word in _PATHS:
            how = f"netplan predict TYPE --path {word}"
            raise UsageError(f"{word!r} is a path, not a machine: {how}")
        near = caps.nearest(word)
        hint = f" (near: {', '.join(near)})" if near else ""
        raise UsageError(
            f"{word[:60]!r} is no machine type{hint}, and no input is given to look for a machine"
            " of that name: name the input with --project, --inventory or --demo, and name both"
            " machines"
        )
    return _Ends(None, (src, dst))
