"""Machine types for a whole fleet, together with the commitments that pay for them.

`need` says what is needed and which groups run together, `candidates` what each group may
become, `program` is the fleet as numbers; `billing` writes any answer as an exact bill, `plan`
joins them.
"""
