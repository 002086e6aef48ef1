"""For operators: is the process up, does the store answer."""

from flask import Response

from service.api.answers import answer
from service.api.operations import Chapter, Operation, place
from service.api.shapes import Health
from service.table.table import Table


def blueprint(table: Table) -> Chapter:
    """The addresses of health."""

    def livez() -> Response:
        return answer(Health("alive"))

    def readyz() -> Response:
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
        Operation(id="readyz", tag="health", summary="The store answers", answer=Health),
    )
    return made
