"""Round-trip times: from tables of pings, or from the distance."""
