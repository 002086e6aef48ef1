"""Where webhooks may lead: the internet, by names that are judged each time they are resolved, and nowhere else."""

import os
import random
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

import pytest

from service.table.addresses import Place, check, literal, public, read
from service.table.errors import Invalid
from service.worker import post
from service.worker.post import Post
from tests.support.checked import checked_client
from tests.support.platform import Platform, leading_to
from tests.support.receiver import Answering, Receiver, receiver
from tests.support.server import RedisServer
from tests.support.waiting import eventually

CERTIFICATE = Path(__file__).parent / "hook.example.pem"

NOT_PUBLIC = [
    *("0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.8.8.8"),
    *("169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1"),
    *("198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1"),
    *("255.255.255.255", "::", "::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::127.0.0.1", "::8.8.8.8"),
    *("64:ff9b::10.0.0.1", "64:ff9b:1::8.8.8.8", "100::1", "2001::1", "2001:0:808:808::1", "2001:2::1", "2001:10::1"),
    *("2001:20::1", "2001:db8::1", "2002:a00:1::1", "2002:808:808::1", "3fff::1", "4000::1", "5f00::1", "fc00::1"),
    *("fd12:3456::1", "fe80::1", "fec0::1", "ff02::1", "ff0e::1", "2a00:1450::1%eth0"),
]
PUBLIC = [
    *("1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255"),
    *("128.0.0.1", "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.1.1", "192.167.255.255", "192.169.0.0"),
    *("198.17.255.255", "198.20.0.0", "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2001:200::1"),
    *("2606:4700::1111", "2a00:1450:4001::200e", "3ffe::1"),
]


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_an_address_that_is_not_the_internets_is_not_public(address: str) -> None:
    assert not public(ip_address(address))


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert public(ip_address(address))


@pytest.mark.parametrize("seed", range(20))
def test_nothing_counts_as_public_that_the_library_of_python_calls_private(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(2_000):
        v4, v6 = IPv4Address(chance.getrandbits(32)), IPv6Address(chance.getrandbits(128))
        near = IPv6Address((0x2000 + chance.getrandbits(13)) << 112 | chance.getrandbits(112))
        for address in (v4, v6, near):
            if public(address):
                assert address.is_global, (seed, address)
                assert not address.is_multicast, (seed, address)
                assert not address.is_reserved, (seed, address)


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://example.com", Place("http", "example.com", 80, "/")),
        ("https://Example.COM:8443/a/b?c=d&e=%20#part", Place("https", "example.com", 8443, "/a/b?c=d&e=%20")),
        ("https://example.com?x=1", Place("https", "example.com", 443, "/?x=1")),
        ("http://[2a00:1450::1]:81/x", Place("http", "2a00:1450::1", 81, "/x")),
        ("http://8.8.8.8/@x", Place("http", "8.8.8.8", 80, "/@x")),
        ("https://a_b.example.com./", Place("https", "a_b.example.com.", 443, "/")),
    ],
)
def test_a_url_is_read(url: str, place: Place) -> None:
    assert read(url) == place


@pytest.mark.parametrize(
    "url",
    [
        *("ftp://example.com/", "file:///etc/passwd", "gopher://example.com/", "//example.com/", "example.com", ""),
        *("http://", "http:///x", "http://:80/", "http://user@example.com/", "http://user:word@example.com/"),
        *(
            "http://good.example@127.0.0.1/",
            "http://good.example\\@127.0.0.1/",
            "http://good.example\\x/",
            "http://a b/",
        ),
        *("http://example.com:0/", "http://example.com:65536/", "http://example.com:/", "http://example.com:8x/"),
        *("http://[::1%25eth0]/", "http://[::1%eth0]/", "http://[example.com]/", "http://[1.2.3.4]/", "http://[::1/"),
        *("http://%31%32%37.0.0.1/", "http://exämple.com/", "http://a..b/", "http://.a/", f"http://{'a' * 254}/"),
        *("http://example.com/\n", "http://example.com/\r\nX: y", "http://example.com/ x", "HTTP://example.com/"),
    ],
)
def test_anything_else_is_no_url_for_a_webhook(url: str) -> None:
    assert read(url) is None


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f000001", "0x7f.1", "017700000001", "0", "127.0.0.1"])
def test_every_notation_of_an_address_is_recognised(host: str) -> None:
    address = literal(host)
    assert address is not None
    assert not public(address)
    with pytest.raises(Invalid):
        check(f"http://{host}/", private=False)


