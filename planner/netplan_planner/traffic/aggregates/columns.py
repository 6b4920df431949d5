"""Which columns a value's rows have: one for each of its fields, of the field's own type.

A value in a value is a struct, several are a list, so that any reader of Parquet sees the names of
the model: `series.p95_gbps`.
"""

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
