"""What a month costs: one account for a project as it is, and as it is after changes.

Every rule, the order of fixes and what-if ask it; none adds up by itself.
"""

from netplan_planner.ledger.account import Ledger, Worth, ledger_of

__all__ = ["Ledger", "Worth", "ledger_of"]
