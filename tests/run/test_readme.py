"""The commands of the README and of docs/live.md print what these pages show, typed into a shell beside the product."""

import re
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from tests.run.running import ROOT, Running

PAGES = ["README.md", "docs/live.md"]
MARK = "\x1e"


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = Running(tmp_path_factory.mktemp("readme") / "var", command=("-m", "service", "run")).until_it_answers()
    yield running
    assert running.stop() == 0


def blocks(page: str) -> list[tuple[str, str]]:
    """(commands, what they print) of a page, in order. Commands without a block behind them print nothing."""
    found = re.findall(r"```sh\n(.*?)```\n(?:\n```\n(.*?)```\n)?", (ROOT / page).read_text(), re.DOTALL)
    assert found, f"no commands in {page}"
    return found


def pattern(shown: str) -> str:
    """What the page shows, as a pattern: spaces are for the eye, and … stands for anything."""
    return ".*?".join(re.escape(re.sub(r"\s", "", piece)) for piece in shown.split("…"))


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
@pytest.mark.parametrize("page", PAGES)
def test_the_commands_print_what_the_page_shows(product: Running, page: str) -> None:
    told = blocks(page)
    script = f"\nprintf '{MARK}'\n".join(commands for commands, _ in told)
    script = script.replace("127.0.0.1:8000", f"127.0.0.1:{product.port}")
    run = subprocess.run(["sh", "-u"], input=script, capture_output=True, text=True, timeout=120, check=False)
    assert run.stderr == ""
    printed = run.stdout.split(MARK)
    for (commands, shown), said in zip(told, printed, strict=True):
        assert re.fullmatch(pattern(shown), re.sub(r"\s", "", said)), f"{commands}printed\n{said}\nnot\n{shown}"
