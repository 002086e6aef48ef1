"""The pages in docs/ say what is: vectors, links and codes are held against the code."""

import json
import re
from hashlib import sha256
from pathlib import Path

import pytest

from engines import GAMES
from engines.kit.chance import Chance, commitment, dealt_seed, fixed_seed, len2
from service.settings import Settings

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "engines").rglob("*.md")])


def test_the_test_vectors_of_the_deal_are_right() -> None:
    block = re.search(r"```json\n(.*?)```", (ROOT / "docs/deal.md").read_text(), re.DOTALL)
    assert block is not None
    told = json.loads(block[1])
    secret = bytes.fromhex(told["secret"])
    seed = dealt_seed(secret, told["match"], told["nonces"])
    fixed = fixed_seed(told["fixed_text"])
    label = told["label"].encode()
    assert told["commitment"] == commitment(secret)
    assert told["seed"] == seed.hex()
    assert told["fixed_seed"] == fixed.hex()
    assert told["block_0"] == sha256(seed + len2(label) + bytes(8)).hexdigest()
    assert told["shuffle_of_0_to_9"] == list(Chance(seed).shuffle(told["label"], range(10)))
    assert told["fixed_shuffle_of_0_to_9"] == list(Chance(fixed).shuffle("round/1", range(10)))
    assert told["pick_chance_1_of_6"] == Chance(seed).pick("chance/1", 6)


def test_the_page_of_the_deal_says_how_every_game_is_dealt() -> None:
    rows = re.findall(r"^\| ([^|]+?) \| `", (ROOT / "docs/deal.md").read_text(), re.MULTILINE)
    assert sorted(rows) == sorted(game.title for game in GAMES.values())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?://|#|mailto:)([^)#]+)", page.read_text())
    broken = [link for link in links if not (page.parent / link).exists()]
    assert broken == []


def test_decisions_are_numbered_without_gaps_and_say_their_number() -> None:
    pages = sorted((ROOT / "docs/decisions").glob("*.md"))
    numbers = [page.name[:4] for page in pages]
    assert numbers == [f"{number:04}" for number in range(1, len(pages) + 1)]
    assert [page.name for page in pages if not page.read_text().startswith(f"# {page.name[:4]} ")] == []


def test_every_test_that_the_page_on_security_names_is_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", (ROOT / "docs/security.md").read_text())
    assert len(named) > 40
    missing = [f"{path}::{name}" for path, name in named if f"def {name}(" not in (ROOT / path).read_text()]
    assert missing == []
    assert (ROOT / "docs/security.md").read_text().count("::test_") == len(named), "one is not written as the others"


def test_the_bounds_on_the_page_on_security_are_the_defaults() -> None:
    rows = re.findall(r"^\| [^|]+ \| ([^|]+) \| `([A-Z_]+)` \|", (ROOT / "docs/security.md").read_text(), re.MULTILINE)
    assert len(rows) >= 8
    for told, variable in rows:
        default = getattr(Settings(), variable.lower())
        figure = f"{default // 1024} KiB" if variable == "MAX_BODY_BYTES" else f"{default:,g}"
        assert re.match(rf"{figure}\b", told), variable
