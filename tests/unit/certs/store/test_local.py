import pytest

from magnumlite import exception
from magnumlite.certs import store
from magnumlite.certs.store import local

FOUR = {
    "certificate": b"a certificate",
    "private_key": b"a key",
    "intermediates": "between",
    "private_key_passphrase": "a passphras\u00e9",
}


def mode(path):
    return path.stat().st_mode & 0o777


def test_stores_bytes_and_text_and_reads_them_back(local_store):
    cert = local.CertManager.get_cert(local.CertManager.store_cert(**FOUR))
    assert cert.get_certificate() == "a certificate"
    assert cert.get_private_key() == "a key"
    assert cert.get_intermediates() == "between"
    assert cert.get_private_key_passphrase() == "a passphras\u00e9"


def test_files_have_the_recorded_names_and_nobody_else_reads_them(local_store):
    reference = local.CertManager.store_cert(**FOUR, name="life", context=None)
    assert {path.name for path in local_store.iterdir()} == {
        f"{reference}{suffix}" for suffix in (".crt", ".key", ".int", ".pass")
    }
    assert {mode(path) for path in local_store.iterdir()} == {0o600}
    assert mode(local_store) == 0o700


def test_only_what_is_given_is_written(local_store):
    reference = local.CertManager.store_cert("a certificate", "a key")
    assert len(list(local_store.iterdir())) == 2
    cert = local.CertManager.get_cert(reference)
    assert (cert.get_intermediates(), cert.get_private_key_passphrase()) == (None, None)


def test_reads_files_of_magnum(local_store):
    local_store.mkdir(mode=0o755)
    for suffix, content in ((".crt", "C"), (".key", "K"), (".pass", "P")):
        (local_store / f"ref{suffix}").write_text(content)
    cert = local.CertManager.get_cert("ref")
    assert cert.get_certificate() == "C"
    assert cert.get_private_key_passphrase() == "P"
    local.CertManager.delete_cert("ref")
    assert list(local_store.iterdir()) == []


@pytest.mark.parametrize("written", range(4))
def test_a_full_disk_leaves_nothing(local_store, monkeypatch, written):
    replaced = []
    replace = local.os.replace

    def failing(old, new):
        if len(replaced) == written:
            raise OSError(28, "No space left on device")
        replaced.append(new)
        replace(old, new)

    monkeypatch.setattr(local.os, "replace", failing)
    with pytest.raises(exception.CertificateStorageException, match="No space left"):
        local.CertManager.store_cert(**FOUR)
    assert len(replaced) == written
    assert list(local_store.iterdir()) == []


def test_a_storage_path_that_cannot_be_is_told(local_store):
    local_store.write_text("a file")
    with pytest.raises(exception.CertificateStorageException, match=str(local_store)):
        local.CertManager.store_cert(**FOUR)


def test_nothing_under_the_reference(local_store):
    with pytest.raises(exception.CertificateStorageException, match="no certificate nothing"):
        local.CertManager.get_cert("nothing")
    local.CertManager.delete_cert("nothing")


@pytest.mark.parametrize("reference", ["../etc/passwd", "/etc/passwd", "a/b", ""])
def test_references_stay_in_the_directory(local_store, reference):
    for call in (local.CertManager.get_cert, local.CertManager.delete_cert):
        with pytest.raises(exception.CertificateStorageException, match="no reference"):
            call(reference)


def test_the_option_chooses_the_store(conf, local_store):
    assert store.get_backend() is local
    conf.set_override("cert_manager_type", "nonsense", "certificates")
    with pytest.raises(exception.ConfigInvalid, match="nonsense cannot be loaded"):
        store.get_backend()
