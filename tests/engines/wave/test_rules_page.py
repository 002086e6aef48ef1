"""RULES.md, the code and the tests speak of the same sections, rulings and rule ids."""

import re
from pathlib import Path

from engines.wave import GAME

ENGINE = Path(__file__).parents[3] / "engines" / "wave"
PAGE = (ENGINE / "RULES.md").read_text()
CODE = "\n".join(path.read_text() for path in ENGINE.glob("*.py"))
TESTS = "\n".join(path.read_text() for path in Path(__file__).parent.glob("test_rul*.py"))
RULINGS = [f"W{n}" for n in range(1, 13)]


def test_every_section_that_the_code_cites_is_on_the_page() -> None:
    sections = set(re.findall(r"^\| (\d+\.\d+) \|", PAGE, re.MULTILINE))
    chapters = set(re.findall(r"^## §(\d+)", PAGE, re.MULTILINE))
    cited = set(re.findall(r"§(\d+(?:\.\d+)?)", CODE))
    assert cited <= sections | chapters
    assert sections == {section for section in sections if section.split(".")[0] in chapters}


def test_every_line_says_where_it_comes_from() -> None:
    for line in re.findall(r"^\| \d+\.\d+ \|.*$", PAGE, re.MULTILINE):
        origin = line.rstrip("|").rsplit("|", 1)[1]
        assert re.search(r"rulebook|source|deduced|ruling|decision", origin), line


def test_every_ruling_is_on_the_page_and_has_a_test() -> None:
    for ruling in RULINGS:
        assert re.search(rf"\b{ruling}\b", PAGE), ruling
        assert f"def test_{ruling.lower()}_" in TESTS, ruling


def test_the_rule_ids_are_those_of_the_table_and_of_the_code() -> None:
    table = re.findall(r"^\| (W[\w-]+) \|", PAGE, re.MULTILINE)
    raised = re.findall(r'IllegalMove\(\s*"([^"]+)"', CODE)
    assert set(table) == set(GAME.rules) == set(raised)
