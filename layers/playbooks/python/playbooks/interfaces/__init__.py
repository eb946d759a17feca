"""Parse, one call, map."""
