r"""Tables as CSV, in one dialect: commas, line feeds, quotes only where they must be.

What is unknown is an empty cell, yes and no are `true` and `false`. Numbers have no thousands
separators and at most 6 significant digits, since more would feign what no model knows; money
(`Decimal`) is exact, and so is what is counted; no zeros end a fraction. Text is inert: it holds no
control characters, and nothing that a spreadsheet takes for a formula.
"""

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TextIO

from netplan_planner.inert import inert_cell

_LEAST, _MOST = 1e-12, 1e18
"""Between them numbers are written out, because some readers take an exponent for text."""
_NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)


def csv_cell(value: object) -> str:
    r"""Return the text of a cell, before quotes are put around it where it needs them.

    >>> [csv_cell(one) for one in (None, True, 12, 2 / 3, Decimal("0.10"), "=1+1", "-5", "a\x1b")]
    ['', 'true', '12', '0.666667', '0.1', "'=1+1", '-5', 'a\\x1b']
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Decimal):
        return _exact(value)
    if isinstance(value, float):
        return _rounded(value)
    return text_cell(str(value))


def _exact(value: Decimal) -> str:
    """Return all digits of a number, without zeros at the end of its fraction.

    >>> [_exact(Decimal(text)) for text in ("730.0", "1E+3", "0.00", "-0")]
    ['730', '1000', '0', '0']
    """
    text = f"{value:f}"
    short = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if short == "-0" else short


def _rounded(value: float) -> str:
    """Return a number with 6 significant digits, without an exponent unless it is beyond reason.

    >>> _rounded(1_800_000.0), _rounded(1_234_567.0), _rounded(1e-07), _rounded(1e30)
    ('1800000', '1234570', '0.0000001', '1e+30')
    """
    short = f"{value:.6g}"
    return f"{Decimal(short):f}" if _LEAST < abs(value) < _MOST else short


def text_cell(text: str) -> str:
    """Return a text that is harmless; what reads as a number stays one, and stays as it stands.

    >>> text_cell("-1e3"), text_cell("-cmd()"), text_cell("007")
    ('-1e3', "'-cmd()", '007')
    """
    return text if _NUMBER.fullmatch(text) and text.isprintable() else inert_cell(text)


def write_rows(stream: TextIO, columns: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    """Write a header and rows; names of columns are texts like others."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(map(text_cell, columns))
    writer.writerows(map(csv_cell, row) for row in rows)


def csv_text(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    r"""Return a header and rows as text that ends with a line end.

    >>> csv_text(("type", "gbps"), [("n2-standard-4, custom", 10.0), (None, None)])
    'type,gbps\n"n2-standard-4, custom",10\n,\n'
    """
    stream = io.StringIO(newline="")
    write_rows(stream, columns, rows)
    return stream.getvalue()
