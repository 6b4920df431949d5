"""How good the input is."""
