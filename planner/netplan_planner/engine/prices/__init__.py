"""Looking prices up: one module for each kind of question."""
