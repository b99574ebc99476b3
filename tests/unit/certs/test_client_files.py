import pathlib
import threading
import time

import pytest
from cryptography import x509 as crypto

from magnumlite import exception
from magnumlite.certs import authority, client_files, cluster_certificates, x509

NAMES = ["ca.crt", "client.key", "client.crt"]


@pytest.fixture
def made(local_store, cluster):
    authority.generate(cluster, None).apply(cluster)
    return cluster


@pytest.fixture
def cache(conf, tmp_path):
    conf.set_override("temp_cache_dir", str(tmp_path / "cache"), "cluster")
    (tmp_path / "cache").mkdir()
    return tmp_path / "cache"


@pytest.fixture
def no_cache(conf, tmp_path):
    conf.set_override("temp_cache_dir", str(tmp_path / "missing"), "cluster")
    return tmp_path / "missing"


def contents(files):
    with files[0], files[1], files[2]:
        return [file.read() for file in files]


def expected(cluster):
    client = authority.client_certificate(cluster, None)
    return [
        authority.ca_certificate(cluster, None).get_certificate(),
        client.get_decrypted_private_key().decode(),
        client.get_certificate(),
    ]


def mode(path):
    return pathlib.Path(path).stat().st_mode & 0o777


def test_files_are_ca_key_and_certificate(made, cache):
    files = client_files.create(made, None)
    assert [pathlib.Path(f.name) for f in files] == [cache / made.uuid / n for n in NAMES]
    ca, key, certificate = contents(files)
    assert [ca, key, certificate] == expected(made)
    assert key.startswith("-----BEGIN PRIVATE KEY-----")
    public = crypto.load_pem_x509_certificate(certificate.encode()).public_key()
    assert x509.load_key(key).public_key() == public


def test_nobody_else_reads_them(made, cache):  # B14
    contents(client_files.create(made, None))
    assert mode(cache / made.uuid) == 0o700
    assert {mode(path) for path in (cache / made.uuid).iterdir()} == {0o600}


def test_they_are_written_once(made, cache, monkeypatch):
    contents(client_files.create(made, None))
    monkeypatch.setattr(authority, "_read", None)
    before = [(cache / made.uuid / name).stat().st_ino for name in NAMES]
    contents(client_files.create(made, None))
    assert before == [(cache / made.uuid / name).stat().st_ino for name in NAMES]


def test_they_follow_a_rotation(made, cache):  # B14
    old = contents(client_files.create(made, None))
    authority.generate(made, None).apply(made)
    new = contents(client_files.create(made, None))
    assert new == expected(made)
    assert not set(new) & set(old)


def test_files_of_magnum_are_replaced(made, cache):  # B14: nobody knows which pair they are of
    (cache / made.uuid).mkdir(mode=0o755)
    for name in NAMES:
        (cache / made.uuid / name).write_text("old")
    assert contents(client_files.create(made, None)) == expected(made)
    assert mode(cache / made.uuid) == 0o700
    assert {mode(path) for path in (cache / made.uuid).iterdir()} == {0o600}


def test_a_missing_file_is_made_again(made, cache):
    contents(client_files.create(made, None))
    (cache / made.uuid / "client.key").unlink()
    assert contents(client_files.create(made, None)) == expected(made)


def test_a_write_that_fails_is_not_taken_for_whole(made, cache, monkeypatch):
    contents(client_files.create(made, None))
    authority.generate(made, None).apply(made)
    replace, calls = client_files.os.replace, []

    def failing(old, new):
        calls.append(new)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        replace(old, new)

    monkeypatch.setattr(client_files.os, "replace", failing)
    assert contents(client_files.create(made, None)) == expected(made)  # temporary ones
    monkeypatch.undo()
    files = client_files.create(made, None)
    assert files[0].name == str(cache / made.uuid / "ca.crt")
    assert contents(files) == expected(made)
    assert sorted(p.name for p in (cache / made.uuid).iterdir()) == sorted([*NAMES, "references"])


def test_without_the_directory_they_live_until_closed(made, no_cache):
    files = client_files.create(made, None)
    names = [file.name for file in files]
    assert [pathlib.Path(name).read_text() for name in names] == expected(made)
    assert [mode(name) for name in names] == [0o600] * 3
    assert contents(files) == expected(made)
    assert not any(pathlib.Path(name).exists() for name in names)
    assert not no_cache.exists()


def test_a_cluster_without_certificates_leaves_no_key_behind(local_store, cluster, cache):
    with pytest.raises(exception.ResourceNotFound):
        client_files.create(cluster, None)
    assert not any((cache / cluster.uuid).iterdir())


def test_delete_removes_the_directory(made, cache):  # B14
    contents(client_files.create(made, None))
    client_files.delete(made.uuid)
    assert list(cache.iterdir()) == []
    client_files.delete(made.uuid)


def test_delete_without_a_cache_is_nothing(made, no_cache):
    client_files.delete(made.uuid)
    assert not no_cache.exists()


def test_readers_never_see_half_of_a_rotation(made, cache):  # B14
    sets = {tuple(expected(made))}
    seen: list[tuple[str, ...]] = []
    errors: list[BaseException] = []
    done = threading.Event()

    def read():
        try:
            while not done.is_set():
                seen.append(tuple(contents(client_files.create(made, None))))
        except BaseException as error:
            errors.append(error)

    def remove():
        while not done.is_set():
            client_files.delete(made.uuid)
            time.sleep(0.01)

    threads = [threading.Thread(target=read) for _ in range(3)]
    threads.append(threading.Thread(target=remove))
    for thread in threads:
        thread.start()
    for _ in range(3):
        new = authority.generate(made, None)
        made.magnum_cert_ref, made.ca_cert_ref = new.magnum_cert_ref, new.ca_cert_ref
        sets.add(tuple(expected(made)))
        time.sleep(0.05)
    done.set()
    for thread in threads:
        thread.join()
    assert not errors
    keys_and_certificates = {(key, certificate) for _, key, certificate in sets}
    assert {(key, certificate) for _, key, certificate in seen} <= keys_and_certificates


def test_names_for_drivers(local_store, cluster, cache):
    named = cluster_certificates
    named.generate_certificates_to_cluster(cluster)
    assert len(list(authority.References.of(cluster))) == 4
    ca = named.get_cluster_ca_certificate(cluster, None, "etcd")
    assert ca is authority.ca_certificate(cluster, None, "etcd")
    client = named.get_cluster_magnum_cert(cluster, context=None)
    assert client is authority.client_certificate(cluster, None)
    assert contents(named.create_client_files(cluster)) == expected(cluster)
    from magnumlite.certs import operations

    pair = operations.generate_csr_and_key("node")
    signed = named.sign_node_certificate(cluster, pair["csr"], ca_cert_type="etcd")
    crypto.load_pem_x509_certificate(signed).verify_directly_issued_by(
        crypto.load_pem_x509_certificate(ca.get_certificate().encode())
    )
    named.delete_client_files(cluster)
    named.delete_certificates_from_cluster(cluster)
    assert list(cache.iterdir()) == list(local_store.iterdir()) == []
