"""Guru meditation reports: SIGUSR2 writes threads, options and versions of a process."""

import os

from oslo_reports import guru_meditation_report as gmr

from magnumlite import version
from magnumlite.conf import CONF


class _Product:
    """What the report's head asks of a version object."""

    def vendor_string(self) -> str:
        return "magnumlite"

    def product_string(self) -> str:
        return "magnumlite-conductor"

    def version_string_with_package(self) -> str:
        return version.version_info.version_string()


def install() -> None:
    """Answer SIGUSR2, or the file of ``[oslo_reports]file_event_handler``. Main thread only.

    To be called in each process after its fork: the file is watched by a thread.
    """
    # Reports of several processes may go to one directory within the same second.
    name = f"magnumlite-conductor-{os.getpid()}"
    gmr.TextGuruMeditation.setup_autorun(_Product(), service_name=name, conf=CONF)
