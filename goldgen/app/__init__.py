"""What goldgen does, as functions: the public Python API. Each command of the CLI calls one of them."""
