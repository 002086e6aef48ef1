"""A span for each request: what its line in the log says, and no more. A caller's trace goes on by `traceparent`."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from flask import Flask, Request, Response

from service.api.access import ID, TRACE, Observed, place_of, route_of
from service.api.lean import at_hand

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

SPAN = "shorebreak.span"
CARRIED = ("traceparent", "tracestate")


def add_to(app: Flask, tracer: "Tracer") -> None:
    """Put a span around every request."""
    from opentelemetry.trace import SpanKind, use_span
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    answer_all, propagator = app.wsgi_app, TraceContextTextMapPropagator()

    def begin(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        context = None
        if "HTTP_TRACEPARENT" in environ:
            context = propagator.extract({name: environ.get(f"HTTP_{name.upper()}", "") for name in CARRIED})
        span = tracer.start_span("request", context, SpanKind.SERVER)
        environ[SPAN] = span
        environ[TRACE] = f"{span.get_span_context().trace_id:032x}"
        with use_span(span, end_on_exit=False, record_exception=False, set_status_on_exception=False):
            return answer_all(environ, start_response)

    def finish(response: Response) -> Response:
        asked = at_hand()
        span: Span = asked.environ[SPAN]
        if span.is_recording():
            _tell(span, asked, response)
        if response.is_streamed:
            response.call_on_close(span.end)
        else:
            span.end()
        return response

    app.wsgi_app = begin  # type: ignore[method-assign]  # Flask's own way to put something around it
    app.after_request(finish)


def _tell(span: "Span", asked: Request, response: Response) -> None:
    from opentelemetry.trace import Status, StatusCode

    method, route = route_of(asked)
    match, seat = place_of(asked)
    told: dict[str, Any] = {
        "http.request.method": method,
        "http.route": route,
        "http.response.status_code": response.status_code,
        "shorebreak.request_id": asked.environ[ID],
        "shorebreak.match": match,
        "shorebreak.seat": seat,
    }
    if isinstance(response, Observed):
        told |= {"shorebreak.code": response.code, "shorebreak.version": response.version}
    span.update_name(f"{method} {route}")
    span.set_attributes({name: value for name, value in told.items() if value is not None})
    if response.status_code >= 500:
        span.set_attribute("error.type", str(told.get("shorebreak.code") or response.status_code))
        span.set_status(Status(StatusCode.ERROR))
