"""User tables, CSV or Parquet: declared columns, one reader, one wording of errors, one writer."""
