"""SQL that can only read: the guard, placeholders, the saved query of a step, and what is told of a schema."""
