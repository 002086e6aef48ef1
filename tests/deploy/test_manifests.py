"""What deploy/ says in several places it says alike, and what it says of Shorebreak is so."""

import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import service
from service.__main__ import command_line
from service.app import create_app
from service.metrics import REQUESTS
from service.run.child import ROOT
from service.settings import Settings

DEPLOY = ROOT / "deploy"
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
SLACK_S = 5
"""So much longer than Shorebreak itself takes whoever starts it waits, before it kills."""


def manifests() -> Iterator[dict[str, Any]]:
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml")):
        yield from yaml.safe_load_all(path.read_text())


def of_kind(kind: str) -> dict[str, dict[str, Any]]:
    """The manifests of a kind, by name."""
    return {one["metadata"]["name"]: one for one in manifests() if one["kind"] == kind}


KUSTOMIZATION = next(one for one in manifests() if one["kind"] == "Kustomization")
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
DEPLOYMENTS = of_kind("Deployment")


def units() -> dict[str, dict[str, list[str]]]:
    """The values of each unit's lines, by the names of file and line. (The same name may come twice in one.)"""
    found: dict[str, dict[str, list[str]]] = {}
    for path in (DEPLOY / "systemd").iterdir():
        lines = found.setdefault(path.name, {})
        for name, value in re.findall(r"^(\w+)=(.*)$", path.read_text(), re.MULTILINE):
            lines.setdefault(name, []).append(value)
    return found


def settings_of(where: str) -> dict[str, str]:
    """The settings that are written down there."""
    if where == "kubernetes":
        return dict(pair.split("=", 1) for pair in KUSTOMIZATION["configMapGenerator"][0]["literals"])
    if where == "compose":
        told: dict[str, str] = COMPOSE["services"]["web"]["environment"]
        return told
    if where == "image":
        words = shlex.split(re.search(r"^ENV (.*?[^\\])$", DOCKERFILE, re.MULTILINE | re.DOTALL)[1].replace("\\\n", ""))
        own = dict(word.split("=", 1) for word in words)
        return {name: own[name] for name in own if not name.startswith("PYTHON") and name != "PATH"}
    (line,) = units()["shorebreak-web.service"]["Environment"]
    told = dict(word.split("=", 1) for word in line.split())
    return {name: value.replace("%t", "/run") for name, value in told.items() if not name.startswith("PYTHON")}


@pytest.mark.parametrize("where", ["kubernetes", "compose", "image", "systemd"])
def test_the_settings_are_settings(where: str) -> None:
    told = settings_of(where)
    known = {name.upper() for name in Settings.__dataclass_fields__}
    assert {name.removesuffix("_FILE") for name in told} <= known
    Settings.from_env({name: value for name, value in told.items() if not name.endswith("_FILE")})


def test_it_is_one_version_everywhere() -> None:
    assert f'image.version="{VERSION}"' in DOCKERFILE
    assert service.VERSION == VERSION
    assert f"--tag shorebreak:{VERSION}" in DOCKERFILE
    assert {COMPOSE["services"][name]["image"] for name in ("web", "worker")} == {f"shorebreak:{VERSION}"}
    assert [str(image["newTag"]) for image in KUSTOMIZATION["images"]] == [VERSION]


@pytest.mark.parametrize("where", ["kubernetes", "compose", "systemd"])
def test_whoever_stops_it_waits_longer_than_it_takes(where: str) -> None:
    told = {name: value for name, value in settings_of(where).items() if not name.endswith("_FILE")}
    settings = Settings.from_env(told)
    takes_s = settings.drain_delay_s + settings.stop_timeout_s + SLACK_S
    if where == "kubernetes":
        waits_s = DEPLOYMENTS["web"]["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
        worker_s = DEPLOYMENTS["worker"]["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
    elif where == "compose":
        waits_s = int(COMPOSE["services"]["web"]["stop_grace_period"].removesuffix("s"))
        worker_s = int(COMPOSE["services"]["worker"]["stop_grace_period"].removesuffix("s"))
    else:
        waits_s = int(units()["shorebreak-web.service"]["TimeoutStopSec"][0])
        worker_s = int(units()["shorebreak-worker.service"]["TimeoutStopSec"][0])
    assert waits_s >= takes_s
    assert worker_s >= settings.webhook_timeout_s + SLACK_S


@pytest.mark.parametrize("name", ["web", "worker"])
def test_what_selects_pods_selects_them(name: str) -> None:
    labels = DEPLOYMENTS[name]["spec"]["template"]["metadata"]["labels"]
    selectors = [DEPLOYMENTS[name]["spec"]["selector"]["matchLabels"]]
    selectors += [of_kind(kind)[name]["spec"] for kind in ("PodDisruptionBudget", "NetworkPolicy")]
    selectors += [
        spread["labelSelector"] for spread in DEPLOYMENTS[name]["spec"]["template"]["spec"]["topologySpreadConstraints"]
    ]
    if name == "web":
        selectors.append({"matchLabels": of_kind("Service")["web"]["spec"]["selector"]})
    for found in selectors:
        selector = found.get("selector") or found.get("podSelector") or found
        assert (selector.get("matchLabels") or selector).items() <= labels.items()


@pytest.mark.parametrize("name", ["web", "worker"])
def test_pods_run_as_the_image_s_user_and_may_nothing(name: str) -> None:
    pod = DEPLOYMENTS[name]["spec"]["template"]["spec"]
    user = int(re.search(r"^USER (\d+):", DOCKERFILE, re.MULTILINE)[1])
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["runAsUser"] == user
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["automountServiceAccountToken"] is False
    (container,) = pod["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert {"requests", "limits"} <= container["resources"].keys()
    written = Path(settings_of("kubernetes")["DATA_DIR"])
    assert written.is_relative_to(next(m["mountPath"] for m in container["volumeMounts"] if m["name"] == "tmp"))
    secret = next(v["secret"] for v in pod["volumes"] if v["name"] == "store")
    mounted = next(m["mountPath"] for m in container["volumeMounts"] if m["name"] == "store")
    told = {variable["name"]: variable["value"] for variable in container["env"]}
    assert told["REDIS_URL_FILE"] == f"{mounted}/redis_url"
    assert {name.lower().removesuffix("_file") for name in told} <= set(Settings.__dataclass_fields__)
    assert secret["secretName"] == "shorebreak-store"


def test_probes_ask_what_there_is_and_life_does_not_depend_on_the_store() -> None:
    (container,) = DEPLOYMENTS["web"]["spec"]["template"]["spec"]["containers"]
    probes = {name: container[f"{name}Probe"]["httpGet"] for name in ("startup", "readiness", "liveness")}
    assert {name: probe["path"] for name, probe in probes.items()} == {
        "startup": "/livez",
        "readiness": "/readyz",
        "liveness": "/livez",
    }
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert {probe["port"] for probe in probes.values()} == {"http"}
    assert ports == {"http": int(settings_of("image")["PORT"])}
    assert of_kind("Service")["web"]["spec"]["ports"][0]["targetPort"] == "http"
    client = create_app(Settings(redis_url="unix:///never/asked")).test_client()
    assert client.get("/livez").status_code == 200
    assert client.get("/readyz").status_code == 503


def test_a_worker_is_asked_for_its_figures_where_it_tells_them() -> None:
    (container,) = DEPLOYMENTS["worker"]["spec"]["template"]["spec"]["containers"]
    told = {variable["name"]: variable["value"] for variable in container["env"]}
    (port,) = container["ports"]
    assert told["WORKER_METRICS_PORT"] == str(port["containerPort"])
    assert container["livenessProbe"]["httpGet"] == {"path": "/metrics", "port": port["name"]}
    worker = COMPOSE["services"]["worker"]
    assert f"{worker['environment']['HOST']}:{worker['environment']['WORKER_METRICS_PORT']}/metrics" in str(
        worker["healthcheck"]
    )


def test_it_scales_by_a_metric_that_there_is() -> None:
    (scaler,) = of_kind("HorizontalPodAutoscaler").values()
    assert scaler["spec"]["scaleTargetRef"]["name"] in DEPLOYMENTS
    assert "replicas" not in DEPLOYMENTS["web"]["spec"], "the scaler's to say"
    text = (DEPLOY / "kubernetes/web-scaling.yaml").read_text()
    told = re.search(r"seriesQuery: '(\w+)\{", text)
    named = re.search(r"name: \{as: (\w+)\}", text)
    assert told is not None
    assert named is not None
    assert told[1].removesuffix("_total") == REQUESTS._name
    pods = next(metric["pods"] for metric in scaler["spec"]["metrics"] if metric["type"] == "Pods")
    assert pods["metric"]["name"] == named[1]


def test_every_manifest_is_taken_in() -> None:
    there = {path.name for path in (DEPLOY / "kubernetes").glob("*.yaml")} - {"kustomization.yaml"}
    assert set(KUSTOMIZATION["resources"]) == there


def test_in_compose_nobody_from_outside_reaches_the_store_and_no_secret_is_in_an_environment() -> None:
    services = COMPOSE["services"]
    assert "ports" not in services["store"]
    assert services["store"]["networks"] == ["back"]
    assert COMPOSE["networks"]["back"] == {"internal": True}
    assert "password" not in json.dumps([one.get("environment", {}) for one in services.values()]).lower()
    assert all(one["read_only"] for one in services.values())
    assert all(one["cap_drop"] == ["ALL"] for one in services.values())
    assert services["store"]["volumes"][0] == "store:/data", "what is kept outlives its container"


@pytest.mark.parametrize("name", ["web", "worker"])
def test_everybody_starts_a_command_that_there_is(name: str) -> None:
    (start,) = units()[f"shorebreak-{name}.service"]["ExecStart"]
    words = start.split()[3:]
    assert start.split()[1:3] == ["-m", "service"]
    command_line().parse_args(words)
    assert COMPOSE["services"][name]["command"] == [name]
    (container,) = DEPLOYMENTS[name]["spec"]["template"]["spec"]["containers"]
    assert container["args"] == [name]
    command_line().parse_args([name])


def test_systemd_s_socket_is_what_the_web_server_is_told_to_answer_on() -> None:
    told = units()
    assert told["shorebreak-web.service"]["Requires"] == ["shorebreak-web.socket"]
    assert len(told["shorebreak-web.socket"]["ListenStream"]) == 1, "the first is descriptor 3"
    assert "--listener 3" in told["shorebreak-web.service"]["ExecStart"][0]
