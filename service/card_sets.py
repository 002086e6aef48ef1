"""Which games are served here: the house's, those whose cards are data with the card sets of CARD_SETS_DIR besides.

The only place that reads the files. It is done once, when a process starts: whoever changes a set starts anew. A match
keeps the set that it began with (`Head.settled`), so whatever works on matches alone needs none of this.
"""

from collections.abc import Mapping
from pathlib import Path

from engines import GAMES
from engines.kit.game import Game
from service.settings import Settings, SettingsError

LARGEST_FILE = 1_000_000
"""Bytes. A set that may be played has some tens of thousands at most, comments included."""


def served(settings: Settings) -> Mapping[str, Game]:
    """The games by key. Raises SettingsError with the folder, or the file, the card and the reason."""
    if settings.card_sets_dir is None:
        return GAMES
    try:
        texts = _texts(settings.card_sets_dir)
        return {key: game if game.extend is None else game.extend(texts) for key, game in GAMES.items()}
    except OSError as fault:
        raise _refusal(settings.card_sets_dir, f"{fault.filename}: {fault.strerror}") from fault
    except ValueError as fault:
        raise _refusal(settings.card_sets_dir, str(fault)) from fault


def _refusal(folder: Path, reason: str) -> SettingsError:
    return SettingsError(f"CARD_SETS_DIR is {str(folder)!r}; it cannot be used, because of {reason}.")


def _texts(folder: Path) -> dict[str, str]:
    """File name -> text. Raises OSError where one cannot be read, ValueError where one is no text."""
    # Listed, not globbed: a glob of a folder that is not there finds nothing, and says nothing.
    files = sorted(file for file in folder.iterdir() if file.suffix == ".toml")
    return {file.name: _text(file) for file in files}


def _text(file: Path) -> str:
    if file.stat().st_size > LARGEST_FILE:
        raise ValueError(f"{file.name}: the file has more than {LARGEST_FILE} bytes, which is no card set")
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as fault:
        raise ValueError(f"{file.name}: the file is not UTF-8: {fault}") from fault
