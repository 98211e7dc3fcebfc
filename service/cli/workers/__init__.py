"""Several processes that serve on one port: ``kartejo serve --workers N``.

=========  ====================================================================================
orders     what a worker is told when it starts
signs      what it tells: that it lives, that it serves, why it cannot
keeper     starts the workers, watches them, starts them again, ends them
worker     one of them: ``python -m service.cli.workers.worker``
=========  ====================================================================================
"""
