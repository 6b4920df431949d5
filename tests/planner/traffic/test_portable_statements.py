"""The statements mean the same on DuckDB, BigQuery and Spark, as far as their text can show it."""

from typing import Any

import pytest
import sqlglot
from sqlglot import ErrorLevel, exp
from sqlglot.dialects.bigquery import BigQuery

from netplan_planner.traffic.files.embedded import EmbeddedEngine
from netplan_planner.traffic.files.entries import ENTRY, Fields, is_entry
from netplan_planner.traffic.files.records import (
    COLUMNS,
    PART_SEPARATOR,
    TAG_SEPARATOR,
    flow_record,
)
from netplan_planner.traffic.spelling import SPARK
from netplan_planner.traffic.translation import Dialect, taken_apart, translate
from support.flows.tables import WITH_ARGUMENTS, all_statements, constants, functions
from support.listed import listed

STATEMENTS = all_statements()
DIALECTS = ("bigquery", "spark")


def to(dialect: str, statement: str, *, source: str = "duckdb") -> str:
    (text,) = sqlglot.transpile(
        statement, read=source, write=dialect, unsupported_level=ErrorLevel.RAISE
    )
    return str(text)


def tree(statement: str) -> exp.Expression:
    found = sqlglot.parse_one(statement, read="duckdb")
    assert isinstance(found, exp.Expression)
    return found


def test_every_statement_of_the_module_is_looked_at() -> None:
    assert functions() == set(WITH_ARGUMENTS)
    assert len(constants()) >= 15
    assert all(name.isupper() and not name.startswith("_") for name in constants())


@listed("dialect", DIALECTS)
@listed("name", STATEMENTS)
def test_a_statement_is_translated_and_reads_back_to_itself(name: str, dialect: str) -> None:
    text = to(dialect, STATEMENTS[name])
    assert to(dialect, text, source=dialect) == text


TRANSLATIONS = {
    "a // b": ("DIV(a, b)", "a DIV b"),
    "a // b * c": ("DIV(a, b) * c", "a DIV b * c"),
    "(a + 1) // b + 1": ("DIV((a + 1), b) + 1", "(a + 1) DIV b + 1"),
    "a % b": ("MOD(a, b)", "a % b"),
    "TRY_CAST(a AS BIGINT)": ("SAFE_CAST(a AS INT64)", "TRY_CAST(a AS BIGINT)"),
    "CAST(NULL AS VARCHAR)": ("CAST(NULL AS STRING)", "CAST(NULL AS STRING)"),
    "REGEXP_MATCHES(a, '^[0-9]+$')": ("REGEXP_CONTAINS(a, '^[0-9]+$')", "a RLIKE '^[0-9]+$'"),
    "a || '\x1f'": ("a || '\\x1f'", "a || '\\037'"),
    "a IS NOT DISTINCT FROM b": ("a IS NOT DISTINCT FROM b", "a IS NOT DISTINCT FROM b"),
    "REPLACE(a, 'b', 'c')": ("REPLACE(a, 'b', 'c')", "REPLACE(a, 'b', 'c')"),
}
"""What the statements use beyond what is spelt alike everywhere; `//` and `%` of what is never
negative, where truncation and floor agree."""


@listed("expression", TRANSLATIONS)
def test_the_operations_come_out_as_each_engine_spells_them(expression: str) -> None:
    found = [to(d, f"SELECT {expression}").removeprefix("SELECT ") for d in DIALECTS]
    # Spark has `<=>` for the comparison that takes NULLs as equal, under either name.
    found[1] = found[1].replace("<=>", "IS NOT DISTINCT FROM")
    assert tuple(found) == TRANSLATIONS[expression]


ALLOWED: tuple[type[exp.Expression], ...] = (
    *(exp.Select, exp.From, exp.Join, exp.Where, exp.Group, exp.Order, exp.Ordered, exp.Subquery),
    *(exp.Union, exp.Distinct, exp.Table, exp.TableAlias, exp.Alias, exp.Column, exp.Identifier),
    *(exp.Star, exp.Literal, exp.Null, exp.Boolean, exp.Paren, exp.Tuple, exp.DataType),
    *(exp.Add, exp.Sub, exp.Mul, exp.IntDiv, exp.Mod, exp.DPipe),
    *(exp.And, exp.Or, exp.Not, exp.Is, exp.In, exp.NullSafeEQ),
    *(exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE),
    *(exp.Case, exp.If, exp.Coalesce, exp.Cast, exp.TryCast, exp.Replace, exp.RegexpLike),
    *(exp.Greatest, exp.Least, exp.Sum, exp.Count, exp.Min, exp.Max),
    *(exp.Window, exp.WindowSpec, exp.RowNumber),
)
"""All that the statements are made of: what was seen to mean the same on the three engines."""

WHOLE_TYPES = {exp.DataType.Type.BIGINT, exp.DataType.Type.VARCHAR, exp.DataType.Type.TEXT}


@listed("name", STATEMENTS)
def test_a_statement_uses_nothing_that_engines_disagree_on(name: str) -> None:
    for node in tree(STATEMENTS[name]).walk():
        assert type(node) in ALLOWED, f"{type(node).__name__}: {node.sql()}"
        if isinstance(node, exp.Literal) and not node.is_string:
            assert node.this.isdigit(), f"not a whole number: {node.this}"
        if isinstance(node, exp.DataType):
            assert node.this in WHOLE_TYPES


@pytest.mark.parametrize("dialect", Dialect)
def test_the_query_of_flow_records_is_translated(dialect: Dialect) -> None:
    fields = Fields.of_text(ENTRY, SPARK)
    query = flow_record(
        fields, "log_entry", source_name="insertId", is_entry=is_entry(fields), with_details=True
    )
    text = translate(query, dialect)
    assert to(str(dialect), text, source=str(dialect))
    assert TAG_SEPARATOR in text
    assert {column for column in COLUMNS if f" AS {column}" not in text} == set()


@pytest.mark.parametrize("dialect", Dialect)
@pytest.mark.parametrize("statement", ["DROP TABLE t", "CREATE TABLE t (a BIGINT)"])
def test_a_statement_of_another_form_is_refused(dialect: Dialect, statement: str) -> None:
    with pytest.raises(ValueError, match="not a statement of the subset"):
        taken_apart(statement, dialect)


def test_separators_stand_as_they_are() -> None:
    for dialect in Dialect:
        text = translate(f"SELECT a || '{PART_SEPARATOR}' || '\n'", dialect)
        assert PART_SEPARATOR in text
        assert "\\n" in text


UNSAFE = [
    "SELECT any_value(a) FROM t",
    "SELECT epoch(a) FROM t",
    "SELECT epoch_us(a) FROM t",
    "SELECT quantile_disc(a, 0.5) FROM t",
    "SELECT median(a) FROM t",
    "SELECT a >> 1 FROM t",
    "SELECT hash(a) FROM t",
    "SELECT a ->> '$.b' FROM t",
    "SELECT list(a ORDER BY b) FROM t",
    "SELECT string_agg(a, ',') FROM t",
    "SELECT split_part(a, '.', 1) FROM t",
    "SELECT a / b FROM t",
    "SELECT now()",
    "SELECT CAST(a AS TIMESTAMP) FROM t",
    "SELECT CAST(a AS INTEGER) FROM t",
    "SELECT avg(a) FROM t",
    "SELECT a * 1.5 FROM t",
    "SELECT a FROM t LIMIT 1",
    "SELECT a FROM t QUALIFY row_number() OVER () = 1",
]


@listed("statement", UNSAFE)
def test_what_engines_disagree_on_would_be_found(statement: str) -> None:
    nodes = list(tree(statement).walk())
    assert (
        any(type(node) not in ALLOWED for node in nodes)
        or any(isinstance(n, exp.DataType) and n.this not in WHOLE_TYPES for n in nodes)
        or any(isinstance(n, exp.Literal) and not n.is_string and "." in n.this for n in nodes)
    )


NEVER_NULL = {"duration_us", "duration_ms", "offset_us", "offset_ms", "position"}
"""Columns that are set in every record without a fault, which is all that reaches the sums."""


def may_be_null(node: Any) -> bool:
    """Return whether a value can be NULL where the statement takes the greater or lesser of two."""
    if isinstance(node, exp.Coalesce):
        return may_be_null(node.expressions[-1])
    if isinstance(node, exp.Column):
        return node.name not in NEVER_NULL
    if isinstance(node, exp.Literal):
        return False
    return any(may_be_null(child) for child in node.iter_expressions())


@listed("name", STATEMENTS)
def test_the_greater_of_two_is_never_asked_of_what_may_be_null(name: str) -> None:
    root = tree(STATEMENTS[name])
    for node in root.find_all(exp.Greatest, exp.Least):
        assert not any(may_be_null(value) for value in node.iter_expressions()), node.sql()
    is_guarded = {
        f"{column} = 0" if name != "ACTIVITY" else f"{column} <= 1"
        for column in ("fault", "f.fault")
    }
    if root.find(exp.Greatest) and not name.startswith("staged"):
        assert is_guarded & {node.sql() for node in root.find_all(exp.EQ, exp.LTE)}


def test_the_check_for_null_sees_what_it_should() -> None:
    for expression, expected in (
        ("GREATEST(r.bytes, 1)", True),
        ("GREATEST(COALESCE(r.bytes, 0), 1)", False),
        ("LEAST(a + duration_us, 1)", True),
        ("LEAST(duration_us * 2, 1)", False),
        ("GREATEST(COALESCE(a, b), 1)", True),
    ):
        node = tree(f"SELECT {expression}").find(exp.Greatest, exp.Least)
        assert node is not None
        assert any(may_be_null(value) for value in node.iter_expressions()) is expected


@listed("name", STATEMENTS)
def test_ranks_have_a_whole_order(name: str) -> None:
    """A rank is asked of equal rows only where every choice gives the same answer."""
    for window in tree(STATEMENTS[name]).find_all(exp.Window):
        order = window.args.get("order")
        if not isinstance(window.this, exp.RowNumber):
            continue
        assert order is not None, window.sql()
        columns = {column.name for column in order.find_all(exp.Column)}
        # Either only the value itself is looked at, or all columns that are; equal entries are
        # equal in all that is summed.
        assert columns <= {"wire", "outside"} or columns in (
            {"whole", "ports", "active", "wire"},
            {"report", "offset_us", "payload_bytes", "packet_count"},
            {"hours", "records", "position"},
            {"note", "fault"},
            {"note", "fault", "start_minute"},
        )


@listed("name", STATEMENTS)
def test_no_name_is_a_word_of_an_engine(name: str) -> None:
    reserved = {word.casefold() for word in BigQuery.Generator.RESERVED_KEYWORDS}
    assert "rows" in reserved
    names = {node.name.casefold() for node in tree(STATEMENTS[name]).find_all(exp.Identifier)}
    assert not names & reserved


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_gives_the_same_after_every_translation(
    name: str, embedded: EmbeddedEngine
) -> None:
    """Sqlglot writes down what BigQuery and Spark do otherwise, such as NULL in GREATEST."""
    expected = sorted(embedded.rows(STATEMENTS[name]), key=repr)
    assert expected, "the tables hold nothing for it"
    for through in ("duckdb", *DIALECTS):
        back = to("duckdb", to(through, STATEMENTS[name]), source=through)
        assert sorted(embedded.rows(back), key=repr) == expected, through
