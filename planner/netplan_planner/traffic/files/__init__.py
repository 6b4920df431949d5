"""Files of flow records, which DuckDB reads on this machine."""
