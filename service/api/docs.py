"""For people: the document, a page to read and try it (no asset from elsewhere), a page that explains each problem."""

from html import escape

from flask import Flask, Response
from flask_smorest import Api
from flask_swagger_ui import get_swaggerui_blueprint

from service.api.document import encoded
from service.api.problems import PROBLEMS

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


def add_to(app: Flask, api: Api) -> None:
    """Put the document and the two pages into the application."""
    body = encoded(api)
    page = PAGE.format(entries="\n".join(_entry(code) for code in PROBLEMS)).encode()

    def openapi_json() -> Response:
        return Response(body, mimetype="application/json")

    def problems_page() -> Response:
        return Response(page, mimetype="text/html")

    app.add_url_rule("/openapi.json", "openapi_json", openapi_json)
    app.add_url_rule("/docs/problems", "problems_page", problems_page)
    app.register_blueprint(get_swaggerui_blueprint("/docs", "/openapi.json", config={"app_name": "Shorebreak"}))


def _entry(code: str) -> str:
    status, title = PROBLEMS[code]
    return f'<h2 id="{code}">{code} <small>{status}</small></h2>\n<p>{escape(title)}.</p>'
