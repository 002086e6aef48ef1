"""`python -m bench`: measure all, write RESULTS.md, print the ratios. See README.md."""

import argparse
import sys
import time

from bench import lists, over_http, playouts, results, sizes, steps, waiting
from bench.results import Result, Say


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description="What Shorebreak can carry. See README.md.")
    parser.add_argument("--quick", action="store_true", help="a look in two minutes; RESULTS.md stays as it is")
    quick: bool = parser.parse_args().quick
    begun = time.monotonic()

    def say(line: str) -> None:
        sys.stdout.write(f"[{time.monotonic() - begun:4.0f} s] {line}\n")
        sys.stdout.flush()

    measured = measure(quick, say)
    page = results.page(measured, "python -m bench --quick" if quick else "python -m bench")
    sys.stdout.write(f"\n{page}")
    if not quick:
        results.PAGE.write_text(page)
        sys.stdout.write(f"\nWritten to {results.PAGE}.\n")


def measure(quick: bool, say: Say) -> list[Result]:
    """All sections of the page, in its order."""
    return [
        over_http.measure_all(rounds=1 if quick else 5, seconds=2 if quick else 5, say=say),
        waiting.measure_all(seconds=5 if quick else 20, say=say),
        playouts.measure_all(rounds=1 if quick else 5, seconds=0.5 if quick else 1, say=say),
        lists.measure_all(matches=5 if quick else 20, say=say),
        steps.measure_all(matches=2 if quick else 10, say=say),
        sizes.measure_all(say),
    ]


if __name__ == "__main__":
    main()
