"""What an event says, in the words of CADF (DMTF DSP0262): contract/notifications.md.

Each function returns plain JSON values. A field that an object does not hold is null.
"""

from typing import Any

from pycadf import attachment, cadftaxonomy, eventfactory, resource

from magnumlite.context import RequestContext

CLUSTER = "service/magnum/cluster"
NODEGROUP = "service/magnum/nodegroup"

_CLUSTER_FIELDS = (
    "status",
    "status_reason",
    "project_id",
    "created_at",
    "updated_at",
    "cluster_template_id",
    "keypair",
    "docker_volume_size",
    "labels",
    "master_flavor_id",
    "flavor_id",
    "stack_id",
    "health_status",
    "create_timeout",
    "api_address",
    "discovery_url",
)

_NODEGROUP_FIELDS = (
    "status",
    "status_reason",
    "project_id",
    "created_at",
    "updated_at",
    "role",
    "is_default",
    "node_count",
    "min_node_count",
    "max_node_count",
    "node_addresses",
    "flavor_id",
    "image_id",
    "docker_volume_size",
    "labels",
    "node_labels",
    "node_taints",
    "stack_id",
    "version",
)

_HEALTH_FIELDS = ("status", "project_id", "health_status", "health_status_reason")


def event(
    context: RequestContext | None, action: str, outcome: str, target: resource.Resource
) -> dict[str, Any]:
    """Return the payload: who (`context`, None for nobody) did `action` to `target`.

    Pre: `action` and `outcome` are words of CADF's taxonomy.
    """
    payload: dict[str, Any] = (
        eventfactory.EventFactory()
        .new_event(
            action=action,
            outcome=outcome,
            observer=resource.Resource(typeURI=CLUSTER),
            initiator=initiator(context),
            target=target,
        )
        .as_dict()
    )
    return payload


def cluster(cluster: Any | None, nodegroups: list[Any] | None = None) -> resource.Resource:
    """Return a cluster as a target; None, as magnum has it, for one that is not known.

    Its nodegroups are read once, and not at all when they are given.
    The size of docker volumes is also under magnum's key with a colon (known defect B51).
    """
    if cluster is None:
        return resource.Resource(typeURI=CLUSTER)
    groups = cluster.nodegroups if nodegroups is None else nodegroups
    content: dict[str, Any] = {}
    for name in _CLUSTER_FIELDS:
        content[name] = _value(cluster, name)
        if name == "docker_volume_size":
            content["docker_volume_size:"] = content[name]
    masters = [group for group in groups if group.role == "master"]
    workers = [group for group in groups if group.role != "master"]
    content["node_addresses"] = _addresses(workers)
    content["master_addresses"] = _addresses(masters)
    content["node_count"] = sum(group.node_count or 0 for group in workers)
    content["master_count"] = sum(group.node_count or 0 for group in masters)
    return _target(cluster, CLUSTER, "cluster_data", content)


def nodegroup(cluster: Any, nodegroup: Any) -> resource.Resource:
    """Return a nodegroup as a target, with the UUID and name of its cluster."""
    content = {name: _value(nodegroup, name) for name in _NODEGROUP_FIELDS}
    content["cluster_uuid"] = cluster.uuid
    content["cluster_name"] = _value(cluster, "name")
    return _target(nodegroup, NODEGROUP, "nodegroup_data", content)


def health(cluster: Any, before: str | None) -> resource.Resource:
    """Return a cluster as a target, with its health now and the status it had `before`."""
    content = {name: _value(cluster, name) for name in _HEALTH_FIELDS}
    content["health_status_before"] = before
    return _target(cluster, CLUSTER, "cluster_health", content)


def initiator(context: RequestContext | None) -> resource.Resource:
    """Return who asks, as a resource; None: nobody that is known."""
    who = resource.Resource(typeURI=cadftaxonomy.ACCOUNT_USER)
    for name in ("user_id", "project_id", "domain_id"):
        value = getattr(context, name, None)
        if value:
            setattr(who, name, value)
    return who


def _target(item: Any, kind: str, name: str, content: dict[str, Any]) -> resource.Resource:
    target = resource.Resource(id=item.uuid, typeURI=kind, name=_value(item, "name"))
    target.add_attachment(attachment.Attachment(typeURI=kind, name=name, content=content))
    return target


def _value(item: Any, name: str) -> Any:
    return getattr(item, name) if item.obj_attr_is_set(name) else None


def _addresses(groups: list[Any]) -> list[str]:
    return [address for group in groups for address in group.node_addresses or ()]
