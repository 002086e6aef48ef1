"""Writers who are ready at the same time share one exchange with the server.

Under gevent an exchange costs more than what it carries, and the server syncs its file once for all that it is sent in
one piece. While others are under way, whoever comes next lets those who are ready come along, and sends for all of
them; who comes alone waits for nobody. Each gets the answer to its own command, and judges that alone.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

import msgspec

from service.store.errors import OutcomeUnknown, StoreError, StoreUnavailable
from service.store.port import Meanwhile


class Errand(msgspec.Struct, frozen=True):
    """A write, packed as it is sent. `lasting`: it must outlive the server. `asking`: it begins with `link.ASKING`."""

    packed: bytes
    lasting: bool
    asking: bool


Exchange = Callable[[list[Errand], Meanwhile], list[Any]]
"""Sends errands in one piece, calls `meanwhile`, and gives the answer to each in their order, exceptions among them.

Raises `StoreUnavailable` when none of them ran for certain, `OutcomeUnknown` when that is not certain.
"""


class Convoys:
    """Gathers writes for one exchange after the other. Any thread may use it."""

    def __init__(self, exchange: Exchange) -> None:
        self._exchange = exchange
        self._lock = threading.Lock()
        self._boarding: _Convoy | None = None
        self._under_way = 0

    def write(self, errand: Errand, meanwhile: Meanwhile) -> Any:
        """The answer to the errand, which may be an exception; `meanwhile` is called on the way, once.

        Raises what `meanwhile` raises, or the exchange. If whoever led was stopped on the way: `OutcomeUnknown`, or
        `StoreUnavailable` where nothing had left yet.
        """
        convoy, number, leads = self._board(errand)
        if leads:
            self._lead(convoy, meanwhile)
        else:
            meanwhile()
            convoy.back.wait()
        if convoy.answers is not None:
            return convoy.answers[number]
        if convoy.failure is not None:
            raise type(convoy.failure)(str(convoy.failure)) from convoy.failure.__cause__
        if convoy.departed:
            raise OutcomeUnknown("whoever sent it was stopped on the way")
        raise StoreUnavailable("whoever was to send it was stopped before")

    def _board(self, errand: Errand) -> tuple["_Convoy", int, bool]:
        """(the convoy, which of it this errand is, whether this caller leads it)."""
        with self._lock:
            convoy = self._boarding
            leads = convoy is None
            if convoy is None:
                convoy = self._boarding = _Convoy(company=self._under_way > 0)
                self._under_way += 1
            convoy.errands.append(errand)
            return convoy, len(convoy.errands) - 1, leads

    def _lead(self, convoy: "_Convoy", meanwhile: Meanwhile) -> None:
        """Take it there and back. Raises what `meanwhile` raises, once the others have their answers."""
        failed: list[Exception] = []

        def do_meanwhile() -> None:
            try:
                meanwhile()
            except Exception as failure:  # noqa: BLE001  # whatever it is, the answers are on their way, and not ours alone
                failed.append(failure)

        try:
            if convoy.company:
                time.sleep(0)  # whoever else is ready to run does so, and boards
            self._depart(convoy)
            convoy.answers = self._exchange(convoy.errands, do_meanwhile)
        except StoreError as failure:
            convoy.failure = failure
        finally:
            self._arrive(convoy)
        if failed:
            raise failed[0]

    def _depart(self, convoy: "_Convoy") -> None:
        with self._lock:
            convoy.departed = True
            self._boarding = None

    def _arrive(self, convoy: "_Convoy") -> None:
        with self._lock:
            self._under_way -= 1
            if self._boarding is convoy:  # it never departed: nobody may board it any more
                self._boarding = None
        convoy.back.set()


class _Convoy:
    """`answers` or `failure` is there once it is back; neither if its leader was stopped. `company`: when it gathered,
    others were under way."""

    __slots__ = ("answers", "back", "company", "departed", "errands", "failure")

    def __init__(self, company: bool) -> None:
        self.company = company
        self.errands: list[Errand] = []
        self.departed = False
        self.answers: list[Any] | None = None
        self.failure: StoreError | None = None
        self.back = threading.Event()
