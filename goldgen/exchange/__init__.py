"""Files that other tools write and read: runs of retrievers."""

from goldgen.exchange.run_files import RunFile, known_part, read_run

__all__ = ["RunFile", "known_part", "read_run"]
