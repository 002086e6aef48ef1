"""`python -m bench`: measure all, write RESULTS.md, print the ratios. See README.md."""

import argparse
import sys
import time
from collections.abc import Callable

from bench import alone, boardgame_io, cluster, everybody, lists, loaded, over_http, results, rooms, sizes, waiting
from bench.results import Result, Say


def _playouts(rounds: int, seconds: float, say: Say) -> Result:
    from bench import playouts  # it alone needs the peers, which are installed for `make bench` only

    return playouts.measure_all(rounds, seconds, say)


SECTIONS: dict[str, tuple[str, Callable[[bool, Say], Result]]] = {
    "moves": (
        "a move, whole, over HTTP, beside boardgame.io and a bare Flask hello",
        lambda quick, say: over_http.measure_all(rounds=1 if quick else 3, seconds=2 if quick else 5, say=say),
    ),
    "alone": (
        "one match alone, on the disk and in memory",
        lambda quick, say: alone.measure_all(rounds=1 if quick else 3, seconds=1 if quick else 3, say=say),
    ),
    "everybody": (
        "four seats that all want every move, beside boardgame.io's push",
        lambda quick, say: everybody.measure_all(rounds=1 if quick else 3, seconds=2 if quick else 4, say=say),
    ),
    "loaded": (
        f"listing, claiming and moving among {loaded.MANY:,} matches",
        lambda quick, say: loaded.measure_all(
            rounds=1 if quick else 3, seconds=1 if quick else 2, many=10_000 if quick else loaded.MANY, say=say
        ),
    ),
    "waiting": (
        "two thousand clients that wait",
        lambda quick, say: waiting.measure_all(seconds=5 if quick else 20, say=say),
    ),
    "playouts": (
        "the engines, beside RLCard's and OpenSpiel's",
        lambda quick, say: _playouts(rounds=1 if quick else 5, seconds=0.5 if quick else 1, say=say),
    ),
    "lists": (
        "Onda's legal list",
        lambda quick, say: lists.measure_all(matches=5 if quick else 20, say=say),
    ),
    "rooms": (
        "where the time of a move goes, room by room",
        lambda quick, say: rooms.measure_all(matches=3 if quick else 10, seconds=1 if quick else 3, say=say),
    ),
    "cluster": (
        "a cluster of three masters and three replicas: what a write costs, and a dead master",
        lambda quick, say: cluster.measure_all(3 if quick else 10, 1_000, failovers=1 if quick else 5, say=say),
    ),
    "sizes": (
        "bytes of a stored match, and of the engines",
        lambda _quick, say: sizes.measure_all(say),
    ),
}
"""What can be measured, in the order of the page: what it is, and how it is measured (quickly or not)."""


def main() -> None:
    asked = _asked()
    begun = time.monotonic()

    def say(line: str) -> None:
        sys.stdout.write(f"[{time.monotonic() - begun:4.0f} s] {line}\n")
        sys.stdout.flush()

    if missing := boardgame_io.missing():
        say(f"boardgame.io is LEFT OUT, and with it what is measured beside it: {missing}")
    whole = not asked.quick and asked.only == list(SECTIONS)
    measured = [SECTIONS[name][1](asked.quick, say) for name in asked.only]
    page = results.page(measured, " ".join(["python -m bench", *sys.argv[1:]]))
    sys.stdout.write(f"\n{page}")
    if whole:
        results.PAGE.write_text(page)
        sys.stdout.write(f"\nWritten to {results.PAGE}.\n")


def _asked() -> argparse.Namespace:
    sections = "\n".join(f"  {name:10} {what}" for name, (what, _) in SECTIONS.items())
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description="What Shorebreak can carry. See bench/README.md. Writes bench/RESULTS.md, unless only a part is "
        "asked for: that is printed alone.",
        epilog=f"sections:\n{sections}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="a look, with short rounds")
    parser.add_argument(
        "--only", type=_sections, default=list(SECTIONS), metavar="NAME,…", help="these sections instead of all"
    )
    return parser.parse_args()


def _sections(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in SECTIONS:
            raise argparse.ArgumentTypeError(f"there is no section {name!r}; there are {', '.join(SECTIONS)}")
    return [name for name in SECTIONS if name in names]


if __name__ == "__main__":
    main()
