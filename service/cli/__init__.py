"""The command ``kartejo``."""

from service.cli.app import main

__all__ = ["main"]
