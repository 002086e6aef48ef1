"""What browsers are told of answers: nothing here is to be run, framed or guessed at.

Each header costs every answer a microsecond or two, so what adds nothing is left out: JSON that is not to be guessed at
is kept from other sites' images and scripts by browsers themselves, and HSTS is for whoever ends TLS to send.
"""

from typing import cast

from flask import Flask, Response

POLICY = "default-src 'none'; frame-ancestors 'none'"
"""An answer that is opened as a page, whatever stands in it, runs nothing, loads nothing, and shows in no frame."""


class Page(Response):
    """An answer that is part of a page for people, with a policy of its own."""


def page(response: Response, policy: str) -> Page:
    """The answer as part of a page that may do what the policy says, and tells no other site where its reader was."""
    made = cast(Page, Page.force_type(response))  # typed as any response: it is of the class that it is called on
    made.headers["Content-Security-Policy"] = policy
    made.headers["Referrer-Policy"] = "no-referrer"
    made.headers["Cross-Origin-Resource-Policy"] = "same-origin"
    return made


def add_to(app: Flask) -> None:
    """Put the policy into every answer that is no page."""

    def guard(response: Response) -> Response:
        if not isinstance(response, Page):
            response.headers.add("Content-Security-Policy", POLICY)
        return response

    app.after_request(guard)
