"""What deploy/Dockerfile says, done step by step in a folder: where there is no Docker, this is as near as one comes.

The steps are read from the file. What is not done: the base image, its users, and the isolation.
"""

import fnmatch
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.run.child import ROOT
from tests.support.play import Api, Playing
from tests.support.server import free_port
from tests.support.waiting import eventually

DOCKERFILE = ROOT / "deploy/Dockerfile"
USER = 10_001


def steps() -> list[tuple[str, str]]:
    """(instruction, arguments) of every stage, in order."""
    text = re.sub(r"^#.*\n", "", DOCKERFILE.read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    return [(name, rest.strip()) for name, _, rest in (line.partition(" ") for line in text.splitlines() if line)]


def said(instruction: str) -> list[str]:
    return [rest for name, rest in steps() if name == instruction]


def arguments() -> dict[str, str]:
    """What ARG says."""
    return dict(rest.split("=", 1) for rest in said("ARG"))


def environment() -> dict[str, str]:
    return dict(pair.split("=", 1) for rest in said("ENV") for pair in shlex.split(rest))


BECOME = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--no-new-privs"]


def become(path: str) -> list[str]:
    """The command that makes what follows the image's user: for root, where that user can run the Python on the path.
    One under somebody's home it cannot: then everything runs as whoever tests."""
    tried = [*BECOME, "env", "-i", f"PATH={path}", "python3", "-c", ""]
    can = os.getuid() == 0 and subprocess.run(tried, capture_output=True, cwd="/").returncode == 0
    return BECOME if can else []


def path_of_python() -> str:
    """A PATH on which the first python3 is one that other users can run too, if there is one with pip."""
    for folder in ("/usr/local/bin", "/usr/bin"):
        path = f"{folder}:{os.environ['PATH']}"
        asked = [f"{folder}/python3", "-c", "import sys, pip, venv; sys.exit(sys.version_info < (3, 11))"]
        if Path(asked[0]).exists() and subprocess.run(asked, capture_output=True).returncode == 0:
            return path
    return os.environ["PATH"]


class Image:
    """The image's files under a folder; its absolute paths are put below that."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.workdir = root / "srv/shorebreak"
        self.path = path_of_python()
        self.become = become(self.path)
        here, seen_env = root, False
        for name, rest in steps():
            seen_env |= name == "ENV"
            if name == "WORKDIR":
                here = Path(self.under(rest))
                here.mkdir(parents=True)
            elif name == "COPY" and not rest.startswith("--from"):
                self.copy(here, *rest.split())
            elif name == "RUN" and "useradd" not in rest:
                # Before ENV: the base image's own path.
                told = {**os.environ, **arguments(), "PATH": self.path, **(self.environment() if seen_env else {})}
                subprocess.run(["sh", "-euc", self.under(rest)], cwd=here, env=told, check=True)
        (root / "data").mkdir(mode=0o700)
        if self.become:
            os.chown(root / "data", USER, USER)

    def environment(self) -> dict[str, str]:
        """What ENV says."""
        told = {key: self.under(value) for key, value in environment().items()}
        return {**told, "PATH": told["PATH"].replace("$PATH", self.path)}

    def under(self, text: str) -> str:
        """With the image's own paths put below the folder."""
        return re.sub(r"(?<![\w.])/(build|opt|srv|data)\b", rf"{self.root}/\1", text)

    def copy(self, here: Path, *names: str) -> None:
        """As the build would: without what .dockerignore keeps out. The last is where the others go."""
        *sources, target = names
        to = Path(self.under(target)) if target.startswith("/") else here / target
        (to if target.endswith("/") else to.parent).mkdir(parents=True, exist_ok=True)
        for source in sources:
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, to, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
            else:
                shutil.copy(ROOT / source, to)

    def start(self, *words: str, **settings: str) -> "subprocess.Popen[bytes]":
        """Its entry point with these words, as its user, with nothing that can be written but /data and /tmp."""
        own = self.environment() | settings
        command = [*json.loads(said("ENTRYPOINT")[0]), *words]
        return subprocess.Popen(
            [*self.become, "env", "-i", *(f"{k}={v}" for k, v in own.items()), *command],
            cwd=self.workdir,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    # Not pytest's own folder: that is closed to other users, and the image's is another.
    root = Path(tempfile.mkdtemp(prefix="shorebreak-image-"))
    try:
        root.chmod(0o755)
        yield Image(root)
    finally:
        shutil.rmtree(root)


def files(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


@pytest.mark.slow
def test_it_runs_as_a_user_without_rights_writes_only_its_data_and_stops_when_told(image: Image) -> None:
    before = files(image.root / "srv") | files(image.root / "opt")
    port = str(free_port())
    running = image.start("run", PORT=port, HOST="127.0.0.1")
    try:
        api = Api(f"http://127.0.0.1:{port}")
        check = json.loads(said("HEALTHCHECK")[0].partition("CMD ")[2])
        told = {**os.environ, "PORT": port}
        python = [sys.executable, *check[1:]]
        eventually(
            lambda: running.poll() is not None or subprocess.run(python, env=told, capture_output=True).returncode == 0,
            "its own check says that it is healthy",
            within_s=60,
        )
        assert running.poll() is None, running.stdout and running.stdout.read()
        playing = Playing(api, "wave")
        assert playing.step().status == 201
        store = f"unix://{image.root}/data/redis/redis.sock"
        examined, _ = image.start("doctor", REDIS_URL=store, PORT=str(free_port()), HOST="127.0.0.1").communicate()
        assert re.search(rb"packages +\d+ are of the versions", examined), examined.decode()
        assert b", 0 wrong." in examined
        assert api.get("/openapi.json").status == api.get("/docs").status == 200
        (stop,) = said("STOPSIGNAL")
        running.send_signal(getattr(signal, stop))
        assert running.wait(40) == 0
        assert subprocess.run(python, env=told, capture_output=True).returncode == 1, "nobody answers any more"
    finally:
        running.kill()
        running.communicate()
    assert files(image.root / "srv") | files(image.root / "opt") == before, "nothing was written beside the data"
    assert (image.root / "data/redis/appendonlydir").is_dir()
    if image.become:
        assert (image.root / "data/redis").stat().st_uid == USER


@pytest.mark.slow
def test_it_holds_no_compiler_no_installer_and_only_what_is_locked(image: Image) -> None:
    listed = subprocess.run(
        [image.root / "opt/shorebreak/bin/python", "-c", "import pip"], capture_output=True, text=True, check=False
    )
    assert "No module named 'pip'" in listed.stderr
    assert "--require-hashes" in DOCKERFILE.read_text()
    assert "--only-binary=:all:" in DOCKERFILE.read_text()
    assert not re.search(r"apt-get|gcc|build-essential|apk ", DOCKERFILE.read_text())


def test_it_is_no_root_and_starts_the_web_server_by_default() -> None:
    assert said("USER") == [f"{USER}:{USER}"]
    assert said("CMD") == ['["web"]']
    names = [name for name, _ in steps()]
    assert "USER" not in names[: names.index("RUN")]
    last_stage = len(names) - names[::-1].index("FROM")
    assert names.index("USER") > last_stage, "in the stage that is shipped"


def test_what_is_copied_is_let_through_by_dockerignore_and_nothing_else() -> None:
    rules = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    assert rules[0] == "*"
    let_through = {rule[1:] for rule in rules if rule.startswith("!")}
    copied = {name for rest in said("COPY") if not rest.startswith("--from") for name in rest.split()[:-1]}
    assert let_through == copied
    assert any(fnmatch.fnmatch("engines/onda/__pycache__", rule) for rule in rules[1:])
