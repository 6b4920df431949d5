"""`netplan predict` of one path: what was said of it, put together, and its answer."""

from datetime import date
from typing import NamedTuple

from msgspec.structs import replace

from netplan_planner import model
from netplan_planner.asks import given_options
from netplan_planner.errors import UsageError, did_you_mean, near
from netplan_planner.planning.configured import set_ups
from netplan_planner.planning.path_question import (
    PathQuestion,
    assumed_class,
    check_transfer,
    class_of_nodes,
)
from netplan_planner.planning.predict_path import predict_described, predict_named, with_service
from netplan_planner.planning.project import request_of
from netplan_planner.readers.paths.path_cells import pod_network_of
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.throughput.limits.caps import load_caps
from netplan_planner.throughput.limits.named import ethernet_payload_ratio
from netplan_planner.throughput.limits.pods.tables import (
    ENCRYPTIONS,
    encapsulation_of,
    encapsulations,
)
from netplan_planner.throughput.round_trips.rtt import rtt_between
from netplan_planner.throughput.services import (
    ServicePoint,
    described_service,
    fit_two_points,
    known_service,
)
from netplan_planner.verbs import Now, panels, verb
from netplan_planner.verbs.predict.answer import ByPlugin, PluginTable
from netplan_planner.verbs.predict.ask import OnePath, Pods, PredictAsk, Served
from netplan_planner.verbs.predict.table_file import write_predictions
from netplan_planner.world.reading import Say
from netplan_planner.world.request import InputRequest
from netplan_pricing import open_prices

_LIKE = "--tps-at is GBPS=TPS, such as 1=2700"


class NamedPlugin(NamedTuple):
    """A plugin as it was asked for."""

    name: str
    other_link_gbps: float | None


_ASSUMED_CLASS = (
    "assumed one zone and {} addresses. Set the path with --path, or with --src-place and"
    " --dst-place"
)


_PATHS = frozenset(path.value for path in model.PathClass)


def shown(ask: PredictAsk, found: object, options: RenderOptions, now: Now) -> RenderOptions:
    """Return how a prediction is shown: with every limit and the arithmetic where asked."""
    del found, now
    return replace(options, verbosity=max(options.verbosity, int(ask.written.is_explained)))


def ended(ask: PredictAsk, found: model.Prediction | PluginTable) -> bool:
    """Return whether the path has a prediction; of a table of plugins always."""
    del ask
    return not (isinstance(found, model.Prediction) and found.is_unknown)


@verb(
    panel=panels.PLAN,
    question="How many Gbit/s does a path carry, and what limits it?",
    shows=shown,
    ends=ended,
)
def predict(ask: PredictAsk, now: Now) -> model.Prediction | PluginTable | None:
    """Predict Gbit/s with an interval, the limit, and how to raise it.

    Takes two VMs of an input, two machine types (in one zone, unless --path or the places differ),
    or a table of paths. Uses documented caps, TCP and published measurements; with a date, the
    limits of that day. A transfer (--bytes) also shows time and cost. Exit status: 0, or 1 when no
    value is known.
    """
    if ask.written.batch is not None:
        for part in (ask.path, ask.given):
            for option in given_options(part):
                raise UsageError(f"--batch has its own paths: leave out {option}")
        write_predictions(ask, ask.written.batch, ask.written.specs(), now.today, now.note)
        return None
    if ask.is_together:
        raise UsageError("--together needs a table of flows: add --batch")
    request = request_of(ask, **set_ups(now.config))
    return predict_asked(ask.path, request, now.say, now.warn, ask.level)


class _Ends(NamedTuple):
    """The two ends: machines by name, or types."""

    machines: tuple[str, str] | None
    types: tuple[str, str | None] | None


class _Known(NamedTuple):
    """What holds for the path with every plugin."""

    machines: tuple[str, str] | None
    service: model.Service | None
    prices: model.PriceBook | None
    is_class_assumed: bool
    inputs: InputRequest
    level: float


