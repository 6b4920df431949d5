"""Sum flow logs where they lie, for --traffic of other verbs."""
