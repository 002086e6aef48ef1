"""Finding the view of a path in one look: most of what is asked has the same few shapes."""

from werkzeug.routing import Map, Rule

VARIES_AFTER = ("matches", "seats")
"""Segments of a path after which comes one that names a match or a seat."""

Found = tuple[Rule, dict[str, str]]


class Routes:
    """The rules of a map whose only variable parts are a match and a seat, by method and shape.

    It knows no refusals: what it does not find is for the map itself to judge.
    """

    def __init__(self, url_map: Map) -> None:
        self._rules: dict[tuple[str, ...], tuple[Rule, list[str]]] = {}
        for rule in url_map.iter_rules():
            shape, places = _take_apart(rule.rule)
            if rule.rule.count("<") != len(places) or not all(place[0] == "<" for place in places):
                continue
            names = [place[1:-1] for place in places]
            for method in (rule.methods or set()) - {"OPTIONS", "HEAD"}:
                self._rules[method, *shape] = rule, names

    def find(self, method: str, path: str) -> Found | None:
        """The rule of this path and what its places hold; None where this must be looked up in the map."""
        shape, places = _take_apart(path)
        found = self._rules.get((method, *shape))
        if found is None or "" in places:
            return None
        rule, names = found
        return rule, dict(zip(names, places, strict=True))


def _take_apart(path: str) -> tuple[list[str], list[str]]:
    """The segments of a path, those that vary left out, and those that vary."""
    shape = path.split("/")
    places = []
    at = 4  # `/v1/games/<game>/matches/…`: none comes earlier
    while at + 1 < len(shape):
        if shape[at] in VARIES_AFTER:
            at += 1
            places.append(shape[at])
            shape[at] = ""
        at += 1
    return shape, places
