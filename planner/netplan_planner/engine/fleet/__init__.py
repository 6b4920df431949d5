"""Machine types and commitments for a fleet: of a table of needs, or of what an audit reads."""
