"""``python -m service.cli`` is ``kartejo``."""

from service.cli.app import main

main()
