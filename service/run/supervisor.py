"""Start everything in order, say so, watch it, and stop it in reverse."""

import dataclasses
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence

from service import tracing
from service.card_sets import served
from service.run import counts, embedded, terminal, web, worker
from service.run.bell import Bell, listening
from service.run.child import Child
from service.run.errors import WRONG_SETTINGS, ChildEnded, RunError, StopAsked
from service.run.folder import claimed
from service.settings import Settings, SettingsError

QUIET_S = 2.0
"""Starting is silent this long; after that there is a line every so often on what is being waited for."""
READY_WITHIN_S = 60.0


def main(environ: Mapping[str, str] = os.environ, web_command: Sequence[str] = web.COMMAND) -> int:
    """`python -m service run`. Gives the exit code: see service.run.errors."""
    try:
        settings = Settings.from_env(environ)
        needs_no_replicas(settings)
        tracing.wanted(settings)
        served(settings)  # the children read the card sets again; here a faulty one is told before anything starts
    except SettingsError as error:
        complain(f"Shorebreak does not start, because of its settings.\n{error}\ndocs/settings.md lists them all.")
        return WRONG_SETTINGS
    return terminal.in_foreground(lambda: run(settings, web_command))


def run(settings: Settings, web_command: Sequence[str] = web.COMMAND) -> int:
    """Run until Ctrl-C, SIGTERM or SIGHUP, or until a child ends by itself. Main thread only; gives the exit code."""
    children: list[Child] = []
    with listening() as bell:
        try:
            with claimed(settings.data_dir), web.open_port(settings) as listener:
                counts.share(settings)
                try:
                    settings = start_redis(settings, children, bell)
                    children.append(worker.start(settings))
                    children.append(web.start(settings, listener, web_command))
                    listener.close()  # the web server's alone from here on: when it is gone, so is the port
                    wait_for_web(settings, children, bell)
                    announce(settings)
                    watch(children, bell)
                finally:
                    stop(children, bell)
        except StopAsked:
            say("Shorebreak has stopped.")
        except RunError as error:
            complain(f"Shorebreak stops: {error}")
            return error.exit_code
    return 0


def needs_no_replicas(settings: Settings) -> None:
    """Raises SettingsError where every move would wait for replicas that the server started here does not have."""
    if settings.store_replicas and not settings.redis_url:
        raise SettingsError(
            f"STORE_REPLICAS is {settings.store_replicas}, and the Redis server that is started here has no replicas. "
            "Unset it, or set REDIS_URL (docs/scaling.md)."
        )


def start_redis(settings: Settings, children: list[Child], bell: Bell) -> Settings:
    """Start a Redis server unless REDIS_URL names one; gives the settings with REDIS_URL in them either way."""
    if settings.redis_url:
        return settings
    child, url = embedded.start(settings.data_dir, bell.wait)
    children.append(child)
    # No limit: reading back a large folder takes as long as it takes, and the operator sees what is going on.
    wait_for(lambda: embedded.answers(child, url), bell, "the Redis server is reading the matches back", None)
    return dataclasses.replace(settings, redis_url=url)


def wait_for_web(settings: Settings, children: Sequence[Child], bell: Bell) -> None:
    """Wait until the web server, the last of the children, is ready. Raises ChildEnded if any ends, or in the end."""

    def ready() -> bool:
        all_run(children)
        return web.answers(children[-1], settings)

    if not wait_for(ready, bell, "the web server is not ready yet", READY_WITHIN_S):
        status = web.readiness(settings, within_s=5)
        said = f"its /readyz answers {status}" if status else "it does not answer"
        hint = " (is the server that REDIS_URL names running, and reachable from here?)" if status == 503 else ""
        raise ChildEnded(f"the web server was not ready within {READY_WITHIN_S:g} seconds: {said}{hint}.")


def wait_for(ready: Callable[[], bool], bell: Bell, what: str, within_s: float | None) -> bool:
    """Wait until it is ready, with a line of progress when that takes long. False: the time is up."""
    begun = time.monotonic()
    next_line_at = begun + QUIET_S
    while not ready():
        now = time.monotonic()
        if within_s is not None and now - begun > within_s:
            return False
        if now > next_line_at:
            say(f"Starting: {what} ({now - begun:.0f} s) …")
            next_line_at = now + 5
        bell.wait(0.05)
    return True


def announce(settings: Settings) -> None:
    """The lines that everybody waits for."""
    say(f"Shorebreak answers at {web.address(settings)} (Ctrl-C stops it)")
    say(f"Try it at {web.address(settings)}/docs; matches are kept in {where_matches_are(settings)}")


def where_matches_are(settings: Settings) -> str:
    """The folder, or that it is the operator's own Redis (whose address may hold a password)."""
    own = f"unix://{embedded.socket_path(settings.data_dir / 'redis')}"
    return str(settings.data_dir) if settings.redis_url == own else "the server that REDIS_URL names"


def watch(children: Sequence[Child], bell: Bell) -> None:
    """Wait, until somebody asks to stop (StopAsked) or a child is gone (ChildEnded)."""
    while True:
        bell.wait(None)
        all_run(children)


def all_run(children: Sequence[Child]) -> None:
    """Raises ChildEnded for the first that does not run any more."""
    for child in children:
        if child.ended:
            raise ChildEnded(child.last_words())


def stop(children: Sequence[Child], bell: Bell) -> None:
    """Stop the children, the last one first, each within its own time; at once when asked a second time."""
    for child in reversed(children):
        child.ask_to_stop()
        give_up_at = time.monotonic() + child.stop_within_s
        while not child.ended and time.monotonic() < give_up_at and bell.stops < 2:
            bell.sleep(0.2)
        if not child.ended:
            complain(f"{child.name} does not stop by itself and is killed.")
            child.kill()


def say(line: str) -> None:
    """A line for the operator."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def complain(text: str) -> None:
    """Lines for the operator, about what is wrong."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
