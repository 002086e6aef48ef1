"""This machine: its settings, Python, packages, files, folder and port."""

import importlib.metadata
import os
import resource
import shutil
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from difflib import get_close_matches
from http import HTTPStatus
from pathlib import Path

from service import tracing
from service.card_sets import served
from service.doctor.finding import Finding, look, ok, wrong
from service.run import web
from service.run.child import ROOT
from service.run.errors import CannotStart
from service.settings import Settings, SettingsError

OTHER_FILES = 200
"""Files that a web process has open beside its connections."""
LITTLE_DISK, NO_DISK = 2_000_000_000, 200_000_000
ALIKE = 0.85
"""How much a variable looks like the setting that it may be meant for."""


def read(environ: Mapping[str, str]) -> tuple[Settings, list[Finding]]:
    """The settings, and what is wrong with them: a variable with a fault counts as unset for the rest."""
    found: list[Finding] = []
    usable = dict(environ)
    try:
        settings = Settings.from_env(usable)
    except SettingsError as faults:
        for fault in str(faults).splitlines():
            name = fault.split()[0]
            usable.pop(name, None)
            found.append(wrong("settings", fault, f"Set {name} as it says, or unset it. docs/settings.md lists all."))
        settings = Settings.from_env(usable)
    known = {field.name.upper() for field in fields(Settings)}
    found += [
        look("settings", f"{name} is no setting, and does nothing", f"Is {near[0]} meant? See docs/settings.md.")
        for name in sorted(environ)
        if name not in known and (near := get_close_matches(name, known, 1, ALIKE))
    ]
    secret = {f"{field.name.upper()}_FILE" for field in fields(Settings) if not field.repr}
    given = sorted(name for name in known | secret if usable.get(name, "").strip())
    if not found:
        found.append(ok("settings", f"{len(known)}, of which are set: {', '.join(given) or 'none'}"))
    return settings, found


def findings(settings: Settings, environ: Mapping[str, str]) -> Iterator[Finding]:
    """All that there is to say of this machine."""
    yield _python()
    yield _packages()
    yield _tracing(settings, environ)
    yield _card_sets(settings)
    yield _files(settings)
    yield _folder(settings.data_dir, settings.redis_url is None)
    yield _disk(settings.data_dir, settings.redis_url is None)
    yield _port(settings)


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return ok("python", f"it is {version}")


def _packages() -> Finding:
    if not (ROOT / "pyproject.toml").exists():
        return ok("packages", "the list of what they were tested with is not here")
    pins = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    odd = []
    for pin in pins:
        name, _, wanted = pin.partition("==")
        try:
            there = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            there = "missing"
        if there != wanted:
            odd.append(f"{name} is {there}, tested with {wanted}")
    if odd:
        return look("packages", "; ".join(odd), "Install what requirements/run.txt names: make clean run")
    return ok("packages", f"{len(pins)} are of the versions that they were tested with")


def _tracing(settings: Settings, environ: Mapping[str, str]) -> Finding:
    try:
        if tracing.wanted(settings, environ):
            return ok("tracing", "requests are traced, to where OpenTelemetry's variables say")
    except SettingsError as fault:
        return wrong("tracing", "TRACING is true, and its packages are missing", str(fault))
    if settings.tracing is None and tracing.named(environ):
        return look("tracing", "an endpoint is set, and the packages that send to it are missing", tracing.MISSING)
    return ok("tracing", "requests are not traced")


def _card_sets(settings: Settings) -> Finding:
    try:
        games = served(settings)
    except SettingsError as fault:
        return wrong("card sets", str(fault), "docs/card-sets.md tells how such a file is written.")
    return ok("games", f"{', '.join(game.title for game in games.values())} are served")


def _files(settings: Settings) -> Finding:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    others = settings.store_connections + OTHER_FILES
    wanted = settings.web_connections + others
    if hard != resource.RLIM_INFINITY and hard < wanted:
        return look(
            "files",
            f"a process may open {hard}, enough for {max(0, hard - others)} connections, "
            f"and WEB_CONNECTIONS is {settings.web_connections}",
            f"Raise the limit to {wanted} (ulimit -Hn, LimitNOFILE= in systemd), or lower WEB_CONNECTIONS.",
        )
    return ok("files", f"a web process may open the {wanted} files that WEB_CONNECTIONS and STORE_CONNECTIONS ask for")


def _folder(folder: Path, matches_are_here: bool) -> Finding:
    there = next(each for each in (folder, *folder.parents) if each.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        return wrong(
            "data folder",
            f"{there} cannot be written by this user",
            "Let this user write in it, or set DATA_DIR to a folder that can be written.",
        )
    if there == folder and matches_are_here and folder.stat().st_mode & 0o077:
        return look("data folder", f"other users of this machine can look into {folder}", f"chmod 700 {folder}")
    return ok("data folder", f"{folder} {'can be written' if there == folder else 'can be made'}")


def _disk(folder: Path, matches_are_here: bool) -> Finding:
    there = next(each for each in (folder, *folder.parents) if each.exists())
    free = shutil.disk_usage(there).free
    says = f"{free / 1e9:.1f} GB are free where DATA_DIR is"
    if not matches_are_here:
        return ok("disk", f"{says}, where only counters are kept")
    if free < NO_DISK:
        return wrong("disk", f"{says}: soon no move can be stored", "Make room, or set DATA_DIR to a larger disk.")
    if free < LITTLE_DISK:
        return look("disk", says, "Make room before it is full: then no move can be stored.")
    return ok("disk", says)


def _port(settings: Settings) -> Finding:
    place = f"{settings.host}:{settings.port}"
    status = web.readiness(settings)
    if status is not None:
        if status == HTTPStatus.OK:
            return ok("port", f"Shorebreak answers at {place}, and is ready")
        return look("port", f"somebody answers at {place}, and {status} at /readyz", "Is it Shorebreak? See its log.")
    try:
        web.open_port(settings).close()
    except CannotStart as taken:
        return wrong("port", f"{place} cannot be opened", str(taken))
    if settings.host in web.ANYWHERE:
        return look(
            "port",
            f"{place} is free, and would answer the whole network without TLS",
            "Put a proxy with TLS before it, and let HOST be an address that only the proxy reaches.",
        )
    return ok("port", f"{place} is free")
