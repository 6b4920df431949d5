"""What machines cost: by type, by parts, with discounts."""
