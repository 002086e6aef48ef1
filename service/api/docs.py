"""For people: the document, a page to read and try it (no asset from elsewhere), a page that explains each problem."""

import re
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from html import escape
from typing import Any

from flask import Flask, Response, make_response
from flask_smorest import Api
from flask_swagger_ui import get_swaggerui_blueprint

from service.api.document import encoded
from service.api.headers import page
from service.api.problems import PROBLEMS
from service.api.remedies import REMEDIES

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shorebreak: problems</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #123; }}
h2 {{ font: 600 1.1rem ui-monospace, monospace; margin: 2rem 0 0; }} h2 small {{ color: #567; font-weight: 400; }}
:target {{ background: #e6f6fa; }} p {{ margin: .25rem 0; }}
</style>
<h1>Problems</h1>
<p>Every error is <code>application/problem+json</code> with one of these codes, listed in the order in which a request
is judged. Act on <code>code</code>; <code>detail</code> is for people and may change.</p>
{entries}
</html>
"""


READER = {
    "app_name": "Shorebreak",
    "tryItOutEnabled": True,
    # Without a word about it, the page would send the document's address to a validator elsewhere,
    "validatorUrl": None,
    # and write into its script whatever the header `Host` says.
    "oauth2RedirectUrl": "/docs/oauth2-redirect.html",
}
NOWHERE = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
PAGE_POLICY = f"default-src 'none'; {NOWHERE}; style-src 'unsafe-inline'"
READER_POLICY = (
    f"default-src 'self'; {NOWHERE}; object-src 'none'; img-src 'self' data:; font-src 'self' data:; "
    "style-src 'self' 'unsafe-inline'; script-src 'self'"
)
"""What the reader is made of comes from here. Its one script within the page is named by its hash."""


def add_to(app: Flask, api: Api) -> None:
    """Put the document and the two pages into the application."""
    body = encoded(api)
    problems = PAGE.format(entries="\n".join(_entry(code) for code in PROBLEMS)).encode()

    def openapi_json() -> Response:
        return Response(body, mimetype="application/json")

    def problems_page() -> Response:
        return page(Response(problems, mimetype="text/html"), PAGE_POLICY)

    app.add_url_rule("/openapi.json", "openapi_json", openapi_json)
    app.add_url_rule("/docs/problems", "problems_page", problems_page)
    reader = get_swaggerui_blueprint("/docs", "/openapi.json", config=READER)
    app.register_blueprint(reader)
    with app.app_context():
        policy = f"{READER_POLICY} {_hashes(str(app.view_functions[f'{reader.name}.show']()))}"
    for endpoint, view in list(app.view_functions.items()):
        if endpoint.startswith(f"{reader.name}."):
            app.view_functions[endpoint] = _nothing_from_elsewhere(view, policy)
    app.add_url_rule("/docs", "docs_page", app.view_functions[f"{reader.name}.show"])


def _nothing_from_elsewhere(view: Callable[..., Any], policy: str) -> Callable[..., Response]:
    """The view, whose page may load nothing from other sites."""
    return lambda **places: page(make_response(view(**places)), policy)


def _hashes(html: str) -> str:
    """The scripts within the page, as a policy names them: those and no others run."""
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    return " ".join(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts)


def _entry(code: str) -> str:
    status, title = PROBLEMS[code]
    remedy = re.sub("`(.+?)`", r"<code>\1</code>", escape(REMEDIES[code]))
    return f'<h2 id="{code}">{code} <small>{status}</small></h2>\n<p>{escape(title)}. {remedy}</p>'
