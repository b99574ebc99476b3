import logging

import pytest

from magnumlite import exception, objects


def test_none_among_addresses_is_dropped(context, caplog):  # B56
    with caplog.at_level(logging.WARNING):
        made = objects.NodeGroup(context, name="w", node_addresses=[None, "10.0.0.1"])
    assert made.node_addresses == ["10.0.0.1"]
    assert "node_addresses of NodeGroup" in caplog.text


def test_other_values_are_still_refused(context):
    with pytest.raises(ValueError, match="node_addresses"):
        objects.NodeGroup(context, node_addresses=[{}])
    with pytest.raises(ValueError, match="MELTED"):
        objects.NodeGroup(context, status="MELTED")


def test_the_ways_to_find_one(cluster, context):
    made = cluster.default_ng_worker
    for identity in (made.id, made.uuid, made.name):
        assert objects.NodeGroup.get(context, cluster.uuid, identity).uuid == made.uuid
    assert objects.NodeGroup.get_count_all(context, cluster.uuid) == 2
    named = objects.NodeGroup.list(context, cluster.uuid, filters={"role": "master"})
    assert [nodegroup.name for nodegroup in named] == ["default-master"]


def test_update_nodegroup_returns_it_fresh(cluster, context):
    made = cluster.default_ng_worker
    for identity in (made.id, made.uuid, made.name):
        fresh = objects.NodeGroup.update_nodegroup(
            context, cluster.uuid, identity, {"node_count": made.id + 5}
        )
        assert fresh.node_count == made.id + 5


def test_save_refresh_destroy(cluster, context):
    made = cluster.default_ng_worker
    stale = cluster.default_ng_worker
    made.node_taints = [{"key": "k", "value": "v", "effect": "NoSchedule"}]
    made.node_addresses = ["a"]
    made.save()
    stale.refresh()
    assert stale.node_taints == [{"key": "k", "value": "v", "effect": "NoSchedule"}]
    assert stale.node_addresses == ["a"]
    made.destroy()
    with pytest.raises(exception.NodeGroupNotFound):
        stale.save()
