"""Intake: from a request to an accepted operation.

Accepting is one transaction: the journal row and the rows that appear with it.  A cast is
accepted and its handler returns; a call gets a reply that comes later (DESIGN section 4, item 2).
"""

from __future__ import annotations

import contextlib
import copy
import functools
import uuid as uuid_module
from collections.abc import Iterator
from typing import Any

from oslo_log import log as logging
from oslo_utils import uuidutils

from magnumlite import exception
from magnumlite.conductor import errors
from magnumlite.conductor.operation import Change, Operation
from magnumlite.conductor.pool import OperationPool
from magnumlite.conf import CONF
from magnumlite.db import engine, patience
from magnumlite.journal import claims, entries
from magnumlite.journal.entries import Action, Entry, Outcome, Process
from magnumlite.rpc import reply

LOG = logging.getLogger(__name__)

#: Namespace of the uuids of operations that are named after their message.
_MESSAGES = uuid_module.UUID("0d0c6f0c-5d0e-4a35-8d0a-6d61676e756d")

#: Operations of which a second one is refused while one is under way (known defect B32).
EXCLUSIVE = frozenset({Action.UPGRADE, Action.ROTATE_CA, Action.ROTATE_CREDENTIAL})


class Intake:
    """Accepts changes into the journal and hands them to the pool of this process."""

    def __init__(self, process: Process, pool: OperationPool) -> None:
        self._process = process
        self._pool = pool

    def submit(self, context: Any, change: Change, method: str, **arguments: Any) -> Any:
        """Accept a change; `method` and `arguments` are the request, for casting it again.

        Returns None for a cast and a reply.Later for a call.

        Raises:
            OperationInProgress: the like of it is under way on the cluster, and it is a call.
            MagnumException, DBError: the rows that appear with it cannot be written; nothing is.
        """
        call = reply.expected()
        if call and change.exclusive and claims.open_calls(change.cluster_uuid, EXCLUSIVE):
            raise exception.OperationInProgress(cluster_name=change.cluster_uuid)
        # The arguments are kept as they came: inserting rows changes the objects.
        request = method, copy.deepcopy(arguments)
        with self.patient():
            try:
                entry = self._accept(context, change)
            except exception.OperationGone as gone:
                LOG.info("%s came back from the broker: %s", method, gone)
                return None
            except Exception as error:
                self._refuse(context, change, error)
                raise
        operation = Operation(entry, context, change, request)
        LOG.info("Accepted %s", operation)
        self._pool.add(operation)
        if not call:
            return None
        seconds = max(CONF.rpc_response_timeout - CONF.conductor.call_margin, 1)
        return reply.Later(operation.future, seconds, functools.partial(_answer, operation))

    @contextlib.contextmanager
    def patient(self) -> Iterator[None]:
        """Wait for the database as long as the message that is handled may.

        A call has a caller whose own patience ends; a cast that is not accepted is lost, so it
        keeps its slot and the messages behind it stay with the broker.
        """
        seconds = CONF.rpc_response_timeout / 2 if reply.expected() else patience.JOB
        with patience.of(seconds):
            yield

    def _accept(self, context: Any, change: Change) -> Entry:
        """Write the rows; after a lost connection the second try finds what the first wrote.

        A cast's operation is named after its message: a broker or a caller that lost a connection
        delivers a message twice, and it must not run twice.
        """
        message = None if reply.expected() else reply.message_id()
        named = str(uuid_module.uuid5(_MESSAGES, message)) if message else None
        uuid = context.magnumlite_operation or named or uuidutils.generate_uuid()
        returned = context.magnumlite_operation is not None

        @engine.retried
        def write() -> Entry:
            with engine.writer():
                if not returned and not entries.known(uuid):
                    change.insert(context)
                return entries.accept(
                    context,
                    self._process,
                    change.action,
                    change.cluster_uuid,
                    nodegroup_uuid=change.nodegroup_uuid,
                    uuid=uuid,
                )

        return write()

    def _refuse(self, context: Any, change: Change, error: Exception) -> None:
        """Keep a refused request in the journal, with its reason (DESIGN section 9)."""
        reason = errors.reason(error)
        LOG.warning(
            "Refused %s of cluster %s [%s]: %s",
            change.action,
            change.cluster_uuid,
            context.request_id,
            reason,
        )
        entry = entries.accept(
            context,
            self._process,
            change.action,
            change.cluster_uuid,
            nodegroup_uuid=change.nodegroup_uuid,
        )
        entries.finish(entry.id, Outcome.REFUSED, reason, notified=True)


def _answer(operation: Operation) -> Any:
    """Answer a caller whose time is up.

    From here on nobody hears of a refusal, so that a later failure is UPDATE_FAILED.
    """
    operation.answered = True
    LOG.info("%s goes on; its caller is answered now", operation)
    return operation.early_answer()
