"""How hypothesis runs here: the same examples every time, no deadline, and a blob that repeats a failure."""

import os

from hypothesis import HealthCheck, Phase, settings

SEARCH = "SHOREBREAK_SEARCH"
"""Set this variable to a number to look at that many times as many examples, new ones each time."""


def steady(examples: int, steps: int) -> settings:
    """Settings for a state machine. Fixed examples keep a check that passed from failing for another reason."""
    times = int(os.environ.get(SEARCH, "0"))
    return settings(
        max_examples=examples * max(1, times),
        stateful_step_count=steps,
        derandomize=not times,
        database=None,
        deadline=None,
        print_blob=True,
        report_multiple_bugs=False,
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )
