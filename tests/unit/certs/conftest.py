import dataclasses
import pathlib
import uuid

import pytest
from oslo_config import cfg


@dataclasses.dataclass
class Cluster:
    """What of a cluster the certificates are about."""

    name: str | None = "life"
    uuid: str = dataclasses.field(default_factory=lambda: str(uuid.uuid4()))
    project_id: str = "project-of-cluster"
    user_id: str = "user-of-cluster"
    ca_cert_ref: str | None = None
    magnum_cert_ref: str | None = None
    etcd_ca_cert_ref: str | None = None
    front_proxy_ca_cert_ref: str | None = None


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


@pytest.fixture
def local_store(conf: cfg.ConfigOpts, tmp_path: pathlib.Path) -> pathlib.Path:
    """The local store, in a directory it has to make."""
    conf.set_override("cert_manager_type", "local", "certificates")
    conf.set_override("storage_path", str(tmp_path / "certificates"), "certificates")
    return tmp_path / "certificates"
