"""Which pages of other sites may ask: none, unless CORS_ORIGINS names their origins.

Tokens travel in a header that scripts set themselves, never in cookies: a page that may ask gains nothing by being
visited by somebody. So `*` is no danger to players; what it opens is who may use the service from a page.
"""

import re

from flask import Flask

ASKED_WITH = [
    "Accept",
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "If-None-Match",
    "Last-Event-ID",
    "X-Request-Id",
]
TOLD = ["Allow", "ETag", "Idempotent-Replayed", "Location", "Retry-After", "WWW-Authenticate", "X-Request-Id"]
KNOWN_S = 7_200
"""How long a browser need not ask again whether it may ask; the longest that browsers agree on."""


def add_to(app: Flask, origins: str | None) -> None:
    """Let these origins ask, errors and streams included. Without any, nothing is added."""
    if origins is None:
        return
    from flask_cors import CORS  # here, so that it costs nothing where nobody asked for it

    listed = origins.split(",")
    CORS(
        app,
        resources=[r"/v1/.*", r"/openapi\.json"],
        # As patterns of ours: the library takes what looks like one (`http://[::1]:3000`) for one.
        origins="*" if "*" in listed else [re.compile(re.escape(origin) + r"\Z") for origin in listed],
        methods=["GET", "HEAD", "POST", "DELETE"],
        allow_headers=ASKED_WITH,
        expose_headers=TOLD,
        max_age=KNOWN_S,
        send_wildcard=True,
        always_send=False,
        intercept_exceptions=False,
    )
