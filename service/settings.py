"""All that an operator can set: one frozen record, read from the environment once, checked before anything starts.

A setting is one field below. Its variable is the field's name in capitals (`data_dir` is DATA_DIR); an empty
variable counts as unset. docs/settings.md is the operator's page of the same table, and a test compares the two.
"""

import dataclasses
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from service.store import address
from service.whence import Trusted

T = TypeVar("T")

DEFAULT_DATA_DIR = Path("./var")
DAY_S = 86_400
YEAR_S = 365 * DAY_S


class SettingsError(Exception):
    """One or more settings are wrong. The text has a line for each: the variable, its value, and what is allowed."""


def whole(least: int, most: int) -> tuple[Callable[[str], int], str]:
    """How to read a whole number between two bounds, and the words for it."""

    def read(text: str) -> int:
        # int() alone would also take "1_000" and digits of other scripts.
        if not re.fullmatch(r"[+-]?[0-9]{1,18}", text) or not least <= int(text) <= most:
            raise ValueError(text)
        return int(text)

    return read, f"a whole number from {least} to {most}"


def seconds(least: float, most: float) -> tuple[Callable[[str], float], str]:
    """How to read a time in seconds between two bounds, and the words for it."""

    def read(text: str) -> float:
        value = float(text)
        if not math.isfinite(value) or not least <= value <= most:
            raise ValueError(text)
        return value

    return read, f"a number of seconds from {least:g} to {most:g}"


def one_of(*words: str) -> tuple[Callable[[str], str], str]:
    """How to read one word out of a few, in any case, and the words for it."""

    def read(text: str) -> str:
        if text.lower() not in words:
            raise ValueError(text)
        return text.lower()

    return read, "one of " + ", ".join(words)


def host() -> tuple[Callable[[str], str], str]:
    """How to read an address to listen on. Whether it is this machine's shows when the port is opened."""

    def read(text: str) -> str:
        if not re.fullmatch(r"[0-9A-Za-z.:_-]+", text):
            raise ValueError(text)
        return text

    return read, "a host name or an IP address, such as 127.0.0.1, 0.0.0.0 or ::1"


def truth() -> tuple[Callable[[str], bool], str]:
    """How to read a yes or no, in any case, and the words for it."""

    def read(text: str) -> bool:
        if text.lower() not in ("true", "false"):
            raise ValueError(text)
        return text.lower() == "true"

    return read, "true or false"


def folder() -> tuple[Callable[[str], Path], str]:
    """How to read a folder's path, made absolute here so that no child process depends on where it stands."""

    def read(text: str) -> Path:
        if "\0" in text or "\n" in text:
            raise ValueError(text)
        return Path(text).expanduser().absolute()

    return read, "the path of a folder that can be written"


def folder_to_read() -> tuple[Callable[[str], Path | None], str]:
    """How to read the path of a folder that is only read. Whether it is there shows when it is."""
    read, _ = folder()
    return read, "the path of a folder that can be read"


def redis_address() -> tuple[Callable[[str], str], str]:
    """How to read the address of a Redis server, of a cluster or of Sentinels, and the words for it."""

    def read(text: str) -> str:
        address.parse(text)
        return text

    return read, (
        "redis://host:port/0, rediss://host:port/0, unix:///path/to/socket, redis+cluster://host:port,host:port or "
        "redis+sentinel://host:port,host:port/master/0 (unset: a server of its own)"
    )


def proxies() -> tuple[Callable[[str], str | None], str]:
    """How to read which proxies are trusted."""

    def read(text: str) -> str | None:
        Trusted(text)
        return text

    return read, "addresses and networks with commas (10.0.0.7, 10.1.0.0/16, fd00::/8), and `unix` for a unix socket"


def origins() -> tuple[Callable[[str], str | None], str]:
    """How to read origins of pages, as browsers write them: scheme, host and a port that is not the usual one."""
    one = re.compile(r"[a-z][a-z0-9+.-]*://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?")

    def read(text: str) -> str | None:
        words = [word.strip() for word in text.split(",")]
        if words != ["*"] and not all(one.fullmatch(word) for word in words):
            raise ValueError(text)
        return ",".join(words)

    return read, "origins with commas, such as https://play.example,http://localhost:3000 (no path, no capitals), or *"


