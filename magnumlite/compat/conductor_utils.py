"""Reading clusters and templates, and telling about them; stands for magnum.conductor.utils."""

from typing import Any

from oslo_utils import uuidutils

from magnumlite import objects
from magnumlite.conductor import default_nodegroups
from magnumlite.notifications import cadf, events


def retrieve_cluster(context: Any, cluster_ident: str) -> Any:
    """Return a cluster by uuid or name.

    Raises:
        ClusterNotFound: none that the context sees.
        Conflict: several have the name.
    """
    if uuidutils.is_uuid_like(cluster_ident):
        return objects.Cluster.get_by_uuid(context, cluster_ident)
    return objects.Cluster.get_by_name(context, cluster_ident)


def retrieve_cluster_template(context: Any, cluster: Any) -> Any:
    """Return the template of a cluster.

    Raises:
        ClusterTemplateNotFound: it is gone.
    """
    return objects.ClusterTemplate.get_by_uuid(context, cluster.cluster_template_id)


def retrieve_cluster_uuid(context: Any, cluster_ident: str) -> str:
    """Return a cluster's uuid; a uuid comes back unchecked. Raises as retrieve_cluster."""
    if uuidutils.is_uuid_like(cluster_ident):
        return cluster_ident
    return str(objects.Cluster.get_by_name(context, cluster_ident).uuid)


def retrieve_ct_by_name_or_uuid(context: Any, cluster_template_ident: str) -> Any:
    """Return a template by uuid or name.

    Raises:
        ClusterTemplateNotFound: none that the context sees.
        Conflict: several have the name.
    """
    if uuidutils.is_uuid_like(cluster_template_ident):
        return objects.ClusterTemplate.get_by_uuid(context, cluster_template_ident)
    return objects.ClusterTemplate.get_by_name(context, cluster_template_ident)


def notify_about_cluster_operation(
    context: Any, action: str, outcome: str, cluster_obj: Any = None
) -> None:
    """Send magnum.cluster.<action>; never raises (contract/notifications.md)."""
    events.cluster(context, action, outcome, cluster_obj)


def _get_request_audit_info(context: Any) -> Any:
    """Return the pycadf Resource of who asks."""
    return cadf.initiator(context)


def _get_event_target(cluster_obj: Any = None) -> Any:
    """Return the pycadf Resource of a cluster as an event's target."""
    return cadf.cluster(cluster_obj)


def _get_nodegroup_object(
    context: Any, cluster: Any, node_count: int, is_master: bool = False
) -> Any:
    """Return one of the two unsaved nodegroups a cluster is born with."""
    template = retrieve_cluster_template(context, cluster)
    return default_nodegroups.one(context, cluster, template, node_count, is_master=is_master)
