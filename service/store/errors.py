"""What can go wrong between us and the store.

StoreError
├── StoreUnavailable   nothing was written, for certain: down, refusing, out of memory
├── TooFast            nothing was written: this writer has written as often as it may for now
└── OutcomeUnknown     a write was sent and its fate could not be learned
    └── TooFewReplicas it is written, and would be lost if the master died now
"""


class StoreError(Exception):
    """Base of the store's errors. The message is for the log, not for clients."""


class StoreUnavailable(StoreError):
    """The store did not answer a read, or refused a write: nothing has changed."""


class TooFast(StoreError):
    """The writer has made as many moves as its pace allows, and this one was not written."""


class OutcomeUnknown(StoreError):
    """A write was sent, no answer came, and reading once did not show it. It may yet have been, or be, written."""


class TooFewReplicas(OutcomeUnknown):
    """A write is there, and not on as many replicas as were asked for. It will be, or it is lost with its master."""
