"""The log entries in files that a Spark server reads: Parquet, and JSON lines.

They are told by their names, since the server alone can look into them.
"""

import posixpath
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql.types import DataType, StructType

from netplan_planner.errors import InputError, UsageError
from netplan_planner.model import Value
from netplan_planner.tables.sql import identifier
from netplan_planner.traffic.aggregates import MANIFEST
from netplan_planner.traffic.files.entries import ENTRY, Fields, is_entry
from netplan_planner.traffic.files.records import flow_record
from netplan_planner.traffic.spelling import SPARK
from netplan_planner.traffic.translation import Dialect, translate

_LISTED = "listed_file"
_PARQUET = "parquet_entry"
_LINES = "line"
_LINE_ENTRIES = "line_entry"
_GLOBS = {
    "parquet": "*.parquet",
    "lines": "*.{json,jsonl,ndjson,json.gz,jsonl.gz,ndjson.gz}",
}
"""Names of files by what they hold, where a folder has both."""
_NAMES = {"parquet": "[.]parquet$", "lines": "[.](json|jsonl|ndjson)([.]gz)?$"}
"""The same as patterns."""
_SUMS = "aggregates"
"""Files of `netplan flows aggregate`, whose manifest would pass for JSON lines."""
_KINDS = {
    "string": "varchar",
    "double": "double",
    "float": "float",
    "long": "bigint",
    "integer": "bigint",
    "short": "bigint",
    "byte": "bigint",
    "boolean": "boolean",
    "timestamp": "timestamp with time zone",
    "timestamp_ntz": "timestamp",
}
"""Spark's types as `Fields` calls them; a field of another type is as good as missing."""


class Listed(Value, frozen=True, kw_only=True):
    """How many files a server finds, by what they hold."""

    parquet: int
    lines: int

    @property
    def count(self) -> int:
        """All of them."""
        return self.parquet + self.lines


def find_files(session: SparkSession, paths: Sequence[str], shown: str) -> Listed:
    """Return what a server finds in files and folders, whatever is inside of these.

    Raises:
        InputError: If there is no file, or one of no known name.
    """
    files = _reader(session, "binaryFile").load(list(paths)).select("path", "length")
    files.createOrReplaceTempView(_LISTED)
    names = {_SUMS: f"{MANIFEST}$", **_NAMES}
    cases = " ".join(f"WHEN path RLIKE '{names}' THEN '{kind}'" for kind, names in names.items())
    found = {
        kind: (int(count), str(first))
        for kind, count, first in session.sql(
            # Sail has a large file twice.
            "SELECT kind, COUNT(DISTINCT path) AS files, MIN(path) AS first"
            f" FROM (SELECT CASE {cases} ELSE '' END AS kind, path FROM {_LISTED}"
            " WHERE length > 0) AS f GROUP BY kind"
        ).collect()
    }
    if not found:
        raise InputError(f"{shown}: the server finds no file there, or only empty files")
    if _SUMS in found:
        raise InputError(
            f"{posixpath.dirname(found[_SUMS][1])}: a folder of aggregates, which a server cannot"
            " read. Copy it to this computer, and leave out --engine spark"
        )
    if "" in found:
        raise InputError(
            f"{found[''][1]}: with --engine spark, file names tell the format: .parquet, or JSON"
            " lines in .json, .jsonl or .ndjson, plain or .gz"
        )
    counts = {kind: count for kind, (count, _) in found.items()}
    return Listed(parquet=counts.get("parquet", 0), lines=counts.get("lines", 0))


def records_query(session: SparkSession, paths: Sequence[str], listed: Listed) -> str:
    """Return the query of the flow records in files, in Spark's dialect.

    Raises:
        UsageError: If the server cannot read what there is.
    """
    queries = []
    if listed.parquet:
        entries = _chosen(session, "parquet", "parquet", listed)
        # Files of one folder differ: a field that never occurred has no column.
        frame = entries.option("mergeSchema", "true").load(list(paths))
        frame.createOrReplaceTempView(_PARQUET)
        fields = Fields(_tree(frame.schema, ""), SPARK)
        queries.append(_records(fields, _PARQUET, is_an_entry="true"))
    if listed.lines:
        _refuse_others(session)
        lines = _chosen(session, "text", "lines", listed).option("lineSep", "\n")
        lines.load(list(paths)).createOrReplaceTempView(_LINES)
        _entries_of_lines(session).createOrReplaceTempView(_LINE_ENTRIES)
        fields = Fields.of_text(ENTRY, SPARK)
        queries.append(_records(fields, _LINE_ENTRIES, is_an_entry=is_entry(fields)))
    return "\nUNION ALL\n".join(queries)


