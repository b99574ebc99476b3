"""Versioned objects: what crosses the wire between magnum-api and the conductor."""

from magnumlite.objects.certificate import Certificate
from magnumlite.objects.cluster import Cluster
from magnumlite.objects.cluster_template import ClusterTemplate
from magnumlite.objects.federation import Federation
from magnumlite.objects.magnum_service import MagnumService
from magnumlite.objects.nodegroup import NodeGroup
from magnumlite.objects.quota import Quota
from magnumlite.objects.stats import Stats
from magnumlite.objects.x509keypair import X509KeyPair

__all__ = [
    "Certificate",
    "Cluster",
    "ClusterTemplate",
    "Federation",
    "MagnumService",
    "NodeGroup",
    "Quota",
    "Stats",
    "X509KeyPair",
    "register_all",
]


def register_all() -> None:
    """Register every object; importing this package has done so."""
