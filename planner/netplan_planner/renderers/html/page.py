"""The frame of a page and the way spans become HTML; the rest is in `templates/`."""

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from netplan_planner.renderers.document import Line, Role, Span

_FOLDER = Path(__file__).parent
_CODE = {Role.NAME, Role.PLACE}
_PLAIN = Markup("{}")
_WITH_ROLE = Markup('<span class="{}">{}</span>')
_AS_CODE = Markup('<code class="{}">{}</code>')


def page(template: str, values: Mapping[str, object]) -> str:
    """Return a whole page: a template that extends `page.html.j2`, filled with values."""
    style, script = _asset("style.css"), _asset("script.js")
    own = {"style": style, "script": script}
    hashes = {"style_hash": _hash(style), "script_hash": _hash(script)}
    return filled(template, {**values, **own, **hashes})


def filled(template: str, values: Mapping[str, object]) -> str:
    """Return a template filled with values; every text of them is escaped."""
    return _environment().get_template(template).render(**values)


def part(template: str, macro: str, *values: object) -> Markup:
    """Return what one macro of a template makes of values."""
    made: Markup = getattr(_environment().get_template(template).module, macro)(*values)
    return made


def inline(text: Line) -> Markup:
    """Return a line as HTML; a span's role is its class, and names stand in `code`.

    >>> from netplan_planner.renderers.document import fixed, line
    >>> inline(line("a<b ", fixed("1.6 Gbit/s")))
    Markup('a&lt;b <span class="g">1.6 Gbit/s</span>')
    """
    return Markup("").join(map(_span, text))


def _span(span: Span) -> Markup:
    if span.role in _CODE:
        return _AS_CODE.format(span.role, span.text)
    classes = [span.role.value] if span.role is not Role.PLAIN else []
    if span.is_glued:
        classes.append("g")
    if not classes:
        return _PLAIN.format(span.text)
    return _WITH_ROLE.format(" ".join(classes), span.text)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["inline"] = inline
    return made


def _asset(name: str) -> Markup:
    """Return a file of ours that stands in the page as it is."""
    return Markup((_FOLDER / name).read_text(encoding="utf-8"))


def _hash(text: str) -> str:
    """Return what a Content-Security-Policy names an element's text by."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
