"""Many flows at once: what each gets of the limits that they share."""
