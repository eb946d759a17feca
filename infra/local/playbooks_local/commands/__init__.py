"""The subcommands of `playbooks`: a module each, with `add_to(subparsers)` and a function that returns an exit code."""
