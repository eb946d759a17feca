"""The stores: what is kept, and the conditions under which it may change.

Every method takes the tenant (inside the value or the key) first. A write either happens wholly or not at all.
"""
