"""The link to one Redis server: what is sent, what is sent again, and what is known when no answer comes.

redis-py's own `execute_command` and pools cost more than the trip itself under gevent (120 us against 50 us a
command, measured by bench/), and they retry writes. So this takes its connections, parser, TLS and login, and leaves
the rest: see docs/decisions/0003-redis-link.md. How connections are held is in `pool`.
"""

from collections.abc import Sequence
from hashlib import sha1
from typing import Any

from hiredis import pack_command
from redis.exceptions import (
    AuthenticationError,
    NoScriptError,
    ReadOnlyError,
    RedisError,
    ResponseError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from service.store.convoy import Convoys, Errand
from service.store.errors import OutcomeUnknown, StoreError, StoreUnavailable, TooFewReplicas
from service.store.pool import IDLE_S, Pool
from service.store.port import Meanwhile, nothing
from service.store.server import Connection, Server
from service.store.talk import ASKING, REFUSALS, read_answer, read_whatever, say
from service.store.together import Together


class Script:
    """A Lua script and the name that the server knows it by.

    `lasting`: what it writes must outlive the server, as far as is asked for (`Link`'s `replicas`). Such a script
    answers 1 when it has written.
    """

    def __init__(self, text: str, lasting: bool = False) -> None:
        self.text = text
        self.sha = sha1(text.encode(), usedforsecurity=False).hexdigest()
        self.lasting = lasting

    def by_shard(self) -> "Script":
        """The same, telling news to those alone who listen at the node that has the match: else every node of a cluster
        would be told of every move."""
        return Script(self.text.replace("'PUBLISH'", "'SPUBLISH'"), self.lasting)


class Link(Pool):
    """Sends commands and waits for their answers, each call on a connection of its own.

    `timeout_s` bounds connecting and each wait for an answer; `connections` bounds how many are open at once. With
    `replicas` a lasting write is only done when so many have it, which is waited for in the same exchange.
    """

    parts = 1
    """Into how many parts the store divides what is kept across matches: see `spread`."""

    def __init__(
        self, server: str | Server, timeout_s: float, connections: int, idle_s: float = IDLE_S, replicas: int = 0
    ) -> None:
        super().__init__(
            Server(server, timeout_s) if isinstance(server, str) else server, timeout_s, connections, idle_s
        )
        self.replicas = replicas
        # Shorter than the wait for its answer, so that a late replica and a lost answer are told apart.
        wait: tuple[Any, ...] = ("WAIT", replicas, max(1, round(500 * timeout_s)))
        self._wait = pack_command(wait) if replicas else b""
        self._convoys = Convoys(self._exchange)
        self.read_together = Together(self.read).read
        """The same as `read`; callers who read at the same time share one round trip."""

    def read(self, *commands: Sequence[Any], asking: bool = False) -> list[Any]:
        """The answers to commands that change nothing that matters, in one round trip.

        A connection that proves dead is replaced once: reads may be repeated. One that is silent is not, so a reader
        waits for `timeout_s` at the most. `asking`: of a node that a slot is being moved to. Raises `StoreUnavailable`.
        """
        try:
            try:
                return self._send(commands, asking)
            except (*REFUSALS, RedisTimeoutError):
                raise
            except RedisConnectionError:
                self._drop_idle()
                return self._send(commands, asking)
        except (RedisError, OSError) as broken:
            self._look_elsewhere(broken)
            raise StoreUnavailable(str(broken)) from broken

    def read_some(self, *commands: Sequence[Any]) -> list[Any]:
        """The same as `read` where all is in one place: in a cluster some answers may be missing."""
        return self.read(*commands)

    def write(
        self,
        script: Script,
        keys: Sequence[str],
        args: Sequence[Any],
        meanwhile: Meanwhile = nothing,
        asking: bool = False,
    ) -> Any:
        """Run a script once, never twice; with those of others who write at the same time, in one exchange.

        `meanwhile` is called when it is on its way. Raises `StoreUnavailable` when it did not run for certain,
        `OutcomeUnknown` when it was sent and no answer came; of these `TooFewReplicas` when it ran.
        """
        answer = self._run(("EVALSHA", script.sha), script, keys, args, meanwhile, asking)
        if isinstance(answer, NoScriptError):  # the server has not seen it since it started: it did not run
            answer = self._run(("EVAL", script.text), script, keys, args, nothing, asking)
        if isinstance(answer, StoreError):
            raise answer
        if isinstance(answer, Exception):
            raise StoreUnavailable(str(answer)) from answer
        return answer

    def _run(
        self,
        how: tuple[str, str],
        script: Script,
        keys: Sequence[str],
        args: Sequence[Any],
        meanwhile: Meanwhile,
        asking: bool,
    ) -> Any:
        packed = pack_command((*how, len(keys), *keys, *args))
        return self._convoys.write(Errand(ASKING + packed if asking else packed, script.lasting, asking), meanwhile)

    def refused(self, failure: StoreUnavailable) -> bool:
        """Whether the server did answer, and said that it does not do such a thing (for us)."""
        return isinstance(failure.__cause__, ResponseError)

    def _exchange(self, errands: list[Errand], meanwhile: Meanwhile) -> list[Any]:
        """See `convoy.Exchange`."""
        connection = self._take(for_a_write=True)
        try:
            self._say_all(connection, errands)
            meanwhile()
            answers = self._hear_all(connection, errands)
            for answer in answers:
                if isinstance(answer, Exception):
                    self._look_elsewhere(answer, connection)
            return answers
        except BaseException:  # it has not left, or we are being stopped: what may still come is for nobody else
            connection.disconnect()
            raise
        finally:
            self._give(connection)

    def _say_all(self, connection: Connection, errands: list[Errand]) -> None:
        """Send them in one piece. Raises `StoreUnavailable` if none left whole, `OutcomeUnknown` if one may have."""
        wait = self._wait_for(errands)
        try:
            say(connection, b"".join([errand.packed for errand in errands]) + wait)
        except (RedisError, OSError) as broken:
            self._drop_idle()
            kind = OutcomeUnknown if wait or len(errands) > 1 else StoreUnavailable
            raise kind(str(broken)) from broken

    def _hear_all(self, connection: Connection, errands: list[Errand]) -> list[Any]:
        """The answer to each, a refusal or `OutcomeUnknown` among them: what came before a break is not lost by it."""
        answers: list[Any] = []
        have_it: Any = None
        try:
            for errand in errands:
                if errand.asking:
                    read_whatever(connection)  # where this is refused, what follows points elsewhere
                answers.append(read_answer(connection))
            if self._wait_for(errands):
                have_it = read_answer(connection)
        except (RedisError, OSError) as broken:
            connection.disconnect()
            self._drop_idle()
            have_it = broken
            answers += [_unknown(broken) for _ in errands[len(answers) :]]
        if not self.replicas:
            return answers
        return [
            self._judge_lasting(answer, have_it) if errand.lasting and answer == 1 else answer
            for errand, answer in zip(errands, answers, strict=True)
        ]

    def _wait_for(self, errands: list[Errand]) -> bytes:
        """What is sent after them, so that the lasting among them are where they shall be."""
        return self._wait if any(errand.lasting for errand in errands) else b""

    def _judge_lasting(self, answer: Any, have_it: Any) -> Any:
        """The answer to what was written, when the server has told how many replicas have it, or has failed to."""
        if isinstance(have_it, int) and have_it >= self.replicas:
            return answer
        if isinstance(have_it, Exception) and not isinstance(have_it, ResponseError):
            return _unknown(have_it)
        # A master that is made a replica while we wait answers with an error.
        return TooFewReplicas(f"written, and not on {self.replicas} replicas yet: {have_it}")

    def _send(self, commands: Sequence[Sequence[Any]], asking: bool) -> list[Any]:
        connection = self._take()
        try:
            # In one piece: a server that gets them one by one may do somebody else's work in between.
            before = ASKING if asking else b""
            packed = b"".join(before + pack_command(tuple(each)) for each in commands)
            say(connection, packed)
            answers = []
            for _ in commands:
                if asking:
                    read_whatever(connection)
                answers.append(read_whatever(connection))  # whatever it is: the others are already on their way
        except BaseException:
            connection.disconnect()
            raise
        finally:
            self._give(connection)
        for answer in answers:
            if isinstance(answer, ResponseError):
                raise answer
        return answers

    def _look_elsewhere(self, refused: Exception, connection: Connection | None = None) -> None:
        """Close connections to a server that takes no writes, or no longer knows us: the address may lead to another
        by now (managed services move a name), and a fresh connection logs in again."""
        if isinstance(refused, ReadOnlyError | AuthenticationError):
            if connection is not None:
                connection.disconnect()
            self._drop_idle()


def _unknown(broken: Exception) -> OutcomeUnknown:
    unknown = OutcomeUnknown(str(broken))
    unknown.__cause__ = broken
    return unknown


def server_version(link: Link) -> str:
    """The version that the server reports, such as `7.0.15` (Valkey reports the Redis version that it speaks)."""
    lines = link.read(("INFO", "server"))[0].decode().splitlines()
    return next((line.split(":", 1)[1] for line in lines if line.startswith("redis_version:")), "unknown")
