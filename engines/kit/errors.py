"""The ways the rules refuse. One tree, small on purpose:

    RulesError
    ├── InvalidOptions   a match cannot be set up like this          (path, sentence)
    ├── NotYourTurn      this seat has nothing to decide now         (sentence)
    └── IllegalMove      the seat may move, but not this             (rule, sentence)

Every sentence says what to do instead, and tells the seat nothing that it may not know.
"""


class RulesError(Exception):
    """Base of all refusals by the rules. `sentence` is for people."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class InvalidOptions(RulesError):
    """The options do not fit each other or the number of seats.

    `path` is a JSON path into the request that creates a match, such as `$.options.first_seat`.
    """

    def __init__(self, path: str, sentence: str) -> None:
        super().__init__(sentence)
        self.path = path


class NotYourTurn(RulesError):
    """This seat is not among those that the game waits for (also when the game is over)."""


class IllegalMove(RulesError):
    """The seat is to move, but the rules forbid this move.

    `rule` is one of the ids in `Game.rules`: the section or ruling that forbids it.
    """

    def __init__(self, rule: str, sentence: str) -> None:
        super().__init__(sentence)
        self.rule = rule
