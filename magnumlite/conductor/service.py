"""One conductor: an RPC server, its handlers and its operation pool.

A worker process holds one; so does the all-in-one process of the sandbox (DESIGN section 2).
"""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import oslo_messaging
from oslo_db import exception as db_exc
from oslo_log import log as logging
from oslo_utils import uuidutils

from magnumlite import exception, objects
from magnumlite.conductor.handlers.ca import CaHandler
from magnumlite.conductor.handlers.cluster import ClusterHandler
from magnumlite.conductor.handlers.credential import CredentialHandler
from magnumlite.conductor.handlers.federation import FederationHandler
from magnumlite.conductor.handlers.indirection import IndirectionHandler
from magnumlite.conductor.handlers.listener import ListenerHandler
from magnumlite.conductor.handlers.nodegroup import NodegroupHandler
from magnumlite.conductor.intake import Intake
from magnumlite.conductor.operation import Operation
from magnumlite.conductor.pool import OperationPool
from magnumlite.conf import CONF
from magnumlite.drivers import registry
from magnumlite.journal import claims
from magnumlite.journal.entries import Process
from magnumlite.rpc import client, server

LOG = logging.getLogger(__name__)


class Conductor:
    """Takes requests from the broker and runs the operations they become.

    `index` is the worker's; it makes the server's name the same at each start, so that no
    queue is left behind.
    """

    def __init__(self, host: str, index: int = 0) -> None:
        self.name = f"{host}.{index}"
        self._process = Process(host, f"{self.name}:{os.getpid()}:{uuidutils.generate_uuid()[:8]}")
        self._pool: OperationPool | None = None
        self._server: server.Server | None = None
        self._beating = threading.Event()
        self._heart = threading.Thread(target=self._renew, name="claims", daemon=True)

    def start(self) -> None:
        """Connect to the broker and begin to take messages.

        Raises:
            ServerListenError: the broker refuses us.
        """
        objects.register_all()
        self._pool = OperationPool(self._process)
        intake = Intake(self._process, self._pool)
        self._server = server.get_server(
            self.name,
            [
                IndirectionHandler(),
                ClusterHandler(intake),
                ListenerHandler(),
                CredentialHandler(intake),
                CaHandler(intake),
                FederationHandler(),
                NodegroupHandler(intake),
            ],
        )
        self._server.room = self._pool.has_room
        self._pool.start()
        self._heart.start()
        self._server.start()
        LOG.info("Conductor %s takes requests on %s", self.name, CONF.conductor.topic)

    def consuming(self) -> bool:
        """Tell whether messages are taken."""
        return self._server is not None and self._server.consuming()

    def stop(self, timeout: float | None = None) -> bool:
        """Stop taking messages, cast again what waits and finish what runs.

        Waits at most `timeout` seconds for the driver calls, or for ever; what then still runs
        is logged and left to recovery.  Returns whether everything was finished.
        """
        if self._server is None or self._pool is None:
            return True
        until = None if timeout is None else time.monotonic() + timeout
        self._server.close()
        self._cast_again(self._pool.stop())
        left = self._pool.wait(None if until is None else max(0.0, until - time.monotonic()))
        for operation in left:
            LOG.error("%s still runs at the end of the drain", operation)
        self._server.finish()
        self._beating.set()
        if self._heart.is_alive():
            self._heart.join()
        registry.close()
        LOG.info("Conductor %s has stopped; %d operations still ran", self.name, len(left))
        return not left

    def _cast_again(self, waiting: list[Operation]) -> None:
        """Give operations that have not begun to another worker, or to the next start."""
        if not waiting:
            return
        try:
            ours = set(claims.give_back(self._process, [operation.id for operation in waiting]))
        except (db_exc.DBError, exception.MagnumException) as error:
            LOG.error("%d operations could not be given back: %s", len(waiting), error)
            return
        api = client.API()
        for operation in waiting:
            if operation.id in ours:
                self._give_back(api, operation)

    def _give_back(self, api: client.API, operation: Operation) -> None:
        try:
            _cast(api, operation)
        except oslo_messaging.MessagingException as error:
            LOG.error("%s could not be given back to the broker: %s", operation, error)
            claims.take_back(self._process, operation.id)
        else:
            LOG.info("%s is given back to the broker", operation)
        operation.hand_over()

    def _renew(self) -> None:
        assert self._pool is not None
        while not self._beating.wait(CONF.journal.heartbeat_interval):
            try:
                claims.renew(self._process, self._pool.forsaken)
            except (db_exc.DBError, exception.MagnumException) as error:
                LOG.warning("The claims of %s could not be renewed: %s", self._process.name, error)


def _cast(api: client.API, operation: Operation) -> None:
    method, arguments = operation.request
    context: dict[str, Any] = {
        **operation.context.to_dict(),
        "magnumlite_operation": operation.entry.uuid,
    }
    api.cast_once(context, method, arguments)
