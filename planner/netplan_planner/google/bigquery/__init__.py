"""Flow records that lie in BigQuery: tables of a log sink, and linked datasets of Log Analytics.

Typed records and sums are temporary tables of one session, which ends with the reading. Nothing is
written to a dataset but by `rollup.py`, to the one that `--rollup` names.
"""
