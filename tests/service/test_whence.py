"""Whence a request comes: proxies are believed if they are trusted, and so far as they wrote it themselves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.settings import Settings, SettingsError
from service.whence import Trusted, block, hops_of_elements, hops_of_list
from tests.support.checked import checked_client
from tests.support.server import RedisServer

PROXIES = Trusted("10.0.0.0/8, 192.0.2.1, fd00::/8")
PATH = "/v1/games/onda/matches"


@pytest.mark.parametrize(
    ("peer", "header", "client"),
    [
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "forged, 203.0.113.9, 198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "203.0.113.9, 198.51.100.1, 10.2.3.4", "198.51.100.1"),
        ("10.0.0.1", "203.0.113.9, 10.9.9.9, 198.51.100.1, 192.0.2.1 , 10.2.3.4", "198.51.100.1"),
        ("10.0.0.1", "10.0.0.9, 10.0.0.8", "10.0.0.9"),
        ("::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("fd00::1", "2001:db8::7", "2001:db8::7"),
        ("10.0.0.1", "[2001:db8::7]:443", "2001:db8::7"),
        ("10.0.0.1", "198.51.100.1:5000", "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1, unknown", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1, 10.0.0.2, ", "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.1, 127.1", "10.0.0.1"),
        ("198.51.100.2", "203.0.113.9", "198.51.100.2"),
        ("198.51.100.2", "10.0.0.1", "198.51.100.2"),
        ("", "203.0.113.9", ""),
    ],
)
def test_the_rightmost_address_that_is_no_trusted_proxys_is_the_clients(peer: str, header: str, client: str) -> None:
    assert PROXIES.client(peer, hops_of_list(header)) == client


@pytest.mark.parametrize(
    ("header", "hops"),
    [
        ("for=198.51.100.1", ["198.51.100.1"]),
        ('For="[2001:db8::7]:47011";proto=https, for=10.0.0.2;by=10.0.0.3', ["[2001:db8::7]:47011", "10.0.0.2"]),
        ("for=_hidden, for=unknown, proto=http", ["_hidden", "unknown", ""]),
        ('for="a,b;for=c", for=198.51.100.1', ["a,b;for=c", "198.51.100.1"]),
        ("by=for=10.0.0.1", [""]),
        ("proto=https; for=198.51.100.1 ", ["198.51.100.1"]),
        ('"\\' * 4_000 + ", for=198.51.100.1", [""]),
    ],
)
def test_the_header_of_rfc_7239_is_read_as_it_is_written(header: str, hops: list[str]) -> None:
    assert hops_of_elements(header) == hops


def test_a_unix_socket_is_trusted_by_its_own_word_alone() -> None:
    assert Trusted("unix").client("", ["198.51.100.1"]) == "198.51.100.1"
    assert Trusted("10.0.0.0/8").client("", ["198.51.100.1"]) == ""
    assert Trusted("unix").client("10.0.0.1", ["198.51.100.1"]) == "10.0.0.1"


@given(st.lists(st.text(max_size=20) | st.sampled_from(["10.0.0.1", "198.51.100.1", "::1", "[::1]:2"]), max_size=6))
def test_whatever_strangers_write_they_are_themselves(hops: list[str]) -> None:
    assert PROXIES.client("198.51.100.2", hops_of_list(",".join(hops))) == "198.51.100.2"
    told = hops_of_list(",".join([*hops, "198.51.100.2"]))
    assert PROXIES.client("10.0.0.1", told) == "198.51.100.2"
    hops_of_elements(",".join(hops))


@pytest.mark.parametrize("listed", ["10.0.0.0/8", "10.0.0.7,unix", " fd00::/8 , 10.0.0.1", "unix"])
def test_proxies_are_addresses_networks_and_unix(listed: str) -> None:
    assert Settings.from_env({"TRUSTED_PROXIES": listed}).trusted_proxies == listed.strip()


@pytest.mark.parametrize("listed", ["*", "proxy.example", "10.0.0.1/8", "0.0.0.0/0", "10.0.0.1,::/0", "10.0.0.1,", "1"])
def test_what_is_none_or_everybody_is_refused(listed: str) -> None:
    with pytest.raises(SettingsError, match="TRUSTED_PROXIES"):
        Settings.from_env({"TRUSTED_PROXIES": listed})


@pytest.mark.parametrize(
    ("address", "counted_as"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
        ("unknown", "unknown"),
        ("", ""),
    ],
)
def test_in_ipv6_the_first_64_bits_count(address: str, counted_as: str) -> None:
    assert block(address) == counted_as


def creations(redis: RedisServer, headers: dict[str, str], peer: str = "127.0.0.1", **settings: str) -> list[int]:
    """What three attempts are answered where two a minute are allowed."""
    client = checked_client(redis, creates_per_minute=2, **settings)
    from_peer = {"REMOTE_ADDR": peer}
    answers = []
    for number in range(3):
        told = {name: text.format(number) for name, text in headers.items()}
        answers.append(client.post(PATH, json={"seats": 2}, headers=told, environ_overrides=from_peer).status_code)
    return answers


FORGED = {
    "X-Forwarded-For": "198.51.100.{}",
    "Forwarded": "for=198.51.100.{}",
    "X-Real-IP": "198.51.100.{}",
    "True-Client-IP": "198.51.100.{}",
    "CF-Connecting-IP": "198.51.100.{}",
}


def test_without_the_setting_forged_headers_change_nothing(empty_redis: RedisServer) -> None:
    assert creations(empty_redis, FORGED) == [201, 201, 429]


def test_a_peer_that_is_not_trusted_forges_in_vain(empty_redis: RedisServer) -> None:
    assert creations(empty_redis, FORGED, "198.51.100.77", trusted_proxies="127.0.0.1") == [201, 201, 429]


def test_a_trusted_proxy_tells_clients_apart(empty_redis: RedisServer) -> None:
    through = {"X-Forwarded-For": "203.0.113.5, 198.51.100.{}"}
    assert creations(empty_redis, through, trusted_proxies="127.0.0.1") == [201, 201, 201]


def test_what_stands_before_the_proxys_own_word_is_not_believed(empty_redis: RedisServer) -> None:
    through = {"X-Forwarded-For": "198.51.100.{}, 203.0.113.5"}
    assert creations(empty_redis, through, trusted_proxies="127.0.0.1") == [201, 201, 429]


def test_one_header_is_read_and_the_other_is_not(empty_redis: RedisServer) -> None:
    forged = {"X-Forwarded-For": "203.0.113.5", "Forwarded": "for=198.51.100.{}"}
    assert creations(empty_redis, forged, trusted_proxies="127.0.0.1") == [201, 201, 429]
    forged = {"Forwarded": "for=203.0.113.6", "X-Forwarded-For": "198.51.100.{}"}
    assert creations(empty_redis, forged, trusted_proxies="127.0.0.1", proxy_header="forwarded") == [201, 201, 429]
