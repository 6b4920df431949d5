"""What a service does with each network plugin before and after pods use the faster link."""

from collections.abc import Iterator

from netplan_planner.model.plugin_change import OnLink, PluginChange, PluginChanges
from netplan_planner.renderers.content.phrases import NO_PLUGIN, limit_words
from netplan_planner.renderers.document import (
    Block,
    Column,
    Field,
    Line,
    Para,
    Role,
    Section,
    Table,
    fixed,
    line,
    say,
)
from netplan_planner.renderers.options import RenderOptions


def plugin_changes(found: PluginChanges | None, options: RenderOptions) -> Iterator[Block]:
    """Yield the table of plugins; with sources what each row rests on."""
    if found is None:
        return
    first = found.rows[0]
    links = f"{first.before.link_gbps:g} and {first.after.link_gbps:g} Gbit/s"
    yield Section(line=line(f"Transactions per second by network plugin, on {links}"))
    yield Para(line=line(found.limits))
    columns = (
        Column(title="plugin"),
        Column(title="before", stacked="before: {}"),
        Column(title="after", stacked="after: {}"),
        Column(title="then bound by", is_note=True),
    )
    yield Table(columns=columns, rows=tuple(_row(row) for row in found.rows))
    told = tuple(
        line(say(_name(row), Role.NAME), f": {row.told}") for row in found.rows if row.told
    )
    if told:
        yield Field(label="as told", line=told[0], more=told[1:])
    if options.gives_sources():
        rests = tuple(line(say(_name(row), Role.NAME), f": {row.source}") for row in found.rows)
        yield Field(label="sources", line=rests[0], more=rests[1:], is_source=True)


def _row(row: PluginChange) -> tuple[Line, ...]:
    binding = row.after.estimate.binding
    return (
        line(say(_name(row), Role.NAME)),
        line(fixed(_done(row.before))),
        line(fixed(_done(row.after))),
        line(say(limit_words(binding.name) if binding is not None else "")),
    )


def _done(on: OnLink) -> str:
    done = on.transactions
    if done is None:
        return "; ".join(on.estimate.unknown) or "unknown"
    return f"{done.tps:,.0f} [{done.low_tps:,.0f} to {done.high_tps:,.0f}]"


def _name(row: PluginChange) -> str:
    return NO_PLUGIN if row.plugin is None else f"{row.plugin} ({row.encapsulation})"
