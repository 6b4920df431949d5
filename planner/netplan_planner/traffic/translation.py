"""Translates statements of the subset (docs/adr/0003) for other engines, by sqlglot.

It is imported for remote engines alone: an extra, and a third of a second to import.
"""

from enum import StrEnum
from typing import NamedTuple

import sqlglot
from sqlglot import ErrorLevel, exp
from sqlglot.dialects.bigquery import BigQuery
from sqlglot.dialects.spark import Spark

from netplan_planner.traffic.files.records import END_SEPARATOR, PART_SEPARATOR, TAG_SEPARATOR

_SEPARATORS = frozenset({END_SEPARATOR, PART_SEPARATOR, TAG_SEPARATOR})


class Dialect(StrEnum):
    """What statements are translated to."""

    BIGQUERY = "bigquery"
    SPARK = "spark"


class Statement(NamedTuple):
    """A statement for another engine."""

    query: str
    table: str | None = None
    """Where its rows go; None: they are asked for."""
    replaces: bool = False
    """Its rows take the place of those in the table."""


class _RawSpark(Spark):
    """Spark's, with separators as they are: not every server knows them as numbers."""


class _RawBigQuery(BigQuery):
    """BigQuery's, with separators as they are."""


for _raw in (_RawSpark, _RawBigQuery):
    _raw.ESCAPED_SEQUENCES = {
        character: escape
        for character, escape in _raw.ESCAPED_SEQUENCES.items()
        if character not in _SEPARATORS
    }

_DIALECTS = {Dialect.BIGQUERY: _RawBigQuery, Dialect.SPARK: _RawSpark}


def translate(query: str, dialect: Dialect) -> str:
    """Return a query in another dialect.

    Raises:
        sqlglot.errors.SqlglotError: If it cannot be said there.
    """
    return _text(sqlglot.parse_one(query, read="duckdb"), dialect)


def taken_apart(statement: str, dialect: Dialect) -> Statement:
    """Return the query of a statement, and the table that its rows go to.

    Raises:
        ValueError: If it has none of the forms that `engine` names.
    """
    tree = sqlglot.parse_one(statement, read="duckdb")
    if isinstance(tree, exp.Insert):
        return Statement(_text(tree.expression, dialect), tree.this.name)
    if isinstance(tree, exp.Create) and tree.kind == "TABLE" and tree.expression is not None:
        return Statement(_text(tree.expression, dialect), tree.this.name, replaces=True)
    if isinstance(tree, exp.Query):
        return Statement(_text(tree, dialect))
    raise ValueError(f"not a statement of the subset: {statement.strip()[:80]}")


def _text(tree: exp.Expr, dialect: Dialect) -> str:
    return str(tree.sql(dialect=_DIALECTS[dialect], unsupported_level=ErrorLevel.RAISE))
