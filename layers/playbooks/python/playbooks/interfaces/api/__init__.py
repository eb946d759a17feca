"""The HTTP API: thin routes over the use cases, problems in one form."""
