"""How log lines look: one form for Shorebreak, gunicorn and every library, on standard error.

Lines never hold tokens, seeds, secrets or request bodies: say which match and seat, not what was sent.
"""

import logging.config
from collections.abc import Callable
from typing import Any

import structlog
from structlog.typing import EventDict, Processor

from service.settings import Settings

CONTROL = {sign: f"\\x{sign:02x}" for sign in (*range(32), 127, 0x85, 0x2028, 0x2029)}
"""Signs that could begin a line of their own, or move a terminal's cursor."""

about_work: Callable[[], dict[str, Any]] = dict
"""What every line tells of the work at hand. The API puts the request's id here."""


def add_work(_logger: Any, _method: str, line: EventDict) -> EventDict:
    """Tell to which request a line belongs."""
    for name, value in about_work().items():
        line.setdefault(name, value)
    return line


def keep_to_one_line(_logger: Any, _method: str, line: EventDict) -> EventDict:
    """Nothing that came from outside can look like a line of ours."""
    return {name: value.translate(CONTROL) if isinstance(value, str) else value for name, value in line.items()}


SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    add_work,
    keep_to_one_line,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def begin(settings: Settings) -> None:
    """Shape the logging of this process, and of those forked from it, as LOG_LEVEL and LOG_FORMAT say."""
    logging.config.dictConfig(standard_library(settings))
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *SHARED,
            structlog.processors.format_exc_info,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def standard_library(settings: Settings) -> dict[str, Any]:
    """The configuration for `logging`: every logger hands its lines up to the root, and the root writes them."""
    if settings.log_format == "json":
        renderer: Processor = structlog.processors.JSONRenderer(ensure_ascii=False)
    else:
        renderer = structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0)
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": [*SHARED, structlog.processors.format_exc_info],
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"level": settings.log_level.upper(), "handlers": ["stderr"]},
    }
