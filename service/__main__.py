"""`python -m service COMMAND`: a thin table of commands. Each imports what it needs only when it is called."""

import argparse
import dataclasses
import os
import sys
from collections.abc import Callable, Sequence

from service.run.errors import WRONG_SETTINGS


def run(_arguments: argparse.Namespace) -> int:
    from service.run.supervisor import main

    return main()


def web(arguments: argparse.Namespace) -> int:
    from service import tracing
    from service.card_sets import served
    from service.serving import app_of, serve
    from service.settings import Settings, SettingsError
    from service.table.shared import Shared

    try:
        settings = Settings.from_env(os.environ)
        settings.store_named()
        # Once for all its workers: one that starts later, in the place of another, serves the same card sets.
        games = served(settings)
        tracing.wanted(settings)
    except SettingsError as error:
        return wrong_settings("The web server", error)
    shared = Shared(4 * settings.recent_matches)  # so that few matches of those that are played meet in one place
    serve(settings, listener=arguments.listener, load=lambda settings: app_of(settings, games, shared))
    return 0


def worker(_arguments: argparse.Namespace) -> int:
    from service.run import counts
    from service.settings import Settings, SettingsError

    counts.alone()  # before anything that counts is imported
    from service.worker.main import main

    try:
        settings = Settings.from_env(os.environ)
        settings.store_named()
    except SettingsError as error:
        return wrong_settings("The worker", error)
    return main(settings)


def wrong_settings(who: str, error: Exception) -> int:
    """Say what is wrong with them; the exit code."""
    sys.stderr.write(f"{who} does not start, because of its settings.\n{error}\ndocs/settings.md lists them all.\n")
    return WRONG_SETTINGS


def openapi(arguments: argparse.Namespace) -> int:
    from service.api.document import write
    from service.app import create_app
    from service.settings import Settings

    app = create_app(Settings(redis_url="unix:///never/asked"))
    write(app.extensions["shorebreak"], arguments.file)
    return 0


def verify(arguments: argparse.Namespace) -> int:
    from service.verify import main

    return main(arguments.replay, arguments.commitment)


def doctor(arguments: argparse.Namespace) -> int:
    from service.doctor.report import main

    return main(arguments.json)


DOCTOR = """\
exit codes:
  0  all is well
  1  it works, and something should be looked at
  2  something is wrong: it will fail, or lose matches

It reads the settings that `run`, `web` and `worker` read, and changes nothing.
"""

RUN = """\
exit codes:
  0  it was asked to stop, and has stopped
  1  one of its processes ended by itself, or was never ready
  2  a setting is wrong
  3  DATA_DIR or PORT is taken, or there is no Redis server to start

"""

VERIFY = """\
exit codes:
  0  dealt and played as committed
  1  not so; what differs is printed
  2  the file is no replay

example:
  curl -s http://127.0.0.1:8000/v1/games/onda/matches/<match>/replay | python -m service verify -
"""


def settings() -> str:
    """The settings, for --help."""
    from service.settings import Settings

    lines = ["settings, by environment variables (docs/settings.md says more):"]
    for field in dataclasses.fields(Settings):
        default = "unset" if field.default is None else field.default
        lines.append(f"  {field.name.upper():<26} {default}; {field.metadata['allowed']}")
    return "\n".join(lines)


def command_line() -> argparse.ArgumentParser:
    """The commands and their arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m service",
        description="Shorebreak, a REST game server. `make run` is `python -m service run`, with all that it needs.",
        epilog="Each command says more: python -m service COMMAND --help",
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def add(name: str, work: Callable[[argparse.Namespace], int], does: str, more: str = "") -> argparse.ArgumentParser:
        command = commands.add_parser(
            name,
            help=does,
            description=f"{does[0].upper()}{does[1:]}.",
            epilog=more,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.set_defaults(work=work)
        return command

    add("run", run, "start all of Shorebreak, Redis server included, and stop it all on Ctrl-C", RUN + settings())
    alone = add("web", web, "start the web server alone, on the Redis server that REDIS_URL names", settings())
    alone.add_argument("--listener", type=int, metavar="FD", help="answer on this open socket instead of HOST and PORT")
    add(
        "worker",
        worker,
        "start a worker alone: clocks, bots and webhooks, on the server that REDIS_URL names",
        settings(),
    )
    examiner = add("doctor", doctor, "look at settings, machine, store and worker, and say what to change", DOCTOR)
    examiner.add_argument("--json", action="store_true", help="print one JSON object, for machines")
    document = add("openapi", openapi, "write the OpenAPI document that the running service publishes")
    document.add_argument("file", nargs="?", default="openapi/openapi.json", help="default: %(default)s; - prints it")
    checker = add("verify", verify, "check that a downloaded replay was dealt and played as committed", VERIFY)
    checker.add_argument("replay", help="a file with the answer of a match's /replay; - reads standard input")
    checker.add_argument("--commitment", metavar="HEX", help="the commitment that the match showed before it started")
    return parser


def main(words: Sequence[str] | None = None) -> int:
    arguments = command_line().parse_args(words)
    code: int = arguments.work(arguments)
    return code


if __name__ == "__main__":
    sys.exit(main())
