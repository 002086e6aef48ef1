"""RULES.md and the code speak of the same things: sections, rulings, rule ids."""

import re
from pathlib import Path

import pytest

import engines.onda
from engines.onda import GAME

FOLDER = Path(engines.onda.__path__[0])
PAGE = (FOLDER / "RULES.md").read_text(encoding="utf-8")
SECTIONS = set(re.findall(r"^\| (\d+\.\d+) \|", PAGE, re.MULTILINE)) | set(
    re.findall(r"^## §(\d+)", PAGE, re.MULTILINE)
)
FILES = sorted(FOLDER.glob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_section_that_the_code_cites_is_on_the_page(file):
    cited = set(re.findall(r"§(\d+(?:\.\d+)?)", file.read_text(encoding="utf-8")))
    assert cited <= SECTIONS


def test_every_line_says_where_it_comes_from():
    lines = re.findall(r"^\| \d+\.\d+ \|.*\| (.+) \|$", PAGE, re.MULTILINE)
    assert len(lines) == len([section for section in SECTIONS if "." in section])
    for origin in lines:
        assert re.match(r"(rulebook|source|deduced|ruling|decision: )", origin), origin


@pytest.mark.parametrize("ruling", [f"O{number}" for number in range(1, 22)])
def test_every_ruling_is_on_the_page_and_has_a_test_named_after_it(ruling):
    assert re.search(rf"\b{ruling}\b", PAGE)
    tests = (Path(__file__).parent / "test_rulings.py").read_text(encoding="utf-8")
    assert f"def test_{ruling.lower()}_" in tests


def test_the_table_of_rule_ids_is_that_of_the_record():
    table = PAGE.split("## Rule ids in refusals")[1]
    assert re.findall(r"^\| (O[\w-]+) \|", table, re.MULTILINE) == list(GAME.rules)
