"""What a worker does in a step, a module a kind."""
