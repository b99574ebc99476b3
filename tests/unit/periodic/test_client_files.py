"""Client files of clusters that another host has deleted or rotated."""

import os
import time
import uuid

import pytest

from magnumlite.kubernetes import identity
from magnumlite.periodic import client_files
from tests.unit.drivers.simulated import rows

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def cache(conf, tmp_path):
    conf.set_override("cert_manager_type", "x509keypair", "certificates")
    directory = tmp_path / "cache"
    directory.mkdir()
    conf.set_override("temp_cache_dir", str(directory), "cluster")
    return directory


@pytest.fixture
def polled(cache, context, admin):
    """A cluster that this host has asked for its health some time ago."""
    row = rows.cluster(context, certificates=True, status="CREATE_COMPLETE")
    identity.tls_context(admin, row)
    age(cache / row.uuid)
    return row


def age(directory):
    made = time.time() - client_files.FRESH - 1
    os.utime(directory, (made, made))


def left(cache):
    return {path.name for path in cache.iterdir()}


def test_files_of_a_cluster_stay_as_long_as_its_certificates(cache, admin, polled):
    client_files.due(admin)
    assert left(cache) == {polled.uuid}


def test_files_of_a_cluster_that_is_gone_are_removed(cache, admin, polled):  # B14
    polled.destroy()
    client_files.due(admin)
    assert left(cache) == set()


def test_files_of_replaced_certificates_are_removed(cache, admin, polled):  # B14
    polled.magnum_cert_ref = str(uuid.uuid4())
    polled.save()
    client_files.due(admin)
    assert left(cache) == set()


def test_files_that_were_made_just_now_are_left_alone(cache, admin, polled):
    polled.destroy()
    os.utime(cache / polled.uuid)
    client_files.due(admin)
    assert left(cache) == {polled.uuid}


def test_what_is_not_a_clusters_is_left_alone(cache, admin, polled):
    (cache / "something").mkdir()
    (cache / str(uuid.uuid4())).write_text("a file")
    (cache / str(uuid.uuid4())).symlink_to(cache / "something")
    age(cache / "something")
    client_files.due(admin)
    assert len(left(cache)) == 4


def test_without_a_cache_there_is_nothing_to_do(conf, admin, tmp_path):
    conf.set_override("temp_cache_dir", str(tmp_path / "missing"), "cluster")
    client_files.due(admin)
