"""For operators: is the process up, does the store answer, and are new clients welcome."""

from collections.abc import Callable

from flask import Response

from service.api.answers import answer
from service.api.operations import Chapter, Operation, place
from service.api.shapes import Health
from service.table.errors import Refusal
from service.table.table import Table


class Draining(Refusal):
    """This server is about to stop."""

    code = "draining"


class Readiness:
    """Whether this process is about to go. The web server says how to see that; without one it never is."""

    def __init__(self) -> None:
        self._draining: Callable[[], bool] = lambda: False

    def watch(self, draining: Callable[[], bool]) -> None:
        """From now on this is asked."""
        self._draining = draining

    def check(self) -> None:
        """Raises `Draining`."""
        if self._draining():
            raise Draining("Send nothing new here: this server finishes what it has begun, and stops.")


def blueprint(table: Table, readiness: Readiness) -> Chapter:
    """The addresses of health."""

    def livez() -> Response:
        return answer(Health("alive"))

    def readyz() -> Response:
        readiness.check()
        table.store.ping()
        return answer(Health("ready"))

    made = Chapter("health", "For whoever runs the service.")
    place(
        made,
        "GET",
        "/livez",
        livez,
        Operation(id="livez", tag="health", summary="The process is up", answer=Health),
    )
    place(
        made,
        "GET",
        "/readyz",
        readyz,
        Operation(
            id="readyz",
            tag="health",
            summary="The store answers, and the server stays",
            description="What load balancers ask before they send anything here.",
            answer=Health,
            codes=["draining"],
        ),
    )
    return made
