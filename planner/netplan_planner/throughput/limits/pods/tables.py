"""What is documented and measured of pod overlays, as it stands in `data/pod_*.csv`.

Headers are documented, by encapsulation and by encryption. Shares and times are measured: figures
of benchmarks of plugins, but never one for each plugin, so that they hold for others too.
"""

from datetime import date
from functools import cache

from netplan_planner.errors import UnknownName, nearest_names
from netplan_planner.model import LimitKind, Value
from netplan_planner.shipped import shipped_rows
from netplan_planner.throughput.limits.tables import DATA, NOBODY, Campaigns

NONE = "none"
OVERLAY = "overlay"
"""In the table: any encapsulation by the kernel."""
ENCRYPTIONS = (NONE, "wireguard", "ipsec")
VM, BARE_METAL = "vm", "bare-metal"


class PodTerm(Value, frozen=True, kw_only=True):
    """One documented or measured quantity, with the range of the figures behind it."""

    name: str
    """`header`, `link-fill`, `stream-share`, `packet-time`, `byte-time`."""
    of: str
    """The encapsulation or encryption; `overlay` for every encapsulation, `*` for all."""
    host: str
    """`vm` or `bare-metal`; empty where it does not matter."""
    value: float
    low: float
    high: float
    kind: LimitKind
    valid_from: date | None
    valid_until: date | None
    source: str
    as_of: date
    note: str = ""


class PluginDefault(Value, frozen=True, kw_only=True):
    """What a network plugin does unless it is told otherwise."""

    plugin: str
    encapsulation: str
    encryption: str
    source: str
    as_of: date
    note: str = ""


@cache
def pod_terms(without: Campaigns = NOBODY) -> tuple[PodTerm, ...]:
    """Return every quantity that ships with netplan, of all dates.

    Args:
        without: Campaigns; what rests on one of them, alone or with others, is left out.
    """
    return tuple(
        PodTerm(
            name=row["name"],
            of=row["of"],
            host=row["host"],
            value=float(row["value"]),
            low=float(row["low"]),
            high=float(row["high"]),
            kind=LimitKind(row["kind"]),
            valid_from=date.fromisoformat(row["valid_from"]) if row["valid_from"] else None,
            valid_until=date.fromisoformat(row["valid_until"]) if row["valid_until"] else None,
            source=row["source"],
            as_of=date.fromisoformat(row["source_date"]),
            note=row["note"],
        )
        for row in shipped_rows(DATA / "pod_overlays.csv")
        if without.isdisjoint(row["campaigns"].split("|"))
    )


def pod_term(
    terms: tuple[PodTerm, ...], name: str, of: str, as_of: date, host: str = ""
) -> PodTerm | None:
    """Return the quantity that holds at a date, or None when no source states one."""
    for term in terms:
        is_meant = term.name == name and term.of == of and term.host in {"", host}
        is_begun = term.valid_from is None or term.valid_from <= as_of
        if is_meant and is_begun and (term.valid_until is None or as_of <= term.valid_until):
            return term
    return None


@cache
def encapsulations() -> tuple[str, ...]:
    """Return the encapsulations whose headers are known.

    >>> encapsulations()
    ('none', 'vxlan', 'geneve', 'ipip', 'gre', 'udp', 'wireguard', 'ipsec')
    """
    return tuple(term.of for term in pod_terms() if term.name == "header")


def encapsulation_of(plugin: str) -> PluginDefault:
    """Return what a network plugin uses unless it is told otherwise, with its source.

    Args:
        plugin: Its name as people write it; case, blanks and underscores do not matter.

    Raises:
        UnknownName: If no source was read for it.

    >>> encapsulation_of("Kube OVN").encapsulation
    'geneve'
    """
    wanted = plugin.strip().casefold().replace(" ", "-").replace("_", "-")
    defaults = _plugins()
    if wanted not in defaults:
        near = nearest_names(wanted, defaults)
        hint = f"; did you mean {', '.join(near)}?" if near else "."
        raise UnknownName(
            f"No source for the encapsulation of the network plugin {plugin!r}{hint} Give the"
            f" encapsulation: {', '.join(encapsulations())}."
        )
    return defaults[wanted]


def plugins() -> tuple[str, ...]:
    """Return the names that network plugins have, other names among them."""
    return tuple(sorted(_plugins()))


@cache
def _plugins() -> dict[str, PluginDefault]:
    """Return the defaults by name and by every other name."""
    found: dict[str, PluginDefault] = {}
    for row in shipped_rows(DATA / "pod_plugins.csv"):
        default = PluginDefault(
            plugin=row["plugin"],
            encapsulation=row["encapsulation"],
            encryption=row["encryption"],
            source=row["source"],
            as_of=date.fromisoformat(row["source_date"]),
            note=row["note"],
        )
        for name in (row["plugin"], *row["aliases"].split()):
            found[name] = default
    return found
