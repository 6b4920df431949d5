"""What plans share: what they rest on, and what every answer says of it."""
