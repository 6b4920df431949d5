"""The search: a transfer as numbers, trees and flows, programs with whole machines."""
