"""Finding the view of a path in one look: most of what is asked has the same few shapes."""

import re

from werkzeug.routing import Map, Rule

_VARIES = re.compile(r"(?<=/matches/)[^/]+|(?<=/seats/)[^/]+")
"""The segments of a path that name a match or a seat."""
_PLACE = re.compile(r"<[^>]+>")

Found = tuple[Rule, dict[str, str]]


class Routes:
    """The rules of a map whose only variable parts are a match and a seat, by method and shape.

    It knows no refusals: what it does not find is for the map itself to judge.
    """

    def __init__(self, url_map: Map) -> None:
        self._rules: dict[tuple[str, str], tuple[Rule, list[str]]] = {}
        for rule in url_map.iter_rules():
            places, shape = _PLACE.findall(rule.rule), _VARIES.sub("*", rule.rule)
            if places != _VARIES.findall(rule.rule):
                continue
            names = [place[1:-1] for place in places]
            for method in (rule.methods or set()) - {"OPTIONS", "HEAD"}:
                self._rules[method, shape] = rule, names

    def find(self, method: str, path: str) -> Found | None:
        """The rule of this path and what its places hold; None where this must be looked up in the map."""
        found = self._rules.get((method, _VARIES.sub("*", path)))
        if found is None:
            return None
        rule, names = found
        return rule, dict(zip(names, _VARIES.findall(path), strict=True))
