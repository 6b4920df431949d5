"""Files of the Cloud Billing export, read by what their columns say, Parquet or CSV.

The detailed usage cost table (`gcp_billing_export_resource_v1_…`) and the pricing table
(`cloud_pricing_export`), as BigQuery writes them: records as structs in Parquet, and flattened in
CSV with a dot or an underscore between the names (`sku.id`, `sku_id`).
"""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from netplan_planner.errors import InputError
from netplan_planner.input_files import unreadable
from netplan_planner.tables.engine import EngineError
from netplan_planner.tables.reading import TableView
from netplan_planner.tables.refusals import listed
from netplan_planner.tables.sql import identifier

_TELLING = {
    "TIMESTAMP": ("usage_start_time", "usage_end_time", "export_time"),
    "DECIMAL(38, 12)": (
        *("cost", "usage.amount", "usage.amount_in_pricing_units", "price.tier_start_amount"),
    ),
    "VARCHAR": (
        *("billing_account_id", "project.id", "sku.id", "usage.pricing_unit", "currency"),
        *("cost_type", "invoice.month", "resource.name", "resource.global_name"),
        *("location.location", "location.zone", "consumption_model.id"),
        "subscription.instance_id",
    ),
    "JSON": ("labels", "system_labels", "tags"),
}
"""Fields by which rows of two files are told apart, by the type that they are compared as."""
_MONEY = "DECIMAL(38, 12)"
SCHEMAS = "cloud.google.com/billing/docs/how-to/export-data-bigquery-tables"


class ExportKind(StrEnum):
    """Which table of the export a file holds."""

    USAGE = "usage"
    PRICING = "pricing"


class ExportFile:
    """One file, open for queries as the relation `export`."""

    def __init__(self, path: Path) -> None:
        """Open a file and find what it is.

        Raises:
            InputError: If it is missing, damaged, or no table of the export.
        """
        self.path = path
        try:
            path.stat()
        except OSError as exc:
            raise unreadable(path, exc, "export the table from BigQuery") from exc
        # A view: a month of a large account is far more than the columns that are asked for.
        self._view = TableView(path, "export")
        self._columns = self._view.types
        try:
            self.kind = self._kind()
        except BaseException:
            self._view.close()
            raise

    def _kind(self) -> ExportKind:
        if self.has("billing_account_price") or self.has("billing_account_price.tiered_rates"):
            return ExportKind.PRICING
        if self.has("sku.id") and self.has("cost"):
            return ExportKind.USAGE
        raise InputError(
            f"{self.path}: not the detailed usage cost table or pricing table of the Cloud"
            f" Billing export (its columns: {listed([*self._columns])}); see {SCHEMAS}"
        )

    def has(self, name: str) -> bool:
        """Return whether a field is there, as a record's or flattened."""
        return self._expression(name) is not None

    def field(self, name: str, kind: str = "VARCHAR") -> str:
        """Return the SQL expression of a field, as a type; NULL where the file lacks it."""
        found = self._expression(name)
        return "NULL" if found is None else f"TRY_CAST({found} AS {kind})"

    def _expression(self, name: str) -> str | None:
        if name in self._columns:
            return identifier(name)
        record, dot, inner = name.partition(".")
        if not dot:
            return None
        of_record = self._columns.get(record, "")
        if of_record.startswith("STRUCT") and f"{inner} " in of_record.replace('"', ""):
            return f"{identifier(record)}.{identifier(inner)}"
        flat = f"{record}_{inner.replace('.', '_')}"
        return identifier(flat) if flat in self._columns else None

    def in_usd(self, amount: str) -> str:
        """Return the SQL of an amount in US dollars; NULL where the currency has no rate."""
        rate = self.field("currency_conversion_rate", _MONEY)
        return (
            f"CASE WHEN upper({self.field('currency')}) = 'USD' THEN {amount}"
            f" ELSE {amount} / nullif({rate}, 0) END"
        )

    def credits(self, condition: str = "true") -> str:
        """Return the SQL of a row's credits, which are negative, as records or as JSON text.

        Args:
            condition: SQL over `one`, a credit as JSON.
        """
        if not self.has("credits"):
            return "0"
        listed = f"""from_json(coalesce({self.field("credits", "JSON")}, '[]'::JSON), '["JSON"]')"""
        return (
            f"coalesce(list_sum(list_transform(list_filter({listed}, lambda one: {condition}),"
            f" lambda one: TRY_CAST(one->>'amount' AS {_MONEY}))), 0)"
        )

    def has_unread_credits(self) -> str:
        """Return the SQL of whether a row has a credit whose amount is no number."""
        listed = f"""from_json(coalesce({self.field("credits", "JSON")}, '[]'::JSON), '["JSON"]')"""
        return (
            f"(len(list_filter({listed},"
            f" lambda one: TRY_CAST(one->>'amount' AS {_MONEY}) IS NULL)) > 0)"
        )

    def require(self, names: Sequence[str]) -> None:
        """Refuse a file without the fields that an answer needs.

        Raises:
            InputError: With the fields that are missing.
        """
        lacking = [name for name in names if not self.has(name)]
        if lacking:
            hint = ""
            if any(name.startswith("price.") for name in lacking):
                hint = "; the standard usage table has no prices: export the detailed one"
            raise InputError(f"{self.path}: no {', '.join(lacking)}{hint} (see {SCHEMAS})")

    def rows(self, query: str) -> "list[tuple[object, ...]]":
        """Return the rows of a query over `export`.

        Raises:
            InputError: If a field is not what the schema says.
        """
        try:
            return self._view.rows(query)
        except EngineError as exc:
            raise InputError(f"{self.path}: does not match its schema: {exc}") from exc

    def repeated(self) -> int:
        """Return how many rows are equal to one before them in every field."""
        ((count,),) = self.rows(
            "SELECT (SELECT count(*) FROM export) - count(*) FROM (SELECT DISTINCT * FROM export)"
        )
        return int(str(count))

    def shared_with(self, other: "ExportFile") -> int:
        """Return how many rows stand in another file too."""
        names = [
            (name, kind)
            for kind, fields in _TELLING.items()
            for name in fields
            if self.has(name) and other.has(name)
        ]
        own, others = (
            ", ".join(
                f"nullif(nullif({file.field(name, kind)}::VARCHAR, '[]'), '')"
                for name, kind in names
            )
            for file in (self, other)
        )
        ((count,),) = self.rows(
            f"SELECT count(*) FROM (SELECT {own} FROM export INTERSECT ALL"
            f" SELECT {others} FROM {other._view.relation()})"
        )
        return int(str(count))

    def close(self) -> None:
        """Let go of the file."""
        self._view.close()