def _reader(session: SparkSession, layout: str) -> DataFrameReader:
    # Without it folders in folders are passed over, but for those that look like partitions.
    return session.read.format(layout).option("recursiveFileLookup", "true")


def _chosen(session: SparkSession, layout: str, kind: str, listed: Listed) -> DataFrameReader:
    reader = _reader(session, layout)
    if listed.parquet and listed.lines:
        return reader.option("pathGlobFilter", _GLOBS[kind])
    return reader


def _records(fields: Fields, source: str, *, is_an_entry: str) -> str:
    query = flow_record(
        fields,
        source,
        source_name=fields.text("insertId"),
        is_entry=is_an_entry,
        with_details=True,
    )
    return translate(query, Dialect.SPARK)


_AROUND = " \t\r\ufeff"
"""What may stand around an entry; the last is a mark at the beginning of a file."""
_IS_WHOLE = (
    "STARTSWITH(text, '{') AND ENDSWITH(text, '}') AND IS_VALID_UTF8(text)"
    " AND COALESCE(JSON_ARRAY_LENGTH(CONCAT('[', text, ']')), 0) = 1"
)
"""Whether a line is one object and nothing else.

The functions that read JSON stop where the first value ends: of two entries on one line the second
would be lost, and what is broken behind the first not seen. Inside of an array it is."""


def _entries_of_lines(session: SparkSession) -> DataFrame:
    """Return the entries of lines; one of a broken line has no field, a blank line is none."""
    parsed = f"FROM_JSON(text, '{_struct(ENTRY, ' ')}', MAP('allowSingleQuotes', 'false'))"
    return session.sql(
        f"SELECT entry.* FROM (SELECT CASE WHEN {_IS_WHOLE} THEN {parsed} END AS entry"
        f" FROM (SELECT TRIM(BOTH '{_AROUND}' FROM value) AS text FROM {_LINES}) AS l"
        " WHERE text <> '') AS e"
    )


def _struct(fields: Mapping[str, Any], separator: str) -> str:
    """Return fields as Spark declares them, each leaf a text."""
    return ", ".join(f"`{name}`{separator}{_type(inner)}" for name, inner in fields.items())


def _type(fields: Any) -> str:
    if fields is None:
        return "STRING"
    named = fields if isinstance(fields, Mapping) else dict.fromkeys(fields)
    return f"STRUCT<{_struct(named, ': ')}>"


def _refuse_others(session: SparkSession) -> None:
    """Refuse a server that only speaks like Spark: Sail takes no numbers of JSON for texts."""
    ((says,),) = session.sql("SELECT VERSION() AS version").collect()
    named = str(says).split()[0]
    if not str(session.version).startswith(named):
        raise UsageError(
            f"the server is version {named} of another product than Spark (Sail?), from which"
            " netplan supports only Parquet. Give Parquet, or use Spark for JSON lines"
        )


def _tree(schema: StructType, prefix: str) -> dict[str, Any]:
    """Return columns as `Fields` takes them."""
    tree: dict[str, Any] = {}
    for field in schema.fields:
        name = identifier(field.name)
        sql = f"{prefix}.{name}" if prefix else name
        kind = field.dataType
        if isinstance(kind, StructType):
            tree[field.name.casefold()] = _tree(kind, sql)
        elif (scalar := _scalar(kind)) is not None:
            tree[field.name.casefold()] = (sql, scalar)
    return tree


def _scalar(kind: DataType) -> str | None:
    name = str(kind.typeName())
    return "decimal" if name.startswith("decimal") else _KINDS.get(name)
