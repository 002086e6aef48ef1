"""deploy/gunicorn.conf.py is what the web server runs by, and gives a reason for each line."""

import re
import runpy
from pathlib import Path

import pytest
from gunicorn.config import Config

from service.serving import CONFIGURATION, WebServer, app_of
from service.settings import Settings


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings that differ from the defaults, in the environment."""
    chosen = Settings(port=8123, host="::1", web_workers=3, web_connections=77, stop_timeout_s=12.4, data_dir=tmp_path)
    for name, value in chosen.to_env().items():
        monkeypatch.setenv(name, value)
    return chosen


def test_the_web_server_is_told_by_this_file_and_nothing_else(told: Settings) -> None:
    server = WebServer(told, None, app_of)
    asked = {name: value for name, value in runpy.run_path(str(CONFIGURATION)).items() if name in Config().settings}
    plain = Config()
    for name, value in asked.items():
        plain.set(name, value)
    for name in plain.settings:
        if name != "proc_name":
            assert server.cfg.settings[name].get() == plain.settings[name].get(), name
    assert server.cfg.bind == ["[::1]:8123"]
    assert (server.cfg.workers, server.cfg.worker_connections, server.cfg.graceful_timeout) == (3, 77, 12)


def test_an_open_socket_takes_the_place_of_host_and_port(told: Settings) -> None:
    assert WebServer(told, 5, app_of).cfg.bind == ["fd://5"]


def test_each_line_is_an_option_of_gunicorn_and_has_its_reason() -> None:
    text = CONFIGURATION.read_text()
    body = text[text.index("settings = ") :]
    known = set(Config().settings)
    assert set(re.findall(r"^(\w+)(?:: [^=]+)? = ", body, re.MULTILINE)) - {"settings"} <= known
    paragraphs = body.strip().split("\n\n")[1:]
    assert [paragraph for paragraph in paragraphs if not paragraph.startswith("# ")] == []
