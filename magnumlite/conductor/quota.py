"""The project's limit of clusters, counted again when a create is about to begin.

The API counts before the conductor inserts, so two requests at once can both pass (specification,
cluster_create, "Concurrency").  Of the rows above the limit the later ones fail.
"""

from __future__ import annotations

from typing import Any

from oslo_config import cfg

from magnumlite import context as context_module
from magnumlite import exception, objects
from magnumlite.conf import CONF
from magnumlite.db.queries import cluster as cluster_rows


def check(cluster: Any) -> None:
    """Refuse a cluster that its project's limit does not allow.

    Raises:
        ResourceLimitExceeded: more clusters of the project were there first.
    """
    if not CONF.conductor.quota_recheck:
        return
    limit = _limit(cluster.project_id)
    if limit is not None and cluster_rows.count_up_to(cluster.project_id, cluster.id) > limit:
        raise exception.ResourceLimitExceeded(
            f"You have reached the maximum clusters per project, {limit}. You may delete a "
            "cluster to make room for a new one."
        )


def _limit(project_id: str) -> int | None:
    admin = context_module.make_admin_context(all_tenants=True)
    try:
        quota = objects.Quota.get_quota_by_project_id_resource(admin, project_id, "Cluster")
    except exception.QuotaNotFound:
        return _configured_limit()
    return int(quota.hard_limit)


def _configured_limit() -> int | None:
    """Return the limit that an operator has set; the built-in default is left to the API."""
    place = CONF.get_location("max_clusters_per_project", "quotas")
    if place is None or place.location is cfg.Locations.opt_default:
        return None
    limit: int = CONF.quotas.max_clusters_per_project
    return limit if limit >= 0 else None
