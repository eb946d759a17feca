"""Protocols for what lies outside, and the values that cross them."""
