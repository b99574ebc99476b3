"""The database API object; stands for magnum.db.api.

Drivers reach the database through objects. What makes rows for their tests asks for this, and
inserts without a context.
"""

import functools
from collections.abc import Mapping
from typing import Any

from magnumlite import context as magnum_context
from magnumlite.db.queries import (
    cluster,
    cluster_template,
    federation,
    magnum_service,
    nodegroup,
    quota,
    x509keypair,
)


class Connection:
    """Inserts rows, each method from a mapping of column values, and returns the row."""

    def create_cluster(self, values: Mapping[str, Any]) -> Any:
        """INSERT a cluster."""
        return cluster.create(_admin(), values)

    def create_cluster_template(self, values: Mapping[str, Any]) -> Any:
        """INSERT a cluster template."""
        return cluster_template.create(_admin(), values)

    def create_federation(self, values: Mapping[str, Any]) -> Any:
        """INSERT a federation."""
        return federation.create(_admin(), values)

    def create_magnum_service(self, values: Mapping[str, Any]) -> Any:
        """INSERT the heartbeat row of a host."""
        return magnum_service.create(_admin(), values)

    def create_nodegroup(self, values: Mapping[str, Any]) -> Any:
        """INSERT a nodegroup."""
        return nodegroup.create(_admin(), values)

    def create_quota(self, values: Mapping[str, Any]) -> Any:
        """INSERT a quota."""
        return quota.create(_admin(), values)

    def create_x509keypair(self, values: Mapping[str, Any]) -> Any:
        """INSERT a stored certificate."""
        return x509keypair.create(_admin(), values)


@functools.cache
def get_instance() -> Connection:
    """Return the database API."""
    return Connection()


def _admin() -> magnum_context.RequestContext:
    return magnum_context.make_admin_context(all_tenants=True)
