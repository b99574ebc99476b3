import pytest
import sqlalchemy
from oslo_db import exception as db_exc

from magnumlite import context as contexts
from magnumlite import exception, objects
from magnumlite.certs import authority
from magnumlite.certs.store import x509keypair
from magnumlite.db import engine
from tests.unit.certs.conftest import Cluster


@pytest.fixture
def cluster(conf, database):
    conf.set_override("cert_manager_type", "x509keypair", "certificates")
    return Cluster()


def rows():
    context = contexts.make_admin_context(all_tenants=True)
    return objects.X509KeyPair.list(context)


def store(context, **more):
    return x509keypair.CertManager.store_cert(
        certificate=b"a certificate",
        private_key=b"a key",
        private_key_passphrase="a passphrase",
        context=context,
        **more,
    )


def someone(**more):
    return contexts.RequestContext(user_id="other-user", project_id="other-project", **more)


def test_a_row_is_text_and_is_read_back(database, context):
    cert = x509keypair.CertManager.get_cert(store(context), context=context)
    assert cert.get_certificate() == "a certificate"
    assert cert.get_private_key() == "a key"
    assert cert.get_private_key_passphrase() == "a passphrase"
    assert cert.get_intermediates() is None


def test_rows_belong_to_the_project_of_the_cluster(cluster, admin):
    authority.generate(cluster, admin).apply(cluster)
    assert len(rows()) == 4
    assert {(row.project_id, row.user_id) for row in rows()} == {
        ("project-of-cluster", "user-of-cluster")
    }
    assert {row.uuid for row in rows()} == set(authority.References.of(cluster))


def test_without_a_cluster_they_belong_to_the_caller(database, context):
    reference = store(context)
    (row,) = rows()
    assert (row.uuid, row.project_id, row.user_id) == (
        reference,
        context.project_id,
        context.user_id,
    )


@pytest.mark.parametrize("is_admin", [True, False])
def test_whoever_got_the_cluster_reads_and_deletes(cluster, context, is_admin):
    authority.generate(cluster, context).apply(cluster)
    other = someone(is_admin=is_admin)
    assert authority.ca_certificate(cluster, other).get_certificate()
    authority.delete(authority.References.of(cluster), cluster, other)
    assert rows() == []


def test_nothing_under_the_reference(database, context):
    with pytest.raises(exception.X509KeyPairNotFound):
        x509keypair.CertManager.get_cert(Cluster().uuid, context=context)
    x509keypair.CertManager.delete_cert(Cluster().uuid, context=context)


def test_a_row_without_a_certificate_is_told(database, admin):
    row = objects.X509KeyPair(admin, private_key="a key")
    row.create()
    with pytest.raises(exception.CertificateStorageException, match=row.uuid):
        x509keypair.CertManager.get_cert(row.uuid)


def test_errors_of_the_database_do_not_show_the_key(cluster, admin, caplog):
    with engine.writer() as session:
        session.execute(
            sqlalchemy.text(
                "CREATE TRIGGER full BEFORE INSERT ON x509keypair "
                "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
            )
        )
    with pytest.raises(exception.CertificateStorageException) as caught:
        store(admin)
    assert isinstance(caught.value.__context__, db_exc.DBError)
    assert "a passphrase" in str(caught.value.__context__)  # or this test shows nothing
    assert caught.value.__suppress_context__
    assert "the disk is full" in str(caught.value)
    assert "a passphrase" not in str(caught.value)
    with pytest.raises(exception.CertificatesToClusterFailed, match="the disk is full"):
        authority.generate(cluster, admin)
    assert "PRIVATE KEY" not in caplog.text
