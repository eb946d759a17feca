"""The subcommands of `playbooks`: a module each, with `add_arguments(parser)` and `run(arguments)`, the exit code."""
