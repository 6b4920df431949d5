"""Google's own description of an API as the judge of what tests send and serve.

The discovery documents ship in google-api-python-client. A request to a path or with a parameter
that the document does not know, or a body with an unknown field, a wrong JSON type, an int64 that
is no string or an enum value that is not in the document, is a finding.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_JSON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
    "any": (object,),
}


@dataclass(frozen=True)
class Method:
    """A method as the document describes it."""

    id: str
    http_method: str
    path: str
    response: str
    parameters: frozenset[str]
    required: frozenset[str]
    pattern: re.Pattern[str]

    @property
    def is_read(self) -> bool:
        return self.http_method == "GET"


class Discovery:
    """One API's document, with the questions that tests ask of it."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self.revision = str(document["revision"])
        self.schemas: Mapping[str, Any] = document["schemas"]
        self.service_path = f"/{document['servicePath']}"
        self.common_parameters = frozenset(document["parameters"])
        self.methods = {method.id: method for method in _methods(document)}

    def find(self, http_method: str, path: str) -> tuple[Method, dict[str, str]] | None:
        """The method behind a request, and the parameters in its path (not unquoted)."""
        if not path.startswith(self.service_path):
            return None
        below = path.removeprefix(self.service_path)
        for method in self.methods.values():
            match = method.pattern.fullmatch(below)
            if match and method.http_method == http_method:
                return method, match.groupdict()
        return None

    def check_query(self, method: Method, names: set[str]) -> list[str]:
        known = method.parameters | self.common_parameters
        return [f"{method.id}: unknown parameter {name}" for name in sorted(names - known)]

    def check_body(self, schema: str, body: object) -> list[str]:
        """Everything in a body that its schema does not allow, each with its place."""
        findings: list[str] = []
        self._check({"$ref": schema}, body, "", findings)
        return findings

    def kind_default(self, schema: str) -> str | None:
        """The `kind` that the document gives to a schema."""
        default = self.schemas[schema]["properties"].get("kind", {}).get("default")
        return default if isinstance(default, str) else None

    def _check(self, spec: Mapping[str, Any], value: object, at: str, findings: list[str]) -> None:
        if "$ref" in spec:
            spec = self.schemas[spec["$ref"]]
        stated = spec.get("type", "object")
        if stated == "any":
            return
        is_number = isinstance(value, bool) and stated in {"integer", "number"}
        if not isinstance(value, _JSON_TYPES[stated]) or is_number:
            findings.append(f"{at or '/'}: {type(value).__name__} where {stated} is described")
        elif isinstance(value, list):
            for index, item in enumerate(value):
                self._check(spec["items"], item, f"{at}/{index}", findings)
        elif isinstance(value, dict):
            self._check_object(spec, value, at, findings)
        elif isinstance(value, str):
            _check_string(spec, value, at, findings)

    def _check_object(
        self, spec: Mapping[str, Any], value: dict[str, Any], at: str, findings: list[str]
    ) -> None:
        known = spec.get("properties", {})
        others = spec.get("additionalProperties")
        for key, item in value.items():
            place = f"{at}/{key.replace('~', '~0').replace('/', '~1')}"
            if key in known:
                self._check(known[key], item, place, findings)
            elif others is not None:
                self._check(others, item, place, findings)
            else:
                findings.append(f"{place}: unknown field")


def _check_string(spec: Mapping[str, Any], value: str, at: str, findings: list[str]) -> None:
    if spec.get("format") in {"int64", "uint64"} and not re.fullmatch(r"-?\d+", value):
        findings.append(f"{at}: {value[:40]!r} is not a {spec['format']}")
    if "enum" in spec and value not in spec["enum"]:
        findings.append(f"{at}: {value[:40]!r} is not in the enum")


def _methods(node: Mapping[str, Any]) -> list[Method]:
    found = []
    for method in node.get("methods", {}).values():
        parameters = method.get("parameters", {})
        path = method.get("flatPath", method["path"])
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(path))
        found.append(
            Method(
                id=method["id"],
                http_method=method["httpMethod"],
                path=path,
                response=method.get("response", {}).get("$ref", ""),
                parameters=frozenset(parameters),
                required=frozenset(n for n, spec in parameters.items() if spec.get("required")),
                pattern=re.compile(pattern),
            )
        )
    for child in node.get("resources", {}).values():
        found += _methods(child)
    return found


@cache
def discovery(name: str = "compute", version: str = "v1") -> Discovery:
    """The document of an API as google-api-python-client ships it."""
    import googleapiclient.discovery_cache

    folder = Path(googleapiclient.discovery_cache.__file__).parent / "documents"
    return Discovery(json.loads((folder / f"{name}.{version}.json").read_bytes()))
