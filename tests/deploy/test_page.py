"""docs/deployment.md names files, settings, users and figures that there are."""

import re

from service.metrics import REQUESTS
from service.run.child import ROOT
from service.settings import Settings

PAGE = (ROOT / "docs/deployment.md").read_text()


def test_every_file_that_it_names_is_there() -> None:
    named = {path.rstrip("/.,") for path in re.findall(r"\b(?:deploy|tests|requirements|bench)/[\w./-]+", PAGE)}
    made = {"deploy/secrets"}
    assert {path for path in named - made if not (ROOT / path).exists()} == set()
    assert (ROOT / "deploy/secrets.sh").exists(), "which makes that"


def test_every_setting_that_it_names_is_one() -> None:
    known = {name.upper() for name in Settings.__dataclass_fields__}
    named = {name.removesuffix("_FILE") for name in re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", PAGE)}
    assert named <= known, named - known


def test_the_metric_that_it_names_is_one() -> None:
    assert f"`{REQUESTS._name}_total`" in PAGE


def test_the_image_is_called_what_the_dockerfile_calls_it() -> None:
    told = (ROOT / "deploy/Dockerfile").read_text()
    for command in re.findall(r"^docker (?:build|run) .*$", PAGE, re.MULTILINE):
        assert command in told.replace("#   ", "")


def test_what_systemd_is_told_is_what_the_units_read() -> None:
    units = "".join(path.read_text() for path in (ROOT / "deploy/systemd").iterdir())
    for path in ("/opt/shorebreak", "/etc/shorebreak/settings"):
        assert path in PAGE
        assert path in units
    for name in re.findall(r"shorebreak-\w+\.(?:socket|service)", PAGE):
        assert (ROOT / "deploy/systemd" / name).exists()
