"""Zones for machines: what is asked, of tables or an inventory, and the answer with its bills."""
