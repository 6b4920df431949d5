"""What a customer pays: discounts on the list, prices of a contract, and what was billed."""

from netplan_pricing.contract.terms import Discount, Terms, parse_discount

__all__ = ["Discount", "Terms", "parse_discount"]
