"""How much a project has."""

from __future__ import annotations

from oslo_versionedobjects import fields as ovo_fields

from magnumlite.context import RequestContext
from magnumlite.db.queries import stats as queries
from magnumlite.objects import base


@base.MagnumObjectRegistry.register
class Stats(base.MagnumObject, base.MagnumObjectDictCompat):
    """The number of clusters and nodes; it has no row."""

    VERSION = "1.0"

    fields = {
        "clusters": ovo_fields.IntegerField(),
        "nodes": ovo_fields.IntegerField(nullable=True),
    }

    clusters: int
    nodes: int | None

    @classmethod
    @base.remotable
    def get_cluster_stats(cls, context: RequestContext, project_id: str | None = None) -> Stats:
        """Return the numbers of one project, or of all.

        Raises:
            NotAuthorized: a tenant names another project.
        """
        clusters, nodes = queries.get_cluster_stats(context, project_id)
        return cls(context, clusters=clusters, nodes=nodes)
