"""Machine types for a whole fleet, together with the commitments that pay for them.

`hours` says which groups run together, `candidates` what each group may become, `program` is the
fleet as numbers and `solving` answers it by HiGHS with a bound; `billing` writes any answer as an
exact bill, `plan` joins them.
"""
