"""Every setting: read from the environment, refused by name when wrong, and written down for operators."""

import dataclasses
import re
from pathlib import Path

import pytest

from service.settings import Settings, SettingsError, without_password
from service.store.address import Address, parse

PAGE = Path(__file__).resolve().parents[2] / "docs/settings.md"


def test_without_variables_every_setting_has_its_default() -> None:
    settings = Settings.from_env({})
    assert settings == Settings(data_dir=Path("./var").absolute())
    assert (settings.port, settings.host, settings.redis_url) == (8000, "127.0.0.1", None)


def test_an_empty_variable_is_unset_and_others_are_left_alone() -> None:
    assert Settings.from_env({"PORT": "", "REDIS_URL": " ", "HOME": "/x"}) == Settings.from_env({})


def test_settings_survive_the_way_to_a_child_process() -> None:
    chosen = Settings(port=1, data_dir=Path("/a b"), redis_url="rediss://u:p@h:1/2", store_timeout_s=0.25)
    assert Settings.from_env(chosen.to_env()) == chosen
    assert Settings.from_env(Settings(data_dir=Path("/x")).to_env()) == Settings(data_dir=Path("/x"))


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PORT", "0"),
        ("PORT", "65536"),
        ("PORT", "80a"),
        ("PORT", "8_0"),
        ("PORT", "८"),
        ("HOST", "a b"),
        ("HOST", "http://here"),
        ("REDIS_URL", "localhost:6379"),
        ("REDIS_URL", "http://localhost"),
        ("REDIS_URL", "redis://:99999"),
        ("REDIS_URL", "redis://h:99999"),
        ("REDIS_URL", "unix://relative"),
        ("REDIS_URL", "memcached+cluster://h:1"),
        ("REDIS_URL", "redis+galaxy://h:1"),
        ("WEB_WORKERS", "0"),
        ("STORE_TIMEOUT_S", "nan"),
        ("STORE_TIMEOUT_S", "inf"),
        ("STORE_TIMEOUT_S", "0"),
        ("MAX_BODY_BYTES", "-1"),
        ("FINISHED_TTL_S", "30d"),
        ("LOG_LEVEL", "loud"),
        ("LOG_FORMAT", "xml"),
    ],
)
def test_a_wrong_value_is_refused_with_its_name_and_what_is_allowed(variable: str, value: str) -> None:
    with pytest.raises(SettingsError) as refusal:
        Settings.from_env({variable: value})
    field = next(field for field in dataclasses.fields(Settings) if field.name.upper() == variable)
    assert str(refusal.value) == f"{variable} is {value!r}; allowed is {field.metadata['allowed']}."


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("redis+cluster://", "Host 1 is no host:port"),
        ("redis+cluster://h:1,h:0", "Host 2 is no host:port"),
        ("redis+cluster://h:1,,h:2", "Host 2 is no host:port"),
        ("rediss+cluster://h:1,h:66000", "Host 2 is no host:port, such as 10.0.0.7:6379"),
        ("redis+cluster://h:1/3", "A cluster has database 0 alone"),
        ("redis+cluster://:sesame@h:1,:sesame@h:2", "comes once, before the first host"),
        ("redis+cluster://:ses@me@h:1", "a password @ is written %40"),
        ("redis+sentinel://h:1", "the name by which they know the master"),
        ("redis+sentinel://h:1/tide/zero", "the number of a database"),
        ("redis+sentinel://h:/tide?sentinel_username=watch", "sentinel_username needs a sentinel_password"),
    ],
)
def test_a_wrong_address_of_a_cluster_or_of_sentinels_is_refused_with_the_reason(url: str, why: str) -> None:
    with pytest.raises(SettingsError, match=why) as refusal:
        Settings.from_env({"REDIS_URL": url})
    assert "ses" not in str(refusal.value).replace("redis", "").split(";")[0]


def test_an_address_is_taken_apart_into_what_each_part_needs() -> None:
    assert parse("redis://u:p@h:1/2?x=y") == Address("server", "redis://u:p@h:1/2?x=y")
    cluster = parse("rediss+cluster://u:p%40@a:1,[::1]:2,a:1,b/0?ssl_ca_certs=/ca")
    assert cluster.server == "rediss://u:p%40@a:1/0?ssl_ca_certs=/ca"
    assert cluster.places == (("a", 1), ("::1", 2), ("b", 6379))
    asked = "client_name=us&sentinel_username=w&sentinel_password=p%2Bq"
    watched = parse(f"redis+sentinel://:p@a,b:7/tide/3?{asked}")
    assert watched.server == "redis://:p@a:26379/3?client_name=us"
    assert watched.places == (("a", 26379), ("b", 7))
    assert (watched.master, watched.sentinel_login) == ("tide", ("w", "p+q"))
    assert [str(place) for place in cluster.places] == ["a:1", "[::1]:2", "b:6379"]


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(SettingsError) as refusal:
        Settings.from_env({"PORT": "x", "LOG_LEVEL": "y"})
    assert [line.split()[0] for line in str(refusal.value).splitlines()] == ["PORT", "LOG_LEVEL"]


def test_a_password_is_never_shown() -> None:
    url = "redis://user:sesame@host:6379/0?password=sesame"
    assert "sesame" not in repr(Settings(redis_url=url))
    assert without_password(url) == "redis://***@host:6379/0"
    assert without_password("redis+cluster://:p@a:1,b:2") == "redis+cluster://***@a:1,b:2"
    assert without_password("redis://u:se?same@host:1/0") == "redis://***"
    with pytest.raises(SettingsError) as refusal:
        Settings.from_env({"REDIS_URL": "redis://:ses@me@host:999999/"})
    assert "ses" not in str(refusal.value).split(";")[0]


def test_a_secret_may_come_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "redis_url"
    path.write_text("redis://user:sesame@host:6379/0\n")
    settings = Settings.from_env({"REDIS_URL_FILE": str(path), "LOG_LEVEL_FILE": "/no/such"})
    assert settings.redis_url == "redis://user:sesame@host:6379/0"
    child = {"REDIS_URL_FILE": str(path), **settings.to_env()}
    assert Settings.from_env(child) == settings, "a child gets it in one way only"
    with pytest.raises(SettingsError, match="REDIS_URL and REDIS_URL_FILE are both set"):
        Settings.from_env({"REDIS_URL_FILE": str(path), "REDIS_URL": "redis://other"})
    path.write_text("sesame")
    with pytest.raises(SettingsError, match="REDIS_URL is"):
        Settings.from_env({"REDIS_URL_FILE": str(path)})
    path.unlink()
    with pytest.raises(SettingsError, match="can't be read: FileNotFoundError"):
        Settings.from_env({"REDIS_URL_FILE": str(path)})


def test_the_page_for_operators_lists_every_setting_as_it_is() -> None:
    rows = [row for row in PAGE.read_text().splitlines() if re.match(r"\| `[A-Z_]+` \|", row)]
    assert rows == [row_of(field) for field in dataclasses.fields(Settings)]


def row_of(field: "dataclasses.Field[object]") -> str:
    default = "unset" if field.default is None else "./var" if field.name == "data_dir" else field.default
    return f"| `{field.name.upper()}` | {default} | {field.metadata['allowed']} | {field.metadata['meaning']} |"
