"""What happens when nobody calls: does a worker live, and does it keep up."""

from collections.abc import Callable, Iterator

from service.doctor.finding import Finding, look, ok
from service.settings import Settings
from service.store.errors import StoreError
from service.table.due import Queue
from service.wiring import open_table

SILENT_MS = 5_000
LATE_MS = 5_000


def findings(settings: Settings, now_ms: Callable[[], int]) -> Iterator[Finding]:
    """All that there is to say of workers. Nothing, if the store does not tell."""
    try:
        levels = open_table(settings).store.levels([], [], list(Queue))
    except StoreError:
        return
    now = now_ms()
    start = "Start one: python -m service worker. Without it no clock runs out and no bot moves."
    if levels.beat_ms is None:
        yield look("worker", "none has ever run on this store", start)
    elif now - levels.beat_ms > SILENT_MS:
        yield look("worker", f"none has given a sign of life for {(now - levels.beat_ms) / 1000:.0f} s", start)
    else:
        yield ok("worker", "one gave a sign of life a moment ago")
    late = {queue: now - due_ms for queue, due_ms in levels.due_ms.items() if due_ms is not None}
    behind = [f"{queue} by {ms / 1000:.0f} s" for queue, ms in late.items() if ms > LATE_MS]
    if behind:
        yield look(
            "due work", f"it is late: {', '.join(behind)}", "Start more workers, where there are cores to spare."
        )
    else:
        yield ok("due work", "nothing is late")
