"""Parts of an audit on the machines of a Ray cluster, for stores larger than one machine.

Ray is an extra (``pip install 'kartejo[ray]'``).  Every machine has to reach what the plan names:
a database, or an export at the same path.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from service.audit.findings import Result
from service.audit.whole import Map, Part, Plan, Tick, work

__all__ = ["on_ray"]


def on_ray(address: str | None = None) -> Map:
    """Parts side by side on a cluster: that at ``address``, or one of this machine.

    Raises ``ModuleNotFoundError`` where Ray is not installed.
    """
    import ray

    def spread(plan: Plan, parts: Sequence[Part], tick: Tick) -> Iterator[Result]:
        ours = not ray.is_initialized()
        if ours:
            ray.init(address=address, include_dashboard=False, log_to_driver=False)
        try:
            task: Any = ray.remote(_work)
            running = [task.remote(plan, part) for part in parts]
            while running:
                done, running = ray.wait(running)
                for result in ray.get(done):
                    tick(result.count.commits)
                    yield result
        finally:
            if ours:
                ray.shutdown()

    return spread


def _work(plan: Plan, part: Part) -> Result:
    return work(plan, part, lambda _: None)
