"""What the application is told of a request: the environ of PEP 3333, made from what gunicorn has read.

gunicorn's own takes a twentieth of a move's time, most of it for what nothing here looks at: a stream of its own for
errors, early hints, the protocols of proxies, a prefix for all paths.
"""

import sys
from typing import Any

from gunicorn.util import unquote_to_wsgi_str

_SAME_FOR_ALL = {
    "SCRIPT_NAME": "",
    "wsgi.version": (1, 0),
    "wsgi.multithread": True,
    "wsgi.run_once": False,
    "wsgi.input_terminated": True,
}
_BARE = {"CONTENT-TYPE": "CONTENT_TYPE", "CONTENT-LENGTH": "CONTENT_LENGTH"}
"""The headers whose names stand alone, as in CGI."""


def environ_of(request: Any, server: Any, client: Any, processes: int) -> dict[str, Any]:
    """The environ of a request whose head is read and whose `body` can be.

    `server` and `client` are addresses as sockets give them; over a unix socket neither has a host: the name of the
    server is then empty, and so is the client's address. A header that comes several times is one, its values joined
    by commas.
    """
    environ: dict[str, Any] = {
        **_SAME_FOR_ALL,
        "wsgi.errors": sys.stderr,
        "wsgi.input": request.body,
        "wsgi.multiprocess": processes > 1,
        "wsgi.url_scheme": request.scheme,
        "REQUEST_METHOD": request.method,
        "RAW_URI": request.uri,
        "PATH_INFO": unquote_to_wsgi_str(request.path),
        "QUERY_STRING": request.query,
        "SERVER_PROTOCOL": "HTTP/{}.{}".format(*request.version),
    }
    environ["SERVER_NAME"], environ["SERVER_PORT"] = _host(server)
    environ["REMOTE_ADDR"], environ["REMOTE_PORT"] = _host(client)
    for name, value in request.headers:  # names in capitals; gunicorn has dropped those that hold a `_`
        key = _BARE.get(name) or f"HTTP_{name.replace('-', '_')}"
        environ[key] = f"{environ[key]},{value}" if key in environ and name not in _BARE else value
    return environ


def _host(address: Any) -> tuple[str, str]:
    return (address[0], str(address[1])) if isinstance(address, tuple) else ("", "")