def predict_asked(
    asked: OnePath,
    inputs: InputRequest,
    say: Say,
    warn: Say = lambda _: None,
    level: float = 0.9,
) -> model.Prediction | PluginTable:
    """Return the prediction of a path; with several plugins a row each, after the nodes' own.

    Args:
        asked: The path as somebody describes it.
        inputs: Machines, their traffic, the calibration, the date of the limits, and the prices.
        say: Told what is going on.
        warn: Told each line of a price contract that was not used.
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
        for line in prices.terms.unread:
            warn(line)
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
        raise UsageError("SRC and DST already give both ends: leave out --src-type and --dst-type")
    if ends.machines and (path.src_place or path.dst_place):
        raise UsageError(
            "two VMs of the input have known places: leave out --src-place and --dst-place"
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


def _answer(path: PathQuestion, known: _Known, say: Say) -> model.Prediction:
    inputs, level = known.inputs, known.level
    if known.machines:
        # Prices are for the transfer alone: what machines cost is not asked.
        plain = replace(inputs, prices=None, discounts=(), billing_exports=())
        found = predict_named(path, known.machines, plain, level, say, known.prices)
    else:
        on = inputs.as_of or inputs.today
        found = predict_described(path, on, level, inputs.calibration, known.prices)
    if known.is_class_assumed:
        note = _ASSUMED_CLASS.format("external" if path.is_external else "internal")
        found = replace(found, notes=(*found.notes, note))
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
            raise UsageError("name both VMs, the sender and the receiver")
        return _Ends((src, dst), None)
    caps = load_caps(on)
    for word in (src, dst):
        if word is None or model.shape_of_custom(word) is not None or word in caps.machine_types:
            continue
        if word in _PATHS:
            how = f"netplan predict TYPE --path {word}"
            raise UsageError(f"{word!r} is a path, not a VM: {how}")
        if not rtt_between(word, word).why_unknown:
            of_type = {one for one in (src, dst) if one in caps.machine_types}
            ends = (one if one and one not in of_type else "PLACE" for one in (src, dst))
            way = "netplan predict {} --src-place {} --dst-place {}"
            how = way.format(next(iter(of_type), "TYPE"), *ends)
            raise UsageError(f"{word!r} is a place, not a machine type: {how}")
        if unknown := caps.unknown_series(word):
            raise UsageError(unknown)
        raise UsageError(
            f"{word[:60]!r} is not a machine type{near(word, caps.machine_types)}. For a VM, give"
            " its project (--project, --inventory or --demo) and name both VMs"
        )
    return _Ends(None, (src, dst))


def plugins_of(asked: Pods) -> list[NamedPlugin]:
    """Return the plugins that `--plugin` names, commas or repeated.

    Raises:
        UsageError: If what follows an @ is no rate.
    """
    found = []
    for text in (part.strip() for one in asked.plugins for part in one.split(",")):
        name, sign, link = text.partition("@")
        try:
            gbps = float(link) if sign else asked.other_link_gbps
        except ValueError:
            gbps = -1.0
        if gbps is not None and not 0 < gbps < float("inf"):
            raise UsageError(f"--plugin is NAME or NAME@GBPS such as cilium@1, not {text[:40]!r}")
        found.append(NamedPlugin(name, gbps))
    return found


def pod_of(
    plugin: NamedPlugin | None, asked: Pods, *, is_bare_metal: bool
) -> model.PodNetwork | None:
    """Return the cluster's network with one plugin, None where the options say nothing of it.

    Raises:
        UsageError: If there is no such plugin, encapsulation or encryption.
    """
    other = plugin.other_link_gbps if plugin else None
    name = plugin.name if plugin else None
    if not (name or asked.encapsulation or asked.encryption or other):
        return None
    if name:
        encapsulation_of(name)
    for option, text, known in (
        ("--encapsulation", asked.encapsulation, encapsulations()),
        ("--encryption", asked.encryption, ENCRYPTIONS),
    ):
        if text is not None and text not in known:
            hint = did_you_mean(text, known)
            raise UsageError(f"{option} {text[:40]!r} is none of {', '.join(known)}{hint}")
    pod = pod_network_of(
        plugin=name or "",
        encapsulation=asked.encapsulation or "",
        encryption=asked.encryption or "",
        note="",
        is_bare_metal=is_bare_metal,
    )
    return replace(pod, other_link_gbps=other, is_assumed=False)


def service_of(asked: Served) -> model.Service | None:
    """Return the service that the options describe, None where they describe none.

    Raises:
        UsageError: If they say half of it, or both ways at once.
    """
    size_bytes, max_tps, points = asked.bytes_per_transaction, asked.max_tps, asked.tps_at
    if asked.service is not None:
        if size_bytes is not None or max_tps is not None or points:
            raise UsageError("--service has its own values: leave out --tps-at and the others")
        return known_service(asked.service, ethernet_payload_ratio())
    if not points:
        if size_bytes is None and max_tps is None:
            return None
        if size_bytes is None or max_tps is None:
            raise UsageError("--bytes-per-transaction and --max-tps must be used together")
        return described_service(bytes_per_transaction=size_bytes, ceiling_tps=max_tps)
    if size_bytes is not None or max_tps is not None:
        raise UsageError("--tps-at replaces --bytes-per-transaction and --max-tps: use one of them")
    if len(points) != 2:
        raise UsageError(
            f"--tps-at is needed twice, for two bandwidths; it was given {len(points)} times"
        )
    low, high = sorted(map(_point, points), key=lambda point: point.gbps)
    return fit_two_points(low=low, high=high)


def _point(text: str) -> ServicePoint:
    gbps, sign, tps = text.partition("=")
    try:
        point = ServicePoint(gbps=float(gbps), tps=float(tps))
    except ValueError as exc:
        raise UsageError(f"{_LIKE}, not {text[:40]!r}") from exc
    if not sign or not (0 < point.gbps < float("inf") and 0 < point.tps < float("inf")):
        raise UsageError(f"{_LIKE}, not {text[:40]!r}")
    return point
