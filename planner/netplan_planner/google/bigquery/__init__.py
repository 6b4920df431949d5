"""Flow records that lie in BigQuery: tables of a log sink, and linked datasets of Log Analytics.

Nothing is written to a dataset: typed records and sums are temporary tables of one session, which
ends with the reading.
"""