def setting(default: T, kind: tuple[Callable[[str], T], str], meaning: str, *, secret: bool = False) -> T:
    """A field of Settings: its default, how to read it, and what it means (a sentence of docs/settings.md)."""
    read, allowed = kind
    metadata = {"read": read, "allowed": allowed, "meaning": meaning}
    field: T = dataclasses.field(default=default, metadata=metadata, repr=not secret)
    return field


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """How this Shorebreak runs. Made by `Settings.from_env`, or by hand in tests."""

    port: int = setting(8000, whole(1, 65_535), "The TCP port to answer on.")
    host: str = setting(
        "127.0.0.1", host(), "The address to listen on. 0.0.0.0 answers the whole network, so think of TLS first."
    )
    data_dir: Path = setting(
        DEFAULT_DATA_DIR, folder(), "Where matches are kept when REDIS_URL is unset, along with logs. Made if missing."
    )
    redis_url: str | None = setting(
        None,
        redis_address(),
        "Where matches are kept: a Redis (7.0 or later) or Valkey server, a cluster, or a master that Sentinels know "
        "(docs/scaling.md). Unset: `make run` starts a server of its own.",
        secret=True,
    )
    web_workers: int = setting(2, whole(1, 64), "Web processes. One or two for each core is plenty.")
    web_connections: int = setting(
        10_000,
        whole(1, 100_000),
        "Open connections that one web process holds, as far as the system lets it; further ones wait to be accepted.",
    )
    client_timeout_s: float = setting(
        30.0,
        seconds(0.1, 600),
        "How long a client may take to send a request's head, and its body, and to take in each piece of an answer.",
    )
    connections_per_address: int = setting(
        5_000,
        whole(0, 100_000),
        "Connections, and long polls and streams that wait, of one client address in one web process; 0: any number.",
    )
    trusted_proxies: str | None = setting(
        None,
        proxies(),
        "Proxies that are believed when they say whom a request is from; all others are not (docs/security.md).",
    )
    proxy_header: str = setting(
        "x-forwarded-for",
        one_of("x-forwarded-for", "forwarded"),
        "The one header in which trusted proxies say so; they must write it themselves, never pass it on alone.",
    )
    cors_origins: str | None = setting(
        None,
        origins(),
        "Sites whose pages may use the API from a browser (CORS). Unset: only pages from here.",
    )
    stop_timeout_s: float = setting(
        10.0, seconds(0.1, 600), "How long requests in flight may take to finish when Shorebreak is told to stop."
    )
    drain_delay_s: float = setting(
        0.0,
        seconds(0, 600),
        "How long, after it is told to stop, everything is still answered while `/readyz` says no, so that load "
        "balancers go elsewhere first.",
    )
    store_timeout_s: float = setting(
        2.0, seconds(0.05, 60), "How long one exchange with Redis may take before the request is answered 503."
    )
    store_connections: int = setting(
        50,
        whole(1, 10_000),
        "Connections to Redis (to each master of a cluster) that one process holds at most; further requests wait for "
        "a free one.",
    )
    store_replicas: int = setting(
        0,
        whole(0, 10),
        "Replicas that must have a write before it is acknowledged (docs/scaling.md). If they do not within half of "
        "STORE_TIMEOUT_S, the answer is 503 `outcome_unknown`.",
    )
    max_body_bytes: int = setting(
        65_536, whole(1_024, 16_777_216), "The longest request body, in bytes. A longer one is answered 413."
    )
    creates_per_minute: int = setting(
        6_000, whole(0, 1_000_000), "Matches that one client address may set up in a minute; 0: any number."
    )
    claims_per_minute: int = setting(
        6_000, whole(0, 1_000_000), "Seats that one client address may ask for in a minute; 0: any number."
    )
    bots_per_minute: int = setting(
        2_000, whole(0, 1_000_000), "Bots that one client address may put on seats in a minute; 0: any number."
    )
    seat_changes_per_minute: int = setting(
        600,
        whole(0, 1_000_000),
        "How often in a minute one token may change who sits in its match: leave, renew, come back; 0: any number.",
    )
    join_codes_per_minute: int = setting(
        10, whole(1, 10), "Wrong join codes for one match from one client address in a minute; then none counts."
    )
    waiting_ttl_s: int = setting(
        DAY_S, whole(1, 10 * YEAR_S), "A match that has not started is forgotten this long after its last change."
    )
    playing_ttl_s: int = setting(
        7 * DAY_S, whole(1, 10 * YEAR_S), "A match in play is forgotten this long after its last move."
    )
    finished_ttl_s: int = setting(
        30 * DAY_S, whole(1, 10 * YEAR_S), "A finished or aborted match, with its replay, is kept this long."
    )
    key_ttl_s: int = setting(
        DAY_S, whole(1, 10 * YEAR_S), "How long the Idempotency-Key of an accepted move is remembered."
    )
    recent_matches: int = setting(
        1_000,
        whole(0, 1_000_000),
        "Matches that one process remembers, about 5 kB each, and four times as many that all processes of one server "
        "share, 4 kB each: a move in one of them is one exchange with Redis.",
    )
    moves_per_minute: int = setting(
        1_200,
        whole(0, 1_000_000),
        "Accepted moves that one seat may make within a minute; further ones are answered 429. 0: any number.",
    )
    stream_heartbeat_s: float = setting(
        15.0,
        seconds(0.1, 600),
        "How long a stream of events is silent at the most. A client that has gone is noticed after this.",
    )
    webhook_threads: int = setting(
        16, whole(1, 1_000), "Deliveries to webhooks that one worker makes at once; a quarter of them to one host."
    )
    webhook_timeout_s: float = setting(
        10.0, seconds(0.1, 60), "How long one delivery to a webhook may take, from looking up the name to the answer."
    )
    webhook_private_addresses: bool = setting(
        False,
        truth(),
        "Whether webhooks may lead to private, loopback and other addresses that are not the internet's.",
    )
    card_sets_dir: Path | None = setting(
        None,
        folder_to_read(),
        "Further card sets of UFO Wave: every `*.toml` of this folder, read at the start (docs/card-sets.md).",
    )
    log_level: str = setting("info", one_of("debug", "info", "warning", "error"), "The least grave log lines to write.")
    log_format: str = setting(
        "text", one_of("text", "json"), "How log lines look: for people, or one JSON object each."
    )

    access_log: str | None = setting(
        None,
        one_of("all", "errors", "off"),
        "Which answers get a log line: all, or refusals and slow ones, or none. Unset: all with LOG_FORMAT=json, "
        "errors with text.",
    )
    log_addresses: bool = setting(
        False, truth(), "Whether these lines tell the client's address. It is personal data in many countries."
    )
    metrics: bool = setting(
        True,
        truth(),
        "Whether `/metrics` is answered, on the same port as all else. Keep it from the public at your proxy.",
    )
    tracing: bool | None = setting(
        None,
        truth(),
        "Whether requests are traced with OpenTelemetry, by the extra `otel`. Unset: if OTEL_EXPORTER_OTLP_ENDPOINT is "
        "set.",
    )
    worker_metrics_port: int | None = setting(
        None,
        whole(1, 65_535),
        "The TCP port on HOST on which a worker that was started alone answers `/metrics`. Unset: on none.",
    )

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> "Settings":
        """The settings that these variables say. Variables that are no setting are left alone.

        Raises SettingsError with all that is wrong, not just the first.
        """
        read: dict[str, object] = {"data_dir": DEFAULT_DATA_DIR.absolute()}
        faults = []
        for field in dataclasses.fields(cls):
            try:
                text = _text_of(field, environ)
            except SettingsError as fault:
                faults.append(str(fault))
                continue
            if not text:
                continue
            try:
                read[field.name] = field.metadata["read"](text)
            except ValueError as wrong:
                shown = without_password(text) if not field.repr else text
                why = f" {wrong}" if isinstance(wrong, address.AddressError) else ""
                faults.append(f"{field.name.upper()} is {shown!r}; allowed is {field.metadata['allowed']}.{why}")
        if faults:
            raise SettingsError("\n".join(faults))
        return cls(**read)  # type: ignore[arg-type]  # each field's own reader made its value

    def store_named(self) -> str:
        """REDIS_URL, for what needs a store that runs. Raises SettingsError where it is unset."""
        if self.redis_url is None:
            raise SettingsError("REDIS_URL is not set. `make run` starts a server of its own; else name one.")
        return self.redis_url

    def to_env(self) -> dict[str, str]:
        """The variables that say these settings, for a child process."""
        values = {field.name.upper(): getattr(self, field.name) for field in dataclasses.fields(self)}
        values |= {f"{field.name.upper()}_FILE": None for field in dataclasses.fields(self) if not field.repr}
        return {name: "" if value is None else str(value) for name, value in values.items()}


def _text_of(field: "dataclasses.Field[object]", environ: Mapping[str, str]) -> str:
    """What was set: the variable's text, or for a secret the text of the file that `<variable>_FILE` names."""
    name = field.name.upper()
    text = environ.get(name, "").strip()
    path = "" if field.repr else environ.get(f"{name}_FILE", "").strip()
    if not path:
        return text
    if text:
        raise SettingsError(f"{name} and {name}_FILE are both set; set one of them.")
    try:
        return Path(path).read_text().strip()
    except (OSError, ValueError) as unread:
        raise SettingsError(f"{name}_FILE is {path!r}, which can't be read: {type(unread).__name__}.") from unread


def without_password(url: str) -> str:
    """The address, fit for a log: neither what stands before the @ nor what follows the ?."""
    scheme, slashes, rest = url.rpartition("://")
    shown, _, asked = rest.partition("?")
    if "@" in asked:  # a password with either in it: there is no telling where it ends
        return f"{scheme}{slashes}***"
    credentials, at, place = shown.rpartition("@")
    return f"{scheme}{slashes}{'***' if credentials else ''}{at}{place}"
