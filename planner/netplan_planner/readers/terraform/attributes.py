"""The attributes of a Terraform resource: known, unknown until it is applied, or not there."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from netplan_planner.readers.terraform.references import Found
from netplan_planner.readers.terraform.sensitive import WITHHELD

Resolve = Callable[[object], Found]
"""From an expression of the configuration to the links that it leads to."""


ASKED_BLOCKS = frozenset(
    {
        "access_config",
        "advanced_machine_features",
        "alias_ip_range",
        "attached_disk",
        "autoscaling",
        "autoscaling_policy",
        "boot_disk",
        "disk",
        "ipv6_access_config",
        "network_interface",
        "network_performance_config",
        "scratch_disk",
        "version",
    }
)
"""Blocks that are there only where somebody writes them. One that is known after apply comes of a
`dynamic` block, which the configuration in a plan leaves out
(developer.hashicorp.com/terraform/internals/json-format, read 2026-11-24)."""
SENSITIVE = "not read: Terraform marks it as sensitive"


def api_name(name: str) -> str:
    """Return how the API spells the name of an attribute.

    >>> api_name("target_vpn_gateway")
    'targetVpnGateway'
    """
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


class Unknowns:
    """What of a resource is known after apply only.

    Attributes:
        asked: Field and reason for what the configuration gives a value that is not known yet.
        chosen: Fields that Google chooses when it makes the resource; nobody asked for a value.
    """

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.chosen: list[str] = []


class Attributes:
    """A resource or one block of it. Empty texts and nulls are not there, as Terraform has it."""

    __slots__ = ("_below", "_expressions", "_notes", "_path", "_resolve", "_unknown", "_values")

    def __init__(
        self,
        values: Mapping[str, Any],
        unknown: Mapping[str, Any] | None,
        expressions: Mapping[str, Any],
        resolve: Resolve,
        notes: Unknowns,
        path: str = "",
        below: "Attributes | None" = None,
    ) -> None:
        self._values, self._unknown, self._expressions = values, unknown, expressions
        self._resolve, self._notes, self._path = resolve, notes, path
        self._below = below

    def over(self, template: "Attributes") -> "Attributes":
        """Return these, with what they leave open taken from a template."""
        return Attributes(
            self._values,
            self._unknown,
            self._expressions,
            self._resolve,
            self._notes,
            self._path,
            template,
        )

    @property
    def has_template(self) -> bool:
        """Whether what these leave open is a template's."""
        return self._below is not None

    def get(self, name: str) -> Any:
        """Return a value as it is; None when it is not there, and noted when it is not known."""
        value = self._values.get(name)
        if value is not None and value != "":
            return value
        if self._below is not None and name not in self._expressions:
            return self._below.get(name)
        if self.is_unknown(name):
            self._note(name, self._links(name).why_not)
        return None

    def named(self, *names: str) -> dict[str, Any]:
        """Return values by their names as the API spells them: `peer_ip` is its `peerIp`."""
        return {api_name(name): self.get(name) for name in names}

    def linked(self, *names: str) -> dict[str, Any]:
        """Return links by their names as the API spells them."""
        return {api_name(name): self.link(name) for name in names}

    def is_unknown(self, name: str) -> bool:
        """Whether a value, or a whole block, is known after apply only.

        Planned values without what is unknown of them (None) leave out what is not known.
        """
        if self._unknown is None:
            return name not in self._values
        return self._unknown.get(name) is True or self.is_withheld(name)

    def is_withheld(self, name: str) -> bool:
        """Whether a value, or one of a list, is marked as sensitive."""
        told = self._unknown.get(name) if self._unknown is not None else None
        return told == WITHHELD or (isinstance(told, list) and WITHHELD in told)

    def is_asked(self, name: str) -> bool:
        """Whether the configuration gives the attribute a value."""
        return name in self._expressions

    def text(self, name: str) -> str | None:
        """Return a value that is a text, else None."""
        value = self.get(name)
        return value if isinstance(value, str) else None

    def texts(self, name: str) -> list[Any] | None:
        """Return a list, with the links of what an unknown one refers to."""
        value = self._values.get(name)
        if isinstance(value, list) and None not in value:
            return value
        known = [item for item in value if item is not None] if isinstance(value, list) else []
        found = self._links(name)
        if found.links:
            return list(dict.fromkeys((*known, *found.links)))
        if self._below is not None and not self.is_asked(name):
            return self._below.texts(name)
        if self.is_unknown(name) or known != (value or []):
            self._note(name, found.why_not)
        return known or None

    def referred(self, name: str) -> tuple[str, ...]:
        """Return the links of the resources that the configuration refers to in an attribute."""
        return self._links(name).links

    def link(self, name: str) -> str | None:
        """Return a link, or that of the one resource that the configuration refers to."""
        value = self._values.get(name)
        if isinstance(value, str) and value:
            return value
        found = self._links(name)
        if len(found.links) == 1:
            return found.links[0]
        if self._below is not None and not self.is_asked(name):
            return self._below.link(name)
        if self.is_unknown(name):
            why = f"one of {len(found.links)} resources" if found.links else found.why_not
            self._note(name, why)
        return None

    def blocks(self, name: str) -> "Iterator[Attributes]":
        """Yield the blocks of a kind, in their order."""
        held = self._values.get(name)
        if not held:
            if self._below is not None and not self.is_asked(name):
                yield from self._below.blocks(name)
            elif self.is_unknown(name):
                self._note(name, is_asked=name in ASKED_BLOCKS)
            return
        if not isinstance(held, list):
            return
        is_told = self._unknown is not None
        unknown = self._unknown.get(name) if self._unknown is not None else None
        expressions = self._expressions.get(name)
        for index, block in enumerate(held):
            if isinstance(block, dict):
                yield Attributes(
                    block,
                    _nth(unknown, index) if is_told else None,
                    _nth(expressions, index),
                    self._resolve,
                    self._notes,
                    f"{self._path}{name}[{index}].",
                )

    def block(self, name: str) -> "Attributes | None":
        """Return the only block of a kind."""
        return next(self.blocks(name), None)

    def _links(self, name: str) -> Found:
        expression = self._expressions.get(name)
        return Found() if expression is None else self._resolve(expression)

    def _note(self, name: str, why: str = "", *, is_asked: bool = False) -> None:
        if self.is_withheld(name):
            self._notes.asked.append((self._path + name, SENSITIVE))
        elif is_asked or (name in self._expressions and not self._links(name).is_null):
            reason = f"known after apply ({why})" if why else "known after apply"
            self._notes.asked.append((self._path + name, reason))
        else:
            self._notes.chosen.append(self._path + name)


def _nth(value: object, index: int) -> Mapping[str, Any]:
    if isinstance(value, list) and index < len(value) and isinstance(value[index], dict):
        found: Mapping[str, Any] = value[index]
        return found
    return {}
