"""The files with which an HTTP client calls a cluster's API.

Layout of contract/certs.md: when the directory [cluster]temp_cache_dir exists,
``<dir>/<cluster uuid>/`` keeps ca.crt, client.key and client.crt; without it
the files live until they are closed. Differences (known defect B14): the
directory is 0700, each file is written 0600 and whole before it gets its name,
and the files follow a rotation: ``references`` names the certificates they
were made from.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from oslo_log import log
from oslo_utils import uuidutils

from magnumlite.certs import authority
from magnumlite.conf import CONF

LOG = log.getLogger(__name__)

Files = tuple[IO[str], IO[str], IO[str]]

_NAMES = ("ca.crt", "client.key", "client.crt")
_REFERENCES = "references"


def create(cluster: Any, context: Any) -> Files:
    """Return open files: CA certificate, client key in clear, client certificate.

    Post: each can be read from its start and has a name on disk until closed.

    Raises:
        ResourceNotFound, CertificateStorageException: see ``authority``.
    """
    if os.path.isdir(CONF.cluster.temp_cache_dir):
        try:
            return _kept(cluster, context)
        except OSError as error:
            LOG.warning(
                "Client files of cluster %s cannot be kept in %s, temporary ones are used: %s",
                cluster.uuid,
                CONF.cluster.temp_cache_dir,
                error,
            )
    return _temporary(_contents(cluster, context))


def delete(cluster_uuid: str) -> None:
    """Remove the kept files of a cluster; nothing there is no error, and it never raises."""
    directory = _directory(cluster_uuid)
    if not directory.is_dir():
        return
    try:
        with _locked(directory):
            shutil.rmtree(directory)
    except OSError as error:
        LOG.warning("Client files of cluster %s are still there: %s", cluster_uuid, error)


def kept() -> dict[str, float]:
    """Return the uuids of the clusters whose files this host keeps, and when they were made."""
    found = {}
    with suppress(FileNotFoundError, NotADirectoryError):
        for entry in os.scandir(CONF.cluster.temp_cache_dir):
            if uuidutils.is_uuid_like(entry.name) and entry.is_dir(follow_symlinks=False):
                with suppress(FileNotFoundError):
                    found[entry.name] = entry.stat(follow_symlinks=False).st_mtime
    return found


def made_from(cluster_uuid: str, ca_cert_ref: str | None, magnum_cert_ref: str | None) -> bool:
    """Tell whether the kept files of a cluster are of these certificates."""
    return _current(_directory(cluster_uuid), _references(ca_cert_ref, magnum_cert_ref))


def _directory(cluster_uuid: str) -> Path:
    return Path(CONF.cluster.temp_cache_dir, cluster_uuid)


def _references(ca_cert_ref: str | None, magnum_cert_ref: str | None) -> str:
    return json.dumps([ca_cert_ref, magnum_cert_ref])


def _contents(cluster: Any, context: Any) -> list[str]:
    """Return what goes into the files, in the order of _NAMES."""
    ca = authority.ca_certificate(cluster, context)
    client = authority.client_certificate(cluster, context)
    return [
        ca.get_certificate(),
        client.get_decrypted_private_key().decode("ascii"),
        client.get_certificate(),
    ]


def _temporary(contents: list[str]) -> Files:
    with ExitStack() as opened:
        files = [
            opened.enter_context(tempfile.NamedTemporaryFile("w+", encoding="ascii"))  # 0600
            for _ in contents
        ]
        for file, content in zip(files, contents, strict=True):
            file.write(content)
            file.flush()
            file.seek(0)
        opened.pop_all()  # from here on they are the caller's
    return files[0], files[1], files[2]


def _kept(cluster: Any, context: Any) -> Files:
    directory = _directory(str(cluster.uuid))
    references = _references(cluster.ca_cert_ref, cluster.magnum_cert_ref)
    with _locked(directory):
        directory.chmod(0o700)
        if not _current(directory, references):
            contents = _contents(cluster, context)
            # The references are the last to appear: without them the rest counts for nothing.
            (directory / _REFERENCES).unlink(missing_ok=True)
            for name, content in zip((*_NAMES, _REFERENCES), (*contents, references), strict=True):
                _write(directory / name, content)
        return _open(directory)


def _current(directory: Path, references: str) -> bool:
    try:
        written = (directory / _REFERENCES).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return False
    return written == references and all((directory / name).is_file() for name in _NAMES)


def _open(directory: Path) -> Files:
    with ExitStack() as opened:
        files = [opened.enter_context((directory / name).open(encoding="ascii")) for name in _NAMES]
        opened.pop_all()  # from here on they are the caller's
    return files[0], files[1], files[2]


def _write(path: Path, content: str) -> None:
    """Write a file 0600, whole or not at all."""
    handle, name = tempfile.mkstemp(prefix=".", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Hold the directory against other threads and processes of this host; make it if need be."""
    while True:
        directory.mkdir(mode=0o700, exist_ok=True)
        handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            # Whoever held it may have removed it: the lock then is on nothing.
            if _same(handle, directory):
                yield
                return
        finally:
            os.close(handle)


def _same(handle: int, directory: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), directory.stat())
    except FileNotFoundError:
        return False
