"""The links of Terraform's resources: stated, or put together of project, place and name."""

from typing import Any

import msgspec

from netplan_planner.model import SelfLink, canonical_link, last_part
from netplan_planner.readers.links import Unusable
from netplan_planner.readers.terraform.layout import Entry
from netplan_planner.readers.terraform.references import Configuration
from netplan_planner.readers.terraform.types import Type

UNKNOWN_PROJECT = "(unknown)"
"""For a project that is known after apply; no project can have such a name."""

_SINGULAR = {"zones": "zone", "regions": "region", "locations": "location"}


class _Place(msgspec.Struct, gc=False):
    self_link: Any = None
    id: Any = None
    name: Any = None
    project: Any = None
    zone: Any = None
    region: Any = None
    location: Any = None
    vpc_flow_logs_config_id: Any = None


_PLACE = msgspec.json.Decoder(_Place)


def link_of_entry(entry: Entry, kind: Type, configuration: Configuration) -> SelfLink:
    """Return the link of a resource that may not be made yet.

    A name that is not known yet is the address in parentheses, which no name can have.

    Raises:
        Unusable: If nothing says in which zone or region it is.
    """
    try:
        place = _PLACE.decode(entry.values)
    except msgspec.MsgspecError as exc:
        raise Unusable(f"no attributes: {exc}") from exc
    for stated in (place.self_link, place.id):
        if isinstance(stated, str) and f"/{kind.collection}/" in stated:
            return canonical_link(stated)
    project = _text(place.project) or configuration.provider_default(entry, "project")
    name = _text(place.name) or _text(place.vpc_flow_logs_config_id)
    own = last_part(name) if name else f"({entry.address.replace('/', '%2F')})"
    head = f"projects/{project or UNKNOWN_PROJECT}"
    if kind.scope == "global":
        return SelfLink(f"{head}/global/{kind.collection}/{own}")
    scope = _SINGULAR[kind.scope]
    where = _text(getattr(place, scope)) or configuration.provider_default(entry, scope)
    if not where:
        raise Unusable(f"its {scope} is not known")
    return SelfLink(f"{head}/{kind.scope}/{last_part(where)}/{kind.collection}/{own}")


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
