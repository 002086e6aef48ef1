"""The catalogue: which games there are, and all that a client needs to offer them."""

from collections.abc import Mapping
from typing import Any

import msgspec
from flask import Response

from engines.kit.game import Game
from service.api.answers import answer
from service.api.operations import Chapter, Operation, place
from service.api.shapes import CardSet, Catalogue, CatalogueGame, MoveType, Rule, SeatBounds
from service.table.errors import UnknownGame


def blueprint(games: Mapping[str, Game]) -> Chapter:
    """The addresses of the catalogue. Its answers never change while the service runs."""
    entries = {game.key: _entry(game) for game in games.values()}

    def list_games() -> Response:
        return answer(Catalogue(list(entries.values())))

    def get_game(game: str) -> Response:
        if game not in entries:
            raise unknown_game(games, game)
        return answer(entries[game])

    made = Chapter("catalogue", "The games that are served here.", "/v1")
    place(
        made,
        "GET",
        "/games",
        list_games,
        Operation(id="list_games", tag="catalogue", summary="List the games", answer=Catalogue),
    )
    place(
        made,
        "GET",
        "/games/<game>",
        get_game,
        Operation(
            id="get_game",
            tag="catalogue",
            summary="Look at a game",
            description="Its options (a JSON Schema with defaults), cards, move types, and the rules that a refusal "
            "may name.",
            answer=CatalogueGame,
            codes=["unknown_game"],
        ),
    )
    return made


def unknown_game(games: Mapping[str, Game], game: str) -> UnknownGame:
    """The refusal of a game that is not served here."""
    del game  # never echoed: it is anybody's text
    return UnknownGame(f"There is no such game here. The games are: {', '.join(games)}.")


def _entry(game: Game) -> CatalogueGame:
    return CatalogueGame(
        game=game.key,
        title=game.title,
        summary=game.summary,
        rules_version=game.rules_version,
        seats=SeatBounds(game.min_seats, game.max_seats),
        options=_options(game),
        cards=list(game.cards),
        moves=[_move(move, game.anytime) for move in game.moves],
        rules=[Rule(id, sentence) for id, sentence in game.rules.items()],
        bots=list(game.bots),
        card_sets=[CardSet(key, list(cards)) for key, cards in game.card_sets.items()],
    )


def _options(game: Game) -> dict[str, Any]:
    schema = msgspec.json.schema(game.options)
    name = schema["$ref"].rpartition("/")[2]
    inlined: dict[str, Any] = schema["$defs"][name]
    return inlined


def _move(move: type[msgspec.Struct], anytime: frozenset[str]) -> MoveType:
    tag = str(move.__struct_config__.tag)
    first_line = (move.__doc__ or "").strip().partition("\n")[0]
    return MoveType(tag, tag in anytime, first_line)
