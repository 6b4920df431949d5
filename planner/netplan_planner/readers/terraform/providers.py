"""What a resource's provider gives it that it does not state: project, region and zone.

A plan lists the provider blocks of all modules together. Since Terraform 1.1 a resource names the
block that it uses. Up to 1.0 it names its own module (`vm:google` in `module.vm`), which mostly has
none and takes one of the module above; a call's `providers = {…}`, which may choose another one
than the default there, is in no plan. So of several blocks that can be meant, only a value that all
of them give is known (developer.hashicorp.com/terraform/internals/json-format and
/language/modules/develop/providers, read 2026-11-24).
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from netplan_planner.model import region_of
from netplan_planner.readers.terraform.addresses import key_of, module_of

_PART = re.compile(r'([^.\[\]]+)(?:\[(\d+|"(?:[^"\\]|\\.)*")\])?')

OWN_KEYS = frozenset({"each.key", "count.index"})
_GOOGLE = "google"
_SHAPES = {
    "zone": re.compile(r"[a-z]+-[a-z]+\d+-[a-z]"),
    "region": re.compile(r"[a-z]+-[a-z]+\d+"),
}
"""Of what a variable gives: `"${var.region}-b"` mentions the same variable as `var.region`."""

Path = tuple[str, ...]
"""Of a module: names from the root on."""


def parts_of(reference: str) -> list[tuple[str, str]]:
    """Return the parts of a reference, each with the key in its brackets.

    >>> parts_of('module.a["x.y"].b')
    [('module', ''), ('a', '"x.y"'), ('b', '')]
    """
    return _PART.findall(reference)


def specific(references: list[str]) -> list[str]:
    """Return references without those that are the beginning of another one.

    >>> specific(["google_compute_network.n.id", "google_compute_network.n"])
    ['google_compute_network.n.id']
    """
    return [
        text
        for text in references
        if not any(other.startswith((f"{text}.", f"{text}[")) for other in references)
    ]


class _Block(NamedTuple):
    """A provider block, or what a module requires of a provider without one."""

    path: Path
    name: str
    """As resources of its module name it: `google`, `google.west`."""
    kind: str
    """Which provider it is, whatever modules call it."""
    expressions: Mapping[str, Any]

    @property
    def is_default(self) -> bool:
        """Whether modules below take it if their call says nothing else."""
        return "." not in self.name


class Variables:
    """The values of input variables, as far as a plan has them."""

    def __init__(
        self,
        given: Mapping[str, Any],
        modules: Mapping[Path, Mapping[str, Any]],
        calls: Mapping[Path, Mapping[str, Any]],
    ) -> None:
        self._given, self._modules, self._calls = given, modules, calls

    def value_of(self, expression: object, path: Path) -> Any:
        """Return the value of an expression in a module: a constant, or of one variable."""
        held = mapping(expression)
        if held.get("constant_value") is not None:
            return held["constant_value"]
        references = specific(texts(held.get("references")))
        parts = parts_of(references[0]) if len(references) == 1 else []
        if len(parts) < 2 or parts[0][0] != "var":
            return None
        (name, key), *rest = parts[1:]
        value = self._variable(name, path)
        for step in (key_of(key), *(one for part, key in rest for one in (part, key_of(key)))):
            if step is not None:
                value = mapping(value).get(str(step))
        return value

    def is_settled(self, expression: object, path: Path) -> bool:
        """Return whether variables of the root module and constants alone decide an expression.

        Its value is known before the plan is applied, so one that is not there is null.
        """
        for text in specific(texts(mapping(expression).get("references"))):
            parts = parts_of(text)
            if text in OWN_KEYS:
                continue
            if len(parts) < 2 or parts[0][0] != "var":
                return False
            name = parts[1][0]
            arguments = mapping(self._calls.get(path, {}).get("expressions")) if path else {}
            if name in arguments:
                if not self.is_settled(arguments[name], path[:-1]):
                    return False
            elif name not in mapping(self._modules.get(path, {}).get("variables")):
                return False
        return True

    def _variable(self, name: str, path: Path) -> Any:
        declared = mapping(mapping(self._modules.get(path, {}).get("variables")).get(name))
        if declared.get("sensitive") is True:
            return None
        if path:
            arguments = mapping(self._calls.get(path, {}).get("expressions"))
            if name in arguments:
                return self.value_of(arguments[name], path[:-1])
        else:
            given = mapping(self._given.get(name)).get("value")
            if given is not None:
                return given
        return declared.get("default")


class Providers:
    """The provider blocks of a plan."""

    def __init__(self, configured: object, variables: Variables) -> None:
        self._variables = variables
        self._by_key = {key: _block(mapping(held)) for key, held in mapping(configured).items()}
        self._by_path: dict[Path, dict[str, _Block]] = {}
        for block in self._by_key.values():
            self._by_path.setdefault(block.path, {})[block.name] = block
        self._known: dict[tuple[object, Path, str], tuple[str | None, str]] = {}

    def default(self, key: object, path: Path, field: str) -> tuple[str | None, str]:
        """Return what its provider gives a resource, or None and why it is not known.

        Args:
            key: Its `provider_config_key`.
            path: Of its module.
            field: `project`, `region` or `zone`.
        """
        asked = (key if isinstance(key, str) else _GOOGLE, path, field)
        if asked not in self._known:
            self._known[asked] = self._default(*asked)
        return self._known[asked]

    def _default(self, key: str, path: Path, field: str) -> tuple[str | None, str]:
        module, _, name = key.rpartition(":")
        home = path if module else ()
        own = self._by_key.get(key) or self._by_path.get(home, {}).get(name)
        meant = self._meant(own or _Block(home, name, _kind_in(name), {}))
        values = {self._value(block, field) for block in meant}
        if len(values) == 1:
            return values.pop(), ""
        names = ", ".join(sorted({block.name for block in meant}))
        return None, f"which provider block its module uses ({names}) is not in the plan"

    def _meant(self, own: _Block) -> list[_Block]:
        """Return the block itself; of one that says nothing in a module, those it can be above."""
        if own.expressions or not own.path:
            return [own]
        found: list[_Block] = []
        for end in range(len(own.path) - 1, -1, -1):
            path = own.path[:end]
            alike = [b for b in self._by_path.get(path, {}).values() if b.kind == own.kind]
            found += (block for block in alike if block.expressions)
            is_whole = all(block.expressions for block in alike)
            if is_whole and any(block.is_default for block in alike):
                return found
        # A provider without a block takes all from the environment.
        return [*found, _Block((), own.kind, own.kind, {})]

    def _value(self, block: _Block, field: str) -> str | None:
        expression = mapping(block.expressions.get(field))
        value = self._variables.value_of(expression, block.path)
        if field == "region" and not expression:
            # Google's provider takes the region of its zone where it has none itself.
            zone = self._value(block, "zone")
            return region_of(zone) if zone else None
        if not isinstance(value, str) or not value:
            return None
        shape = None if expression.get("constant_value") else _SHAPES.get(field)
        return value if shape is None or shape.fullmatch(value) else None


def _block(held: Mapping[str, Any]) -> _Block:
    name, alias = (str(held.get(key) or "") for key in ("name", "alias"))
    path = module_of(str(held.get("module_address") or "")).path
    kind = str(held.get("full_name") or "").rpartition("/")[2] or _kind_in(name)
    own = f"{name}.{alias}" if alias else name
    return _Block(path, own, kind, mapping(held.get("expressions")))


def _kind_in(name: str) -> str:
    return name.partition(".")[0]


def mapping(value: object) -> Mapping[str, Any]:
    """Return a JSON object; an empty one for whatever else it is."""
    return value if isinstance(value, dict) else {}


def texts(value: object) -> list[str]:
    """Return the texts of a JSON list."""
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []
