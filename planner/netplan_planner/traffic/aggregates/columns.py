"""Which columns a value's rows have: one for each of its fields, of the field's own type.

A value in a value is a struct, several are a list, so that any reader of Parquet sees the names of
the model: `series.p95_gbps`.
"""

from collections.abc import Iterable

import msgspec

from netplan_planner.model import Value
from netplan_planner.tables.sql import identifier


def columns_of(kind: type[Value]) -> dict[str, str]:
    """Return the columns of a value's rows with their types, as DuckDB spells them.

    Raises:
        TypeError: If a field is of a type that has no column.
    """
    found = msgspec.inspect.type_info(kind)
    if not isinstance(found, msgspec.inspect.StructType):
        raise TypeError(f"{kind.__name__} has no fields")
    return {field.encode_name: _column(field.type) for field in found.fields}


def odd_numbers(kind: type[Value]) -> str:
    """Return the SQL of whether a row has a number below 0, or one that is infinite or none.

    Bytes, rates, counts and indexes have no such numbers, and sums over them would be nonsense.
    """
    found = msgspec.inspect.type_info(kind)
    assert isinstance(found, msgspec.inspect.StructType)
    return _any_odd((one.type, identifier(one.encode_name)) for one in found.fields)


def _any_odd(values: Iterable[tuple[msgspec.inspect.Type, str]]) -> str:
    conditions = [condition for kind, sql in values if (condition := _odd(kind, sql))]
    return " OR ".join(f"COALESCE({one}, false)" for one in conditions)


def _odd(kind: msgspec.inspect.Type, sql: str) -> str:
    match kind:
        case msgspec.inspect.IntType():
            return f"{sql} < 0"
        case msgspec.inspect.FloatType():
            return f"{sql} < 0 OR NOT isfinite({sql})"
        case msgspec.inspect.VarTupleType():
            inner = _odd(kind.item_type, "x")
            return f"len(list_filter({sql}, lambda x: {inner})) > 0" if inner else ""
        case msgspec.inspect.StructType():
            return _any_odd(
                (one.type, f"{sql}.{identifier(one.encode_name)}") for one in kind.fields
            )
        case msgspec.inspect.UnionType():
            return _any_odd((one, sql) for one in kind.types)
        case _:
            return ""


def _column(kind: msgspec.inspect.Type) -> str:
    match kind:
        case msgspec.inspect.BoolType():
            return "BOOLEAN"
        case msgspec.inspect.IntType():
            return "BIGINT"
        case msgspec.inspect.FloatType():
            return "DOUBLE"
        case msgspec.inspect.StrType() | msgspec.inspect.EnumType():
            return "VARCHAR"
        case msgspec.inspect.VarTupleType():
            return f"{_column(kind.item_type)}[]"
        case msgspec.inspect.StructType():
            fields = (f"{identifier(one.encode_name)} {_column(one.type)}" for one in kind.fields)
            return f"STRUCT({', '.join(fields)})"
        case msgspec.inspect.UnionType():
            known = [one for one in kind.types if not isinstance(one, msgspec.inspect.NoneType)]
            if len(known) == 1:
                return _column(known[0])
        case _:
            pass
    raise TypeError(f"no column holds {kind}")
