"""`netplan predict` of one path: what was said of it, put together, and its answer."""

from collections.abc import Callable
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner.engine.asked_class import assumed_class, class_of_nodes
from netplan_planner.engine.asked_ends import Ends, ends_of
from netplan_planner.engine.asked_path import PathQuestion, check_transfer
from netplan_planner.engine.asked_pods import NamedPlugin, PodWords, plugins_of, pod_of
from netplan_planner.engine.asked_service import ServiceWords, service_of
from netplan_planner.engine.inputs import Say
from netplan_planner.engine.predict_path import predict_described, predict_named, with_service
from netplan_planner.engine.prices.source import PriceSource
from netplan_planner.engine.request import AuditRequest
from netplan_planner.errors import UsageError
from netplan_planner.model import (
    ByPlugin,
    PluginTable,
    Prediction,
    PriceBook,
    Service,
    Value,
)

Warn = Callable[[tuple[str, ...]], None]
_ASSUMED_CLASS = (
    "one zone and internal addresses are taken: --path, or --src-place and --dst-place, say"
    " otherwise"
)


class PredictRequest(Value, frozen=True, kw_only=True):
    """One path as somebody describes it, and what the answer rests on."""

    src: str | None = None
    """Sender: a machine of the input, or without an input a machine type."""
    dst: str | None = None
    path: PathQuestion
    """What is said of it beside SRC and DST; its class only as far as that is given."""
    pods: PodWords = PodWords()
    service: ServiceWords = ServiceWords()
    level: float = 0.9
    """Share of cases in the interval."""
    inputs: AuditRequest
    """Machines, their traffic, the calibration, the date of the limits, and the prices."""


class _Known(NamedTuple):
    """What holds for the path with every plugin."""

    machines: tuple[str, str] | None
    service: Service | None
    prices: PriceBook | None
    is_class_assumed: bool


def predict_asked(
    request: PredictRequest, say: Say, warn: Warn = lambda _: None
) -> Prediction | PluginTable:
    """Return the prediction of a path; with several plugins a row each, after the nodes' own.

    Args:
        request: What is asked.
        say: Told what is going on.
        warn: Told what of a price contract was not used.

    Raises:
        UsageError: If what is said contradicts itself, or names what is not there.
        InputError: If an input cannot be read.
    """
    service = service_of(request.service)
    ends = _ends(request)
    plugins = plugins_of(request.pods)
    path, is_class_assumed = _path(request, ends, has_plugins=bool(plugins))
    if len(plugins) <= 1:
        no_name = NamedPlugin("", request.pods.other_link_gbps)
        path = _with_plugin(path, plugins[0] if plugins else no_name, request.pods)
    check_transfer(path)
    prices = _prices(request.inputs, warn) if path.transfer_bytes is not None else None
    known = _Known(ends.machines, service, prices, is_class_assumed)
    if len(plugins) <= 1:
        return _answer(path, request, known, say)
    nodes = replace(path, path_class=class_of_nodes(path.path_class))
    own = ByPlugin(
        plugin=None, other_link_gbps=None, prediction=_answer(nodes, request, known, say)
    )
    others = (
        ByPlugin(
            plugin=one.name,
            other_link_gbps=one.other_link_gbps,
            prediction=_answer(_with_plugin(path, one, request.pods), request, known, say),
        )
        for one in plugins
    )
    return PluginTable(rows=(own, *others))


def _ends(request: PredictRequest) -> Ends:
    """Return what SRC and DST name, where that does not contradict the options."""
    inputs, path = request.inputs, request.path
    if request.src is None:
        return Ends(None, None)
    has_input = bool(
        inputs.projects or inputs.parents or inputs.inventory or inputs.traffic or inputs.demo
    )
    on = inputs.as_of or inputs.today
    ends = ends_of(request.src, request.dst, has_input=has_input, on=on)
    if path.src_type or path.dst_type:
        raise UsageError("SRC and DST name both ends: leave out --src-type and --dst-type")
    if ends.machines and (path.src_place or path.dst_place):
        raise UsageError(
            "two machines of the input have places of their own: leave out --src-place and"
            " --dst-place"
        )
    return ends


def _path(request: PredictRequest, ends: Ends, *, has_plugins: bool) -> tuple[PathQuestion, bool]:
    """Return the path with its ends' types and class, and whether the class is assumed.

    Two types by name, or two hosts, stand in one zone where nothing is said of them.
    """
    path, pods = request.path, request.pods
    if ends.types is not None:
        path = replace(path, src_type=ends.types[0], dst_type=ends.types[1])
    is_host = path.host_link_gbps is not None
    is_open = path.path_class is None and not (path.src_place or path.dst_place)
    if not is_open or not (ends.types is not None or is_host):
        return path, False
    has_pods = bool(has_plugins or pods.encapsulation or pods.encryption)
    assumed = assumed_class(is_external=path.is_external, has_pods=has_pods)
    return replace(path, path_class=assumed), not is_host


def _with_plugin(path: PathQuestion, plugin: NamedPlugin, words: PodWords) -> PathQuestion:
    pod = pod_of(plugin, words, is_bare_metal=path.host_link_gbps is not None)
    return replace(path, pod=pod)


def _prices(inputs: AuditRequest, warn: Warn) -> PriceBook:
    book = PriceSource(
        today=inputs.today,
        folder=inputs.prices,
        discounts=inputs.discounts,
        billing_exports=inputs.billing_exports,
    ).book()
    warn(book.terms.unread)
    return book


def _answer(path: PathQuestion, request: PredictRequest, known: _Known, say: Say) -> Prediction:
    inputs, level = request.inputs, request.level
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
