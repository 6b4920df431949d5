"""What a plan's configuration says of values that are known after apply only.

An expression is not written out in the JSON of a plan; the resources that it mentions are
(`references`). That is enough for links: a field that shall hold the link of a network, and
mentions one network, holds the link of that network. Locals and what functions choose are not
written there, so a field that goes through them stays unknown.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from netplan_planner.model import SelfLink
from netplan_planner.readers.terraform.addresses import Key, key_of
from netplan_planner.readers.terraform.layout import Entry
from netplan_planner.readers.terraform.providers import (
    OWN_KEYS,
    Path,
    Providers,
    Variables,
    mapping,
    parts_of,
    specific,
    texts,
)

_MOST_STEPS = 20
"""From variable to variable and output to output; a configuration of people has five."""

_LONGEST = 120

Resource = tuple[Path, str, str]
"""Of the configuration: path of its module, type (`data.` before it for data), and name."""


class Target(NamedTuple):
    """A resource that a reference leads to, and which instances of it can be meant."""

    resource: Resource
    module_keys: tuple[Key | object, ...]
    key: Key | object


ANY = object()
"""Any key: the reference does not say which."""


class Found(NamedTuple):
    """The links that an expression leads to, or why it leads to none."""

    links: tuple[SelfLink, ...] = ()
    why_not: str = ""
    is_null: bool = False
    """Variables decide it, so that it is null where a plan has no value of it."""


class Configuration:
    """The configuration of a plan, and the links of the resources that it makes."""

    def __init__(self, raw: object, variables: object) -> None:
        held = raw if isinstance(raw, dict) else {}
        self._modules: dict[Path, Mapping[str, Any]] = {}
        self._calls: dict[Path, Mapping[str, Any]] = {}
        self._resources: dict[Resource, Mapping[str, Any]] = {}
        self._instances: dict[Resource, list[tuple[tuple[Key, ...], Key, SelfLink]]] = {}
        self._walk(mapping(held.get("root_module")), ())
        self._given = Variables(mapping(variables), self._modules, self._calls)
        self._providers = Providers(held.get("provider_config"), self._given)

    def _walk(self, module: Mapping[str, Any], path: Path) -> None:
        self._modules[path] = module
        for resource in _items(module.get("resources")):
            kind = f"data.{resource.get('type')}" if resource.get("mode") == "data" else None
            own = (path, kind or str(resource.get("type")), str(resource.get("name")))
            self._resources[own] = resource
        for name, call in mapping(module.get("module_calls")).items():
            if isinstance(call, dict) and len(path) < _MOST_STEPS:
                self._calls[(*path, name)] = call
                self._walk(mapping(call.get("module")), (*path, name))

    def place(self, entry: Entry, link: SelfLink) -> None:
        """Note the link of an instance, so that references find it."""
        found = self._instances.setdefault(_resource_of(entry), [])
        found.append((entry.module.keys, entry.key, link))

    def expressions(self, entry: Entry) -> Mapping[str, Any]:
        """Return the expressions of a resource's arguments, nested as its blocks are."""
        resource = self._resources.get(_resource_of(entry), {})
        return mapping(resource.get("expressions"))

    def provider_default(self, entry: Entry, field: str) -> str | None:
        """Return project, region or zone of a resource's provider; None where it is not known."""
        return self.default(entry, field)[0]

    def default(self, entry: Entry, field: str) -> tuple[str | None, str]:
        """Return the same, and why it is not known: empty where the provider has none."""
        key = self._resources.get(_resource_of(entry), {}).get("provider_config_key")
        return self._providers.default(key, entry.module.path, field)

    def is_left_open(self, entry: Entry, field: str) -> bool:
        """Whether an argument that has no value in a plan has none after apply: it is null."""
        expression = self.expressions(entry).get(field)
        return expression is None or self._given.is_settled(expression, entry.module.path)

    def links(self, entry: Entry, expression: object) -> Found:
        """Return the links of the resources that an expression of a resource mentions."""
        references = specific(texts(mapping(expression).get("references")))
        own = [text for text in references if text in OWN_KEYS]
        links: list[SelfLink] = []
        for text in references:
            if text in OWN_KEYS:
                continue
            target = self._target(text, entry.module.path, entry.module.keys, _MOST_STEPS)
            if target is None:
                is_null = self._given.is_settled(expression, entry.module.path)
                return Found(why_not=text[:_LONGEST], is_null=is_null)
            candidates = self._candidates(target, entry, bool(own))
            if not candidates:
                return Found(why_not=text[:_LONGEST])
            links += candidates
        return Found(links=tuple(dict.fromkeys(links)))

    def _target(
        self, text: str, path: Path, keys: tuple[Key | object, ...], steps: int
    ) -> Target | None:
        """Follow a reference through variables and outputs to a resource."""
        parts = parts_of(text)
        if not parts or not steps:
            return None
        head = parts[0][0]
        if head == "var" and len(parts) > 1 and path:
            given = mapping(self._calls[path].get("expressions")).get(parts[1][0])
            return self._only(given, path[:-1], keys[:-1], steps - 1)
        if head == "module" and len(parts) > 2:
            name, key = parts[1]
            inside = (*path, name)
            outputs = mapping(self._modules.get(inside, {}).get("outputs"))
            expression = mapping(outputs.get(parts[2][0])).get("expression")
            chosen = key_of(key) if key else ANY
            return self._only(expression, inside, (*keys, chosen), steps - 1)
        if head == "data" and len(parts) > 2:
            return _target_of(path, f"data.{parts[1][0]}", parts[2], keys)
        if head.startswith("google_") and len(parts) > 1:
            return _target_of(path, head, parts[1], keys)
        return None

    def _only(
        self, expression: object, path: Path, keys: tuple[Key | object, ...], steps: int
    ) -> Target | None:
        references = specific(texts(mapping(expression).get("references")))
        return self._target(references[0], path, keys, steps) if len(references) == 1 else None

    def _candidates(self, target: Target, entry: Entry, is_by_key: bool) -> list[SelfLink]:
        """Return the one instance that is meant, or all of a list; nothing when it is not sure.

        A reference by `each.key` or `count.index` means the instance of the same key where both
        resources have as many: what a function makes of the key is not written in a plan.
        """
        held = self._instances.get(target.resource, [])
        found = [
            (key, link)
            for module_keys, key, link in held
            if all(
                want is ANY or want == has
                for want, has in zip(target.module_keys, module_keys, strict=True)
            )
            and (target.key is ANY or target.key == key)
        ]
        if is_by_key and len(found) > 1:
            beside = self._instances.get(_resource_of(entry), [])
            as_many = sum(1 for keys, _, _ in beside if keys == entry.module.keys) == len(found)
            found = [(key, link) for key, link in found if as_many and key == entry.key]
        return [link for _, link in found]


def _target_of(
    path: Path, kind: str, name: tuple[str, str], keys: tuple[Key | object, ...]
) -> Target:
    return Target((path, kind, name[0]), keys, key_of(name[1]) if name[1] else ANY)


def _resource_of(entry: Entry) -> Resource:
    return entry.module.path, f"data.{entry.type}" if entry.is_data else entry.type, entry.name


def _items(value: object) -> Iterable[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else ()
