"""The network of a cluster as the options of `netplan predict` say it; one plugin or several."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from netplan_planner.errors import UsageError
from netplan_planner.inert import escaped_json, inert
from netplan_planner.tables.writing import csv_text

if TYPE_CHECKING:
    from netplan_planner.engine.predict_path import PathAnswer
    from netplan_planner.model import PodNetwork

SCHEMA = "netplan.prediction-by-plugin/1"
NO_PLUGIN = "(no plugin)"
COLUMNS = (
    "plugin",
    "encapsulation",
    "encryption",
    "other_link_gbps",
    "predicted_gbps",
    "low_gbps",
    "high_gbps",
    "binding_limit",
    "tps",
    "low_tps",
    "high_tps",
    "limits_as_of",
    "reason",
)


class NamedPlugin(NamedTuple):
    """A plugin as it was asked for."""

    name: str
    other_link_gbps: float | None


def plugins_of(texts: Sequence[str], other_link_gbps: float | None) -> list[NamedPlugin]:
    """Return the plugins that `--plugin` names, commas or repeated.

    Raises:
        UsageError: If what follows an @ is no rate.
    """
    found = []
    for text in (part.strip() for one in texts for part in one.split(",")):
        name, sign, link = text.partition("@")
        try:
            gbps = float(link) if sign else other_link_gbps
        except ValueError:
            gbps = -1.0
        if gbps is not None and not 0 < gbps < float("inf"):
            raise UsageError(f"--plugin is NAME or NAME@GBPS such as cilium@1, not {text[:40]!r}")
        found.append(NamedPlugin(name, gbps))
    return found


def pod_of(
    plugin: NamedPlugin | None,
    encapsulation: str | None,
    encryption: str | None,
    *,
    is_bare_metal: bool,
) -> "PodNetwork | None":
    """Return the cluster's network as the options say it, None where they say nothing."""
    other = plugin.other_link_gbps if plugin else None
    name = plugin.name if plugin else None
    if not (name or encapsulation or encryption or other):
        return None
    from netplan_planner.readers.path_cells import pod_network_of
    from netplan_planner.throughput.limits.pods.overlay import (
        ENCRYPTIONS,
        encapsulation_of,
        encapsulations,
    )

    if name:
        encapsulation_of(name)
    for option, text, known in (
        ("--encapsulation", encapsulation, encapsulations()),
        ("--encryption", encryption, ENCRYPTIONS),
    ):
        if text is not None and text not in known:
            raise UsageError(f"{option} {text[:40]!r} is none of {', '.join(known)}")
    pod = pod_network_of(
        plugin=name or "",
        encapsulation=encapsulation or "",
        encryption=encryption or "",
        note="",
        is_bare_metal=is_bare_metal,
    )
    return msgspec.structs.replace(pod, other_link_gbps=other, is_assumed=False)


class PluginAnswer(NamedTuple):
    """The answer with one plugin; `plugin` is None for the hosts themselves."""

    plugin: NamedPlugin | None
    answer: "PathAnswer"


def written(
    answers: Sequence[PluginAnswer], form: str, heading: Callable[["PathAnswer"], list[str]]
) -> str:
    """Return the table of plugins in a form, ending with a line end."""
    rows = [_row(one) for one in answers]
    if form == "json":
        document = {"schema": SCHEMA, "plugins": rows}
        return escaped_json(msgspec.json.format(msgspec.json.encode(document)).decode()) + "\n"
    if form == "csv":
        return csv_text(COLUMNS, ([row[name] for name in COLUMNS] for row in rows))
    return _text(answers, heading(answers[-1].answer))


def _row(one: PluginAnswer) -> dict[str, object]:
    found, pod, done = one.answer.estimate, one.answer.query.pod, one.answer.transactions
    return {
        "plugin": one.plugin.name if one.plugin else None,
        "encapsulation": pod.encapsulation if pod else None,
        "encryption": pod.encryption if pod else None,
        "other_link_gbps": one.plugin.other_link_gbps if one.plugin else None,
        "predicted_gbps": found.gbps,
        "low_gbps": found.low_gbps,
        "high_gbps": found.high_gbps,
        "binding_limit": found.binding.name if found.binding else None,
        "tps": done.tps if done else None,
        "low_tps": done.low_tps if done else None,
        "high_tps": done.high_tps if done else None,
        "limits_as_of": one.answer.limits_as_of.isoformat(),
        "reason": "; ".join(found.unknown),
    }


def _name(plugin: NamedPlugin | None) -> str:
    if plugin is None:
        return NO_PLUGIN
    other = plugin.other_link_gbps
    return plugin.name if other is None else f"{plugin.name} @{other:g}"


def _text(answers: Sequence[PluginAnswer], heading: list[str]) -> str:
    from netplan_planner.renderers.content.phrases import limit_words
    from netplan_planner.renderers.figures import interval, rate

    has_service = any(one.answer.transactions for one in answers)
    titles = ["plugin", "throughput", *(["transactions/s"] if has_service else []), "bound by"]
    cells = []
    for one in answers:
        found, done = one.answer.estimate, one.answer.transactions
        if found.gbps is None:
            throughput = "unknown"
        else:
            span = interval(found.gbps, found.low_gbps or 0.0, found.high_gbps or 0.0)
            throughput = f"{rate(found.gbps)} {span}"
        tps = f"{done.tps:,.0f} [{done.low_tps:,.0f} to {done.high_tps:,.0f}]" if done else ""
        why = limit_words(found.binding.name) if found.binding else "; ".join(found.unknown)
        name = _name(one.plugin)
        cells.append([name, throughput, *([tps] if has_service else []), why])
    shown = [titles, *([inert(cell) for cell in row] for row in cells)]
    widths = [max(len(row[at]) for row in shown) for at in range(len(titles) - 1)]
    lines = [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]])
        for row in shown
    ]
    if any(one.plugin and one.plugin.other_link_gbps for one in answers):
        lines.append("@: uses another link, of so many Gbit/s")
    service = answers[-1].answer.service
    if service is not None:
        size = service.bytes_per_transaction / 1000
        lines.append(
            f"service: {size:.3g} kB a transaction, at most {service.ceiling_tps:,.0f}/s where no"
            " path holds it back"
        )
    return "\n".join([*heading, *(f"  {one}".rstrip() for one in lines)]) + "\n"
