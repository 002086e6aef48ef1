"""`python -m service doctor`: look at everything, print what was found, and say by the exit code how grave it is."""

import dataclasses
import os
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping

import msgspec

from service.doctor import machine, store, work
from service.doctor.finding import ORDER, Finding, ok, worst, wrong
from service.run import embedded
from service.run.errors import CannotStart

WIDTH = 120
CLEAR = 26


def main(as_json: bool, environ: Mapping[str, str] = os.environ) -> int:
    """Print the findings; 0 if all is well, 1 if somebody should look at something, 2 if something is wrong."""
    found = list(findings(environ))
    verdict = worst(found)
    if as_json:
        body = msgspec.json.encode({"verdict": verdict, "findings": found})
        sys.stdout.write(msgspec.json.format(body, indent=2).decode() + "\n")
    else:
        sys.stdout.write("\n".join([*(line for finding in found for line in lines(finding)), "", summary(found), ""]))
    return ORDER.index(verdict)


def findings(
    environ: Mapping[str, str], now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000
) -> Iterator[Finding]:
    """All that there is to say."""
    settings, about_settings = machine.read(environ)
    yield from about_settings
    yield from machine.findings(settings, environ)
    url = settings.redis_url
    if url is None:
        own = embedded.socket_path(settings.data_dir / "redis") if settings.data_dir.exists() else None
        if own is None or not embedded.ask(own, "PING"):
            yield _own_server()
            return
        url = f"unix://{own}"
        settings = dataclasses.replace(settings, redis_url=url)
    yield from store.findings(settings, url, now_ms)
    yield from work.findings(settings, now_ms)


def _own_server() -> Finding:
    try:
        return ok("store", f"`make run` starts its own, {embedded.find_binary()}; none runs in DATA_DIR now")
    except CannotStart as nothing:
        return wrong("store", "REDIS_URL is unset, and there is no server to start", str(nothing))


def lines(finding: Finding) -> list[str]:
    """How a finding is printed: what was seen, then what to do about it."""
    head = f"{finding.verdict:<6}{finding.check:<{CLEAR - 6}} "
    return [*wrapped(head, finding.says), *wrapped(" " * (CLEAR - 2) + "-> ", finding.do)]


def wrapped(head: str, text: str) -> list[str]:
    """The text in lines, behind a head; none for no text."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_on_hyphens=False,
        break_long_words=False,
    )


def summary(found: Iterable[Finding]) -> str:
    """The last line."""
    counts = {verdict: sum(finding.verdict == verdict for finding in found) for verdict in ORDER}
    return f"{counts['ok']} ok, {counts['look']} to look at, {counts['wrong']} wrong."
