"""One module a record format."""
