"""What the application is told of a request is what gunicorn would tell it, as far as it is told."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest
from gunicorn import http
from gunicorn.config import Config
from gunicorn.http import wsgi

from service.environ import environ_of

SERVER, CLIENT = ("127.0.0.1", 8000), ("192.0.2.7", 50_123)
LEFT_OUT = {"SERVER_SOFTWARE", "gunicorn.socket", "wsgi.early_hints", "wsgi.errors", "wsgi.file_wrapper"}
REQUESTS = [
    b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET / HTTP/1.0\r\n\r\n",
    b"GET /v1/games?limit=2&cursor=a%20b HTTP/1.1\r\nHost: a:8000\r\nAccept: */*\r\n\r\n",
    b"GET /a%2Fb/%C3%A9/%ff/%25?%C3%A9 HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET http://a.example/v1/games?x#y HTTP/1.1\r\nHost: a\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
    b"POST /moves HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
    b"POST /moves HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.1.1.1\r\nAccept: a\r\nX-Forwarded-For: 2.2\r\naccept: b\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nX_Forwarded_For: 1.1.1.1\r\nSCRIPT_NAME: /evil\r\nREMOTE_ADDR: 1.1.1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nScript-Name: /evil\r\nRemote-Addr: 1.1.1.1\r\nX-Forwarded-Proto: https\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nX-Said: é\r\nX-Empty:\r\nX-Spaced: \t a b \t\r\n\r\n".encode("latin-1"),
]


def read(request: bytes) -> tuple[Any, Config]:
    cfg = Config()
    cfg.set("workers", 2)
    cfg.set("secure_scheme_headers", {})
    cfg.set("forwarder_headers", "")
    return next(http.get_parser(cfg, iter([request]), CLIENT)), cfg


@pytest.mark.parametrize("request_bytes", REQUESTS, ids=lambda request: repr(request[:40]))
@pytest.mark.parametrize("server", [SERVER, ("::1", 8000, 0, 0)], ids=["IPv4", "IPv6"])
def test_it_says_what_gunicorns_own_says(request_bytes: bytes, server: Any) -> None:
    asked, cfg = read(request_bytes)
    _, theirs = wsgi.create(asked, SimpleNamespace(), CLIENT, server, cfg)
    ours = environ_of(asked, server, CLIENT, 2)
    theirs["wsgi.multithread"] = True  # theirs are told otherwise by their worker
    assert ours.pop("wsgi.errors") is sys.stderr
    assert ours == {name: value for name, value in theirs.items() if name not in LEFT_OUT}


def test_over_a_unix_socket_nobody_has_an_address() -> None:
    asked, _ = read(REQUESTS[0])
    environ = environ_of(asked, "/run/shorebreak.sock", "", 1)
    assert (environ["REMOTE_ADDR"], environ["SERVER_NAME"], environ["SERVER_PORT"]) == ("", "", "")
    assert environ["wsgi.multiprocess"] is False
