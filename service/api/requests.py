"""What comes in: bodies, bearer tokens, keys, query parameters; each is read here and judged in its turn."""

import json
import re
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from typing import Any, TypeVar

import marshmallow as ma
import msgspec
from flask import Request, request
from werkzeug.exceptions import RequestEntityTooLarge, UnsupportedMediaType

from service.api.lean import at_hand
from service.api.shapes import PLAIN_TEXT
from service.table.errors import Invalid, Refusal

T = TypeVar("T")

KEY_LENGTH = 128
SENTENCE_MOST = 200

_KEY = re.compile(r"[!-~]([ -~]*[!-~])?")  # no spaces around it: HTTP takes them off
_DIGITS = re.compile(r"[0-9]{1,18}")
_MAYBE_FLOAT = re.compile(rb"\d[.eE]")
_decode = msgspec.json.Decoder().decode


class Malformed(Refusal):
    """The body is not JSON."""

    code = "malformed"


class TooSlow(Refusal):
    """The body did not come in time."""

    code = "too_slow"


class Body(msgspec.Struct, frozen=True):
    """A body that was JSON. `fault` says why it can fit no schema: it holds what is not text, or not a number."""

    value: Any
    fault: Invalid | None = None

    def fingerprint(self, *scope: str) -> bytes:
        """The same for bodies that are the same as parsed JSON: order of names and spelling of numbers aside."""
        canonical = msgspec.json.encode([*scope, self.value], order="sorted")
        return sha256(canonical).digest()[:16]


def read_body(required: bool = True, admit: Callable[[], None] | None = None) -> Body:
    """The request's JSON body. Raises, in this order: 413, `TooSlow`, 415, what `admit` refuses, `Malformed`."""
    asked = at_hand()
    raw = _read_all(asked)
    if not raw and not required:
        return Body(None)
    if asked.environ.get("CONTENT_TYPE") != "application/json" and asked.mimetype != "application/json":
        raise UnsupportedMediaType
    if "HTTP_CONTENT_ENCODING" in asked.environ:  # nothing here unpacks, and what others unpack they read otherwise
        raise UnsupportedMediaType
    if admit is not None:
        admit()
    return _parse(raw)


def _read_all(asked: Request) -> bytes:
    """The body. Raises `RequestEntityTooLarge`, for one that comes in chunks too; `TooSlow`, `Malformed`.

    It is read from the server's own stream, which ends with the body; werkzeug's stream around it costs more than all
    the parsing, and cuts off what is too long where no length was told.
    """
    most, length = asked.max_content_length or 0, _length(asked.environ)
    if length > most:
        raise RequestEntityTooLarge
    try:
        raw: bytes = asked.environ["wsgi.input"].read(most + 1)
    except TimeoutError:
        raise TooSlow("The body came too slowly. Send all of it at once.") from None
    except OSError:
        raise Malformed("The body did not arrive whole.") from None
    if len(raw) > most:
        raise RequestEntityTooLarge
    if len(raw) < length:
        raise Malformed("The body is shorter than its Content-Length says.")
    return raw


def _length(environ: dict[str, Any]) -> int:
    """The body's length, as far as it was told."""
    text: str = environ.get("CONTENT_LENGTH", "")
    if "HTTP_TRANSFER_ENCODING" in environ or not _DIGITS.fullmatch(text):
        return 0
    return int(text)


def _parse(raw: bytes) -> Body:
    try:
        value = _decode(raw)
        return Body(_whole(value) if _MAYBE_FLOAT.search(raw) else value)
    except RecursionError:
        raise Malformed("The body is nested too deeply to be read.") from None
    except msgspec.MsgspecError as fault:
        return _parse_odd(raw, str(fault))


def _parse_odd(raw: bytes, why: str) -> Body:
    """JSON that is well formed and yet no text: lone surrogates, numbers out of range. Anything else is malformed."""
    try:
        json.loads(raw.decode(), parse_constant=_no_constant, parse_int=str)  # Python refuses to read long ones
    except (ValueError, RecursionError):
        raise Malformed(f"The body is not JSON: {why}.") from None
    return Body(None, Invalid("$", "The body holds an unpaired surrogate or a number out of range."))


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _whole(value: Any) -> Any:
    """The value with 2.0 as 2: JSON knows one kind of number, and so does our schema's `integer`."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {name: _whole(item) for name, item in value.items()}
    return value


def convert(body: Body, kind: type[T]) -> T:
    """The body as the type that this operation takes. Raises `Invalid`."""
    if body.fault is not None:
        raise body.fault
    try:
        return msgspec.convert(body.value, kind)
    except msgspec.ValidationError as fault:
        sentence, at, path = str(fault).rpartition(" - at `")
        if not at or not path.startswith("$"):  # what stood there is the client's: the name of an unknown field
            sentence, path = str(fault), "$`"
        if sentence.endswith(repr(PLAIN_TEXT)):
            sentence = "Expected text without control characters"
        raise Invalid(_short(path.removesuffix("`")), f"{_short(sentence)}.") from None


def _short(text: str) -> str:
    """The text, or its beginning: names of unknown fields are as long as a client likes."""
    return text if len(text) <= SENTENCE_MOST else f"{text[:SENTENCE_MOST]}..."


def bearer_token() -> str | None:
    """The token of the `Authorization` header, None where there is none; another scheme counts as an unknown token."""
    header = at_hand().environ.get("HTTP_AUTHORIZATION")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


class Key(msgspec.Struct, frozen=True):
    """The `Idempotency-Key` as it came. `usable` is None where there is none, or it is refused later."""

    usable: str | None
    fault: Invalid | None = None

    def check(self) -> None:
        """Raises `Invalid` for a key that is empty, too long, or not printable."""
        if self.fault is not None:
            raise self.fault


def idempotency_key() -> Key:
    """The request's idempotency key, if it has one."""
    text = at_hand().environ.get("HTTP_IDEMPOTENCY_KEY")
    if text is None:
        return Key(None)
    if len(text) <= KEY_LENGTH and _KEY.fullmatch(text):
        return Key(text)
    return Key(None, Invalid("Idempotency-Key", f"Send 1 to {KEY_LENGTH} printable ASCII characters, or no key."))


def address() -> str:
    """The address that the request came from."""
    return request.remote_addr or "unknown"


class Whole(ma.fields.Integer):
    """A whole number in a query: digits only."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, str) or not re.fullmatch(r"[0-9]{1,10}", value):
            raise self.make_error("invalid")
        return super()._deserialize(value, attr, data, **kwargs)


def query(schema: type[ma.Schema]) -> dict[str, Any]:
    """The query parameters by this schema. Raises `Invalid` for the first that does not fit."""
    reader = _reader(schema)
    if not request.query_string:
        return dict(reader.of_nothing)
    given = request.args.to_dict(flat=False)
    for name, values in given.items():
        if len(values) > 1:
            raise Invalid(f"$.{name}", "Send this parameter once.")
    try:
        loaded: dict[str, Any] = reader.schema.load({name: values[0] for name, values in given.items()})
    except ma.ValidationError as fault:
        name, sentences = next(iter(fault.messages_dict.items()))
        raise Invalid(f"$.{name}", " ".join(map(str, sentences))) from None
    return loaded


class _Reader(msgspec.Struct, frozen=True):
    """A schema, made once, for that takes longer than reading by it; and what it says where nothing is sent."""

    schema: ma.Schema
    of_nothing: dict[str, Any]


@cache
def _reader(schema: type[ma.Schema]) -> _Reader:
    made = schema()
    return _Reader(made, made.load({}))
