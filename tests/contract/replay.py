"""Recorded requests, put on the memory transport as their bytes came, and the rows they need."""

from __future__ import annotations

import copy
import json
import pathlib
import queue
import uuid
from collections.abc import Iterator
from typing import Any

from oslo_messaging._drivers import amqp, common

from magnumlite import objects
from magnumlite.certs import authority
from magnumlite.conf import CONF
from magnumlite.context import RequestContext, make_admin_context
from magnumlite.db import engine, models
from magnumlite.rpc import transport

DATA = pathlib.Path(__file__).parent / "data" / "rpc"

ROWS: dict[str, type[Any]] = {
    "Cluster": models.Cluster,
    "ClusterTemplate": models.ClusterTemplate,
    "NodeGroup": models.NodeGroup,
    "Quota": models.Quota,
    "MagnumService": models.MagnumService,
}
REFERENCES = ("ca_cert_ref", "magnum_cert_ref", "etcd_ca_cert_ref", "front_proxy_ca_cert_ref")
SECONDS = 60


class Record:
    """One recorded exchange: `request` as it was on the wire, and `result` or `failure`."""

    def __init__(self, name: str) -> None:
        self.name = name
        read: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text())
        self.request: dict[str, Any] = read["request"]
        self.answered = "result" in read or "failure" in read
        self.result: Any = read.get("result")
        self.failure: dict[str, Any] | None = read.get("failure")

    @property
    def arguments(self) -> dict[str, Any]:
        found: dict[str, Any] = self.request["args"]
        return found

    def context(self) -> RequestContext:
        return RequestContext.from_dict(
            {
                key.removeprefix("_context_"): value
                for key, value in self.request.items()
                if key.startswith("_context_")
            }
        )

    def send(self) -> tuple[Any, dict[str, Any] | None]:
        """Deliver the request and return the result and the failure as they were sent.

        A cast has neither and returns at once.
        """
        message = copy.deepcopy(self.request)
        answers: queue.Queue[tuple[Any, BaseException | None]] | None = None
        if self.answered:
            answers = queue.Queue()
            message |= {"_msg_id": uuid.uuid4().hex, "_reply_q": "replies", "_timeout": None}
        envelope = {"oslo.version": "2.0", "oslo.message": json.dumps(message)}
        received = common.deserialize_msg(json.loads(json.dumps(envelope)))
        context = amqp.unpack_context(received).to_dict()
        exchange = transport.rpc()._driver._exchange_manager.get_exchange(None)
        exchange.deliver_message(CONF.conductor.topic, context, received, reply_q=answers)
        if answers is None:
            return None, None
        result, error = answers.get(timeout=SECONDS)
        if error is None:
            return json.loads(json.dumps(result)), None
        return None, json.loads(
            common.serialize_remote_exception((type(error), error, error.__traceback__))
        )

    def make_rows(self) -> None:
        """Insert every object that the request or the result names, but those still to be made."""
        made = self.request["method"].endswith("_create") or self.arguments.get("objmethod") in (
            "create",
            "delete",
        )
        for primitive in (*_primitives(self.arguments), *_primitives(self.result)):
            new = made and "magnum_object.changes" in primitive
            if not new and primitive["magnum_object.name"] in ROWS:
                insert(primitive["magnum_object.name"], **primitive["magnum_object.data"])

    def make_certificates(self) -> None:
        """Give the request's cluster certificates that exist, in its row and in the request."""
        data = self.arguments["cluster"]["magnum_object.data"]
        admin = make_admin_context(all_tenants=True)
        cluster = objects.Cluster.get_by_uuid(admin, data["uuid"])
        authority.generate(cluster, self.context()).apply(cluster)
        cluster.save()
        data.update({name: getattr(cluster, name) for name in REFERENCES})


def insert(kind: str, **values: Any) -> None:
    """Insert a row as an object's primitive tells it, unless it is there."""
    cls = getattr(objects, kind)
    model = ROWS[kind]
    read = {
        name: cls.fields[name].from_primitive(None, name, value)
        for name, value in values.items()
        if name in model.__table__.columns
    }
    with engine.writer() as session:
        if "uuid" in read and session.query(model).filter_by(uuid=read["uuid"]).count():
            return
        row = model()
        row.update({k: _naive(v) for k, v in read.items()})
        session.add(row)


def _naive(value: Any) -> Any:
    return value.replace(tzinfo=None) if hasattr(value, "tzinfo") else value


def _primitives(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for item in value:
            yield from _primitives(item)
    elif isinstance(value, dict):
        if "magnum_object.name" in value:
            yield value
        for item in value.values():
            yield from _primitives(item)
