"""Tracing with OpenTelemetry, for those who ask for it: nothing of it is even imported otherwise.

The packages are the extra `otel`. What is sent where, and of how many requests, is said by OpenTelemetry's own
variables (OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER and the others).
"""

import importlib.util
import logging
import os
from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, cast

from service import VERSION
from service.settings import Settings, SettingsError
from service.store.errors import StoreError
from service.store.port import Store

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
MISSING = "The packages for tracing are missing: requirements/install python3 otel, or pip install '.[otel]'."

_log = logging.getLogger(__name__)


def wanted(settings: Settings, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether requests shall be traced. Raises SettingsError where TRACING asks for what is not installed."""
    if not (named(environ) if settings.tracing is None else settings.tracing):
        return False
    if _installed():
        return True
    if settings.tracing:
        raise SettingsError(f"TRACING is true. {MISSING}")
    _log.warning("nothing is traced, though %s is set. %s", ENDPOINTS[0], MISSING)
    return False


def named(environ: Mapping[str, str]) -> bool:
    """Whether OpenTelemetry's variables name somebody who takes traces."""
    return any(environ.get(name) for name in ENDPOINTS)


def tracer() -> "Tracer":
    """What makes spans in this process, and sends them on from a thread of its own; what is left when it ends."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    told = {SERVICE_VERSION: VERSION}
    if not os.environ.get("OTEL_SERVICE_NAME"):
        told[SERVICE_NAME] = "shorebreak"
    provider = TracerProvider(resource=Resource.create(told))  # the sampler is the one of OTEL_TRACES_SAMPLER
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider.get_tracer("shorebreak")


class TracedStore:
    """A store each of whose calls is a span, where it is part of a request that is traced."""

    def __init__(self, store: Store, tracer: "Tracer") -> None:
        self._store = store
        self._tracer = tracer

    def __getattr__(self, name: str) -> Any:
        traced = _traced(self._tracer, name, getattr(self._store, name))
        setattr(self, name, traced)
        return traced


def traced(store: Store, tracer: "Tracer") -> Store:
    """The store, with spans."""
    return cast(Store, TracedStore(store, tracer))


def _traced(tracer: "Tracer", name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    from opentelemetry.trace import SpanKind, Status, StatusCode, get_current_span

    attributes = {"db.system.name": "redis", "db.operation.name": name}

    @wraps(call)
    def spanned(*args: Any, **kwargs: Any) -> Any:
        if not get_current_span().is_recording():
            return call(*args, **kwargs)
        with tracer.start_as_current_span(
            f"store {name}", kind=SpanKind.CLIENT, attributes=attributes, record_exception=False
        ) as span:
            try:
                return call(*args, **kwargs)
            except StoreError as failure:  # its kind alone: the text may hold names of keys
                span.set_attribute("error.type", type(failure).__name__)
                span.set_status(Status(StatusCode.ERROR))
                raise

    return spanned


def _installed() -> bool:
    try:
        return all(
            importlib.util.find_spec(name)
            for name in ("opentelemetry.sdk.trace", "opentelemetry.exporter.otlp.proto.http")
        )
    except ModuleNotFoundError:
        return False
