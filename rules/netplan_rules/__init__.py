"""The rules: one package an area, one module a rule, found by name (see `registry`)."""