REFUSED = [
    *("http://127.0.0.1/", "http://10.1.2.3:8080/x", "https://169.254.169.254/latest", "http://[::1]/", "http://0/"),
    *("http://[::ffff:192.168.0.1]/", "http://localhost/", "http://LOCALHOST:99/", "http://me.localhost./"),
    "http://100.64.1.1/",
]


@pytest.mark.parametrize("url", [*REFUSED, "http://user:word@example.com/", "http://example.com:99999/"])
def test_creation_refuses_what_could_never_be_delivered(shared_redis: RedisServer, url: str) -> None:
    client = checked_client(shared_redis)
    answer = client.post("/v1/games/onda/matches", json={"seats": 2, "webhook": {"url": url}})
    assert (answer.status_code, answer.json["code"]) == (422, "invalid")
    assert [fault["path"] for fault in answer.json["errors"]] == ["$.webhook.url"]
    assert "word" not in answer.get_data(as_text=True).replace("password", "")


@pytest.mark.parametrize("url", REFUSED)
def test_a_setting_allows_networks_of_ones_own(url: str) -> None:
    check(url, private=True)


def test_names_are_not_resolved_at_creation() -> None:
    check("https://intranet/", private=False)


# -- at delivery ------------------------------------------------------------------------------------------------------


def closed_post(*addresses: str, timeout_s: float = 5.0) -> Post:
    """As it is by default; every name leads to these addresses."""
    return Post(timeout_s, private=False, lookups=2, resolve=leading_to(*addresses))


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.1", "169.254.169.254", "fe80::1%1"]
)
def test_a_name_that_leads_inside_is_not_followed(endpoint: Receiver, address: str) -> None:
    outcome = closed_post(address).send(f"http://hook.example:{endpoint.port}/", [], b"{}")
    assert (outcome.delivered, outcome.why) == (False, "its address is none that this server delivers to")
    assert endpoint.got == []


def test_a_name_that_turned_to_the_inside_after_creation_fails_as_any_other(
    platform: Platform, endpoint: Receiver
) -> None:
    match = platform.match(f"http://hook.example:{endpoint.port}/")
    closed = Post(5.0, private=False, lookups=2, resolve=leading_to("127.0.0.1"))
    platform.teller._post = closed
    assert (platform.tell(match) or 0) > 0
    assert endpoint.got == []
    while (next_ms := platform.tell(match)) is not None:
        platform.clock.pass_s(next_ms / 1000 + 0.001)
    assert match.public()["webhook"] == "off"


def test_a_literal_address_inside_is_not_followed_either(endpoint: Receiver) -> None:
    for host in ("127.0.0.1", "127.1", "2130706433", "[::ffff:127.0.0.1]"):
        outcome = closed_post("8.8.8.8").send(f"http://{host}:{endpoint.port}/", [], b"{}")
        assert outcome.why == "its address is none that this server delivers to", host
    assert endpoint.got == []


