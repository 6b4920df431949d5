"""One path with several network plugins of a cluster, a row each."""

from collections.abc import Iterator
from datetime import date
from typing import TypedDict, cast

from netplan_planner.renderers.content import Cell, DataTable
from netplan_planner.renderers.content.phrases import NO_PLUGIN, limit_words
from netplan_planner.renderers.content.prediction import heading
from netplan_planner.renderers.document import Block, Column, Line, Para, Table, fixed, line, say
from netplan_planner.renderers.figures import rate_interval
from netplan_planner.renderers.options import RenderOptions
from netplan_planner.verbs.predict.answer import ByPlugin, PluginTable

SCHEMA = "netplan.prediction-by-plugin/1"


class PluginRow(TypedDict):
    """A path with one network plugin; null where nothing is known or nothing applies."""

    plugin: str | None
    encapsulation: str | None
    encryption: str | None
    other_link_gbps: float | None
    predicted_gbps: float | None
    low_gbps: float | None
    high_gbps: float | None
    binding_limit: str | None
    tps: float | None
    low_tps: float | None
    high_tps: float | None
    limits_as_of: date
    reason: str


class Record(TypedDict):
    """One path with several network plugins, the hosts themselves first."""

    plugins: tuple[PluginRow, ...]


def record(answer: PluginTable) -> Record:
    """Return a record a plugin, with the fields of the table."""
    return {"plugins": tuple(_fields(one) for one in answer.rows)}


def table(answer: PluginTable) -> DataTable:
    """Return a row a plugin."""
    rows = (cast("dict[str, Cell]", _fields(one)) for one in answer.rows)
    return DataTable(tuple(PluginRow.__annotations__), (tuple(row.values()) for row in rows))


def _fields(one: ByPlugin) -> PluginRow:
    told = one.prediction
    found, pod, done = told.estimate, told.query.pod, told.transactions
    return {
        "plugin": one.plugin,
        "encapsulation": pod.encapsulation if pod else None,
        "encryption": pod.encryption if pod else None,
        "other_link_gbps": one.other_link_gbps,
        "predicted_gbps": found.gbps,
        "low_gbps": found.low_gbps,
        "high_gbps": found.high_gbps,
        "binding_limit": found.binding.name if found.binding else None,
        "tps": done.tps if done else None,
        "low_tps": done.low_tps if done else None,
        "high_tps": done.high_tps if done else None,
        "limits_as_of": told.limits_as_of,
        "reason": "; ".join(found.unknown),
    }


def blocks(answer: PluginTable, options: RenderOptions) -> Iterator[Block]:
    """Yield the path once, then a row a plugin."""
    last = answer.rows[-1].prediction
    yield heading(last)
    columns = (
        Column(title="plugin"),
        Column(title="throughput"),
        Column(title="transactions/s", stacked="{} transactions/s"),
        Column(title="limit", is_note=True),
    )
    yield Table(columns=columns, rows=tuple(_row(one) for one in answer.rows), is_inner=True)
    if any(one.other_link_gbps for one in answer.rows if one.plugin):
        yield Para(line=line("@: uses another link with this many Gbit/s"), is_inner=True)
    if last.service is not None:
        size = last.service.bytes_per_transaction / 1000
        text = (
            f"service: {size:.3g} kB per transaction, at most {last.service.ceiling_tps:,.0f}/s "
            "if the network does not limit it"
        )
        yield Para(line=line(text), is_inner=True)


def _row(one: ByPlugin) -> tuple[Line, ...]:
    found, done = one.prediction.estimate, one.prediction.transactions
    throughput = "unknown"
    if found.gbps is not None:
        throughput = rate_interval(found.gbps, found.low_gbps, found.high_gbps)
    tps = f"{done.tps:,.0f} [{done.low_tps:,.0f} to {done.high_tps:,.0f}]" if done else ""
    why = limit_words(found.binding.name) if found.binding else "; ".join(found.unknown)
    return line(say(_name(one))), line(fixed(throughput)), line(tps), line(say(why))


def _name(one: ByPlugin) -> str:
    if one.plugin is None:
        return NO_PLUGIN
    other = one.other_link_gbps
    return one.plugin if other is None else f"{one.plugin} @{other:g}"
