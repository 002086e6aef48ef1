"""The dashboard and the alerts: each asks Prometheus for what there is, and no metric goes unwatched."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import promql_parser as promql
import pytest
import yaml

from service import metrics
from service.api.metrics import LOOKED_UP

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
DASHBOARD: dict[str, Any] = json.loads((DEPLOY / "grafana/shorebreak.json").read_text())
ALERTS: list[dict[str, Any]] = yaml.safe_load((DEPLOY / "prometheus/alerts.yml").read_text())["groups"][0]["rules"]
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]

FROM_PROMETHEUS = {"job", "instance", "le"}
UNITS = {"s", "short", "ops", "reqps", "percentunit", "bool_yes_no"}


def labels_of_all() -> dict[str, set[str]]:
    """Every series that `/metrics` has, as Prometheus names it, with its labels."""
    found: dict[str, set[str]] = {name: set(labels) for name, (_, labels) in LOOKED_UP.items()}
    for collector in metrics.REGISTRY._collector_to_names:
        for metric in collector.describe():
            endings = {"counter": ["_total"], "histogram": ["_bucket", "_sum", "_count"]}.get(metric.type, [""])
            # Private, for a metric without children tells its labels nowhere else.
            labels = set(vars(collector)["_labelnames"])
            found |= {metric.name + ending: labels for ending in endings}
    return found


SERIES = labels_of_all()


def parsed(expression: str) -> Any:
    """The expression, with Grafana's own variable as it fills it in."""
    return promql.parse(expression.replace("$__rate_interval", "1m").replace("$job", ".*"))


def selectors(node: Any) -> Iterator[Any]:
    """Every selector of series in an expression."""
    if isinstance(node, promql.VectorSelector):
        yield node
    elif isinstance(node, promql.MatrixSelector):
        yield node.vector_selector
    for name in ("expr", "lhs", "rhs", "param"):
        below = getattr(node, name, None)
        if below is not None:
            yield from selectors(below)
    for below in getattr(node, "args", None) or ():
        yield from selectors(below)


def grouped_by(expression: str) -> set[str]:
    """The labels that are named after `by`."""
    return {label.strip() for labels in re.findall(r"\bby \(([^)]*)\)", expression) for label in labels.split(",")}


def fault_of(expression: str) -> str | None:
    """What the expression asks for that there is not."""
    found = list(selectors(parsed(expression)))
    if not found:
        return "no series at all"
    labels: set[str] = set(FROM_PROMETHEUS)
    for selector in found:
        if selector.name not in SERIES:
            return f"no metric {selector.name}"
        labels |= SERIES[selector.name]
        asked = {matcher.name for matcher in selector.matchers.matchers}
        if asked - SERIES[selector.name] - FROM_PROMETHEUS:
            return f"{selector.name} has no label {asked}"
    return f"no label {grouped_by(expression) - labels}" if grouped_by(expression) - labels else None


def expressions() -> list[str]:
    return [target["expr"] for panel in PANELS for target in panel["targets"]]


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_a_panel_asks_for_what_there_is_and_says_what_it_shows(panel: dict[str, Any]) -> None:
    assert panel["type"] in ("timeseries", "stat")
    assert panel["description"].endswith(".")
    assert panel["fieldConfig"]["defaults"]["unit"] in UNITS
    assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
    for target in panel["targets"]:
        assert fault_of(target["expr"]) is None, target["expr"]
        shown = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
        assert shown <= grouped_by(target["expr"]), "the legend names labels that are summed over"
        assert 'job=~"$job"' in target["expr"]


def test_what_is_asked_wrongly_is_noticed() -> None:
    assert fault_of("sum(shorebreak_moves_total)") == "no metric shorebreak_moves_total"
    assert fault_of('sum(shorebreak_waiters{game="wave"})') is not None
    assert fault_of("sum by (game) (shorebreak_waiters)") is not None
    with pytest.raises(ValueError, match="unclosed"):
        parsed("sum(shorebreak_waiters")


def test_every_metric_is_in_some_panel() -> None:
    asked = {selector.name for expression in expressions() for selector in selectors(parsed(expression))}
    stems = {re.sub(r"_(bucket|sum|count)$", "", name) for name in asked}
    assert {re.sub(r"_(bucket|sum|count)$", "", name) for name in SERIES} == stems


def test_the_dashboard_is_one_that_grafana_takes() -> None:
    assert DASHBOARD["uid"] == "shorebreak"
    assert DASHBOARD["schemaVersion"] >= 36
    assert "id" not in DASHBOARD, "Grafana gives one when it is imported"
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids)
    variables = {variable["name"] for variable in DASHBOARD["templating"]["list"]}
    assert variables == {"datasource", "job"}
    taken: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= 24
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken, f"{panel['title']} lies over another"
        taken |= cells


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert["alert"])
def test_an_alert_asks_for_what_there_is_and_says_what_to_do(alert: dict[str, Any]) -> None:
    assert alert.keys() <= {"alert", "expr", "for", "labels", "annotations"}
    assert fault_of(alert["expr"]) is None, alert["expr"]
    assert alert["labels"]["severity"] in ("page", "ticket")
    assert re.fullmatch(r"\d+[smh]", alert.get("for", "1m"))
    assert alert["annotations"].keys() == {"summary", "description"}
    assert all(text.endswith((".", ")")) for text in alert["annotations"].values())
    shown = set(re.findall(r"\$labels\.(\w+)", " ".join(alert["annotations"].values())))
    assert shown <= grouped_by(alert["expr"])
