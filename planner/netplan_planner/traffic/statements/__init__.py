"""The queries from flow records to series, written once for every engine.

Each is a SELECT in the subset of SQL that means the same on DuckDB, BigQuery and Spark once sqlglot
has translated it (docs/adr/0003-portable-sql.md): no timestamps, no quantile aggregate, no JSON, no
hash, no ordered collection, no division but of whole numbers (`//`, `%`, of what is not negative),
`%` in brackets (translators disagree on what it binds to), COALESCE before a comparison, ranks by
ROW_NUMBER, sums of whole numbers only. The tables are made
by the engine; `traffic/engine.py` says what each holds.

They stand in the order in which data flows: `staging`, `sums`, `series`; `keys` holds
what they have in common.
"""
