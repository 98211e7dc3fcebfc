"""``python -m service.cli`` is ``kartejo``."""

from service.cli.app import main

if __name__ == "__main__":  # processes of its own import this module anew
    main()
