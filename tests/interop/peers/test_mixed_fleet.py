"""Hosts with magnum's own conductor and hosts with ours, side by side."""

from __future__ import annotations

from tests.interop.peers.deployment import Deployment, User
from tests.servers import daemon

NAMES = [f"c{number}" for number in range(6)]


def test_both_do_the_work_and_finish_each_others(site: Deployment, user: User) -> None:
    theirs = site.magnum_conductor("theirs")
    theirs.start()
    ours = site.our_conductor("ours")
    try:
        ours.start()
        template, newer = user.template("t"), user.template("newer")
        uuids = [site.begun(user, name, template) for name in NAMES]
        for uuid in uuids:
            user.wait(uuid, "CREATE_COMPLETE")
        assert len(site.drivers()) == 2, "one of them took nothing"
        for uuid in uuids:
            user.resize(uuid, 3)
        for uuid in uuids:
            user.wait(uuid, "UPDATE_COMPLETE")
            user.magnum.clusters.upgrade(uuid, newer.uuid)
        for uuid in uuids:
            row = user.wait(uuid, "UPDATE_COMPLETE")
            assert (row["node_count"], row["cluster_template_id"]) == (3, newer.uuid)
            user.magnum.clusters.delete(uuid)
        # Not by the API: while magnum's conductor removes row by row it answers 400.
        left = "SELECT uuid FROM cluster UNION SELECT uuid FROM nodegroup"
        assert daemon.wait(lambda: not site.rows(left), 90), site.rows(left)
        hosts = site.rows("SELECT host FROM magnum_service ORDER BY host")
        assert [row["host"] for row in hosts] == ["ours", "theirs"]
        unfinished = "SELECT * FROM magnumlite_operation WHERE finished_at IS NULL"
        assert daemon.wait(lambda: not site.rows(unfinished), 60), site.rows(unfinished)
    finally:
        theirs.kill()
        ours.stop()
    for uuid in uuids:
        assert site.driver_calls(uuid) == ["create", "resize", "upgrade", "delete"]
