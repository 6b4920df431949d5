"""From tables of prices to a snapshot file; nothing here is needed to look a price up."""