def test_a_name_is_resolved_once_and_the_address_that_was_judged_is_connected_to(
    endpoint: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second look-up could give another answer than the one that was judged."""
    asked: list[tuple[str, int]] = []
    judged: list[str] = []

    def resolve(host: str, port: int) -> Sequence[str]:
        asked.append((host, port))
        return ["127.0.0.1"] if len(asked) == 1 else ["10.0.0.1"]

    def judge(address: object) -> bool:
        judged.append(str(address))
        return True

    monkeypatch.setattr(post, "public", judge)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: pytest.fail("resolved a second time"))
    outcome = Post(5.0, private=False, lookups=2, resolve=resolve).send(
        f"http://hook.example:{endpoint.port}/", [], b"{}"
    )
    assert outcome.delivered
    assert (asked, judged) == ([("hook.example", endpoint.port)], ["127.0.0.1"])
    assert endpoint.got[0].headers["host"] == f"hook.example:{endpoint.port}"


def test_of_many_addresses_the_allowed_ones_are_tried_in_turn(endpoint: Receiver) -> None:
    there = Post(5.0, private=True, lookups=2, resolve=leading_to("127.0.0.9", "::1", "127.0.0.1"))
    with socket.socket() as closed:
        closed.bind(("127.0.0.9", 0))  # nobody listens there
        assert there.send(f"http://hook.example:{endpoint.port}/", [], b"{}").delivered


def test_a_name_that_nobody_knows_is_a_failure() -> None:
    def unknown(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "no such name")

    outcome = Post(5.0, private=False, lookups=2, resolve=unknown).send("http://hook.example/", [], b"{}")
    assert (outcome.delivered, outcome.why) == (False, "its name was not found")


def test_names_that_take_for_ever_hold_up_nothing_but_their_own_delivery(endpoint: Receiver) -> None:
    answer = threading.Event()

    def silent(host: str, port: int) -> Sequence[str]:
        answer.wait(30)
        return ["127.0.0.1"]

    waiting = Post(0.3, private=True, lookups=2, resolve=silent)
    begun = time.monotonic()
    whys = [waiting.send("http://hook.example/", [], b"{}").why for _ in range(3)]
    assert whys == ["its name was not found in time"] * 2 + ["nothing within 0.3 s"] or whys[2].startswith("too many")
    assert time.monotonic() - begun < 3
    assert waiting.send(endpoint.url, [], b"{}").delivered, "a literal address needs no look-up"
    answer.set()
    eventually(lambda: not lookups_left(), "the look-ups end")
    assert waiting.send(f"http://hook.example:{endpoint.port}/", [], b"{}").delivered


def lookups_left() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "webhook-name"]


# -- TLS --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def secure() -> Iterator[Receiver]:
    """An endpoint with a certificate for hook.example."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    asked: list[str] = []

    def note_name(_line: object, name: str, _context: object) -> None:
        asked.append(name)

    context.sni_callback = note_name
    with receiver(tls=context) as opened:
        opened.names = asked  # which names clients asked for
        yield opened


def trusting(addresses: Sequence[str] = ("127.0.0.1",), timeout_s: float = 5.0) -> Post:
    """A post that trusts the test's certificate."""
    tls = ssl.create_default_context(cafile=CERTIFICATE)
    return Post(timeout_s, private=True, lookups=2, resolve=leading_to(*addresses), tls=tls)


def test_the_name_is_verified_and_not_the_address(secure: Receiver) -> None:
    outcome = trusting().send(f"https://hook.example:{secure.port}/", [], b"{}")
    assert outcome.delivered, outcome
    assert secure.names == ["hook.example"]


@pytest.mark.parametrize("host", ["other.example", "127.0.0.1"])
def test_a_certificate_for_another_name_is_refused(secure: Receiver, host: str) -> None:
    outcome = trusting().send(f"https://{host}:{secure.port}/", [], b"{}")
    assert outcome.why.startswith("its certificate is not right"), outcome
    assert secure.got == []


def test_a_certificate_that_nobody_vouches_for_is_refused(secure: Receiver) -> None:
    untrusting = Post(5.0, private=True, lookups=2, resolve=leading_to("127.0.0.1"))
    outcome = untrusting.send(f"https://hook.example:{secure.port}/", [], b"{}")
    assert outcome.why.startswith("its certificate is not right"), outcome
    assert secure.got == []


def test_a_handshake_that_never_ends_is_a_failure(endpoint: Receiver) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        begun = time.monotonic()
        outcome = trusting(timeout_s=0.4).send(f"https://hook.example:{port}/", [], b"{}")
        assert not outcome.delivered
        assert time.monotonic() - begun < 2
    plain = trusting().send(f"https://hook.example:{endpoint.port}/", [], b"{}")
    assert not plain.delivered, "an endpoint that speaks no TLS"


# -- nothing is left over ---------------------------------------------------------------------------------------------


def test_no_thread_and_no_socket_is_left_over(secure: Receiver, endpoint: Receiver) -> None:
    def open_files() -> int:
        return len(os.listdir("/dev/fd"))

    def cut(answering: Answering) -> None:
        answering.raw("HTTP/1.1 200")

    endpoint.behave = cut
    slow = trusting(timeout_s=0.05)
    urls = [endpoint.url, f"https://other.example:{secure.port}/", f"https://hook.example:{secure.port}/"]
    urls += [f"https://hook.example:{endpoint.port}/", "http://127.0.0.1:9/", "http://hook.example:9/"]
    for url in urls:  # what is opened once and for all
        trusting().send(url, [], b"{}")
    eventually(lambda: endpoint.at_once == secure.at_once == 0, "the endpoints rest")
    before = open_files()
    for _ in range(20):
        for url in urls:
            trusting().send(url, [], b"{}")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for scheme in ("http", "https"):
            for _ in range(5):
                slow.send(f"{scheme}://hook.example:{silent.getsockname()[1]}/", [], b"{}")
    eventually(lambda: open_files() <= before and not lookups_left(), "everything is closed")
