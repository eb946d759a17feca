"""The stores on one DynamoDB table with two indexes.

`operations` says what a table can do, `keys` and `items` how things lie in it, `table` is the real one over boto3,
and the remaining modules are the stores. `playbooks.adapters.memory.table` is a table of the same semantics.
"""
