"""The driver interface: what a cluster driver package implements (contract/drivers.md).

Driver packages see this class as magnum.drivers.common.driver.Driver.
"""

import abc
import threading
from collections.abc import Iterator
from typing import Any, ClassVar

from oslo_log import log

from magnumlite import exception, objects
from magnumlite.conf import CONF
from magnumlite.drivers import catalog

LOG = log.getLogger(__name__)

_silent: set[type] = set()
_silent_lock = threading.Lock()


class Driver(abc.ABC):
    """A cluster driver: starts operations in a cloud and reports how they end.

    An operation starts the work and returns; update_cluster_status, called again and again,
    later sets the final status of the cluster and its nodegroups and saves them.
    """

    definitions: ClassVar[dict[catalog.Kind, dict[str, Any]] | None] = None
    """Cache of get_drivers, kept on the class it was called on."""

    beta: ClassVar[bool] = False
    """True: chosen by kind only when named in [drivers]enabled_beta_drivers."""

    @classmethod
    def load_entry_points(cls) -> Iterator[tuple[Any, Any]]:
        """Yield (entry point, driver class) for each enabled driver.

        Unlike magnum's, it skips drivers that do not import (known defect B28).
        """
        for offer in catalog.CATALOG.loaded():
            yield offer.entry_point, offer.driver

    @classmethod
    def get_drivers(cls) -> dict[catalog.Kind, dict[str, Any]]:
        """Map each kind to {"entry_point_name": str, "class": driver class}.

        Of two drivers for one kind the later in alphabetical order wins. A driver that cannot be
        instantiated is logged and skipped; the map is not kept while there is one, nor an empty
        one.
        """
        if cls.definitions is None:
            found: dict[catalog.Kind, dict[str, Any]] = {}
            complete = True
            for entry_point, driver in cls.load_entry_points():
                kinds = catalog.CATALOG.kinds(entry_point.name)
                complete = complete and kinds is not None
                for kind in kinds or ():
                    found[kind] = {"entry_point_name": entry_point.name, "class": driver}
            if not found or not complete:
                return found
            cls.definitions = found
        return cls.definitions

    @classmethod
    def get_driver(
        cls,
        server_type: str | None,
        os: str | None,
        coe: str | None,
        driver_name: str | None = None,
    ) -> "Driver":
        """Return a new instance of the driver with that name, or else of the one for that kind.

        With a name the kind, beta and [drivers]disabled_drivers do not count; '' is no name.

        Raises:
            ClusterDriverNotSupported: no driver has that name.
            DriverUnavailable: the named driver does not import.
            ClusterTypeNotSupported: no driver is for that kind.
            ClusterTypeBetaNotEnabled: the driver for that kind is beta and not enabled.
        """
        driver = catalog.select(cls.get_drivers, (server_type, os, coe), driver_name)[1]
        instance: Driver = driver()
        return instance

    @classmethod
    def get_default_driver(cls) -> str | None:
        """Name of [drivers]default_driver, or of the first enabled driver, or None.

        Raises:
            ClusterDriverNotSupported: the configured one is not an enabled driver.
        """
        names = [entry_point.name for entry_point, _ in cls.load_entry_points()]
        wanted: str | None = CONF.drivers.default_driver
        if wanted:
            if wanted in names:
                return wanted
            raise exception.ClusterDriverNotSupported(driver_name=wanted)
        if not names:
            LOG.warning("No cluster driver is installed and enabled.")
            return None
        first: str = min(names)
        return first

    @classmethod
    def get_driver_for_cluster(cls, context: Any, cluster: Any) -> "Driver":
        """Return a new instance of the driver that the cluster's template asks for.

        Raises: as get_driver; ClusterTemplateNotFound.
        """
        template = objects.ClusterTemplate.get_by_uuid(context, cluster.cluster_template_id)
        return cls.get_driver(
            template.server_type, template.cluster_distro, template.coe, template.driver
        )

    def update_cluster_status(
        self, context: Any, cluster: Any, use_admin_ctx: bool = False
    ) -> None:
        """Set and save the status of the cluster and its nodegroups; called until it is final.

        A driver that does not implement this never finishes an operation: warned once a class.
        """
        with _silent_lock:
            if type(self) in _silent:
                return
            _silent.add(type(self))
        LOG.warning(
            "Driver class %s.%s does not implement update_cluster_status: operations on its "
            "clusters, first %s, will stay in progress.",
            type(self).__module__, type(self).__qualname__, cluster.uuid,
        )  # fmt: skip

    @property
    @abc.abstractmethod
    def provides(self) -> list[dict[str, str]]:
        """Return the kinds of cluster it makes: dicts with server_type, os and coe."""
        raise self._absent("provides")

    @abc.abstractmethod
    def create_cluster(self, context: Any, cluster: Any, cluster_create_timeout: int | None) -> Any:
        """Start to create the cluster; the timeout is in minutes. May set cluster.stack_id."""
        raise self._absent("create_cluster")

    @abc.abstractmethod
    def update_cluster(
        self, context: Any, cluster: Any, scale_manager: Any = None, rollback: bool = False
    ) -> Any:
        """Start to bring the cluster to what its rows now say."""
        raise self._absent("update_cluster")

    def pre_delete_cluster(self, context: Any, cluster: Any) -> Any:
        """Remove what the cluster itself made in the cloud, before delete_cluster."""
        return None

    @abc.abstractmethod
    def upgrade_cluster(
        self,
        context: Any,
        cluster: Any,
        cluster_template: Any,
        max_batch_size: int,
        nodegroup: Any,
        scale_manager: Any = None,
        rollback: bool = False,
    ) -> Any:
        """Start to upgrade the nodegroup, or all of the cluster, to the template."""
        raise self._absent("upgrade_cluster")

    @abc.abstractmethod
    def delete_cluster(self, context: Any, cluster: Any) -> Any:
        """Start to delete the cluster; an error shaped like 404 means it is already gone."""
        raise self._absent("delete_cluster")

    @abc.abstractmethod
    def resize_cluster(
        self,
        context: Any,
        cluster: Any,
        resize_manager: Any,
        node_count: int,
        nodes_to_remove: list[str],
        nodegroup: Any = None,
    ) -> Any:
        """Start to bring the nodegroup to node_count nodes; the row has it already."""
        raise self._absent("resize_cluster")

    def validate_master_size(self, node_count: int) -> None:
        """Accept a number of masters for a new cluster, or raise.

        Raises:
            MasterNGSizeInvalid: even, or less than 1.
        """
        if node_count < 1 or node_count % 2 == 0:
            raise exception.MasterNGSizeInvalid(requested_size=node_count)

    def validate_master_resize(self, node_count: int) -> None:
        """Accept a new number of masters for an existing cluster, or raise.

        Raises:
            MasterNGResizeNotSupported: always, unless the driver can.
        """
        raise exception.MasterNGResizeNotSupported()

    @abc.abstractmethod
    def create_federation(self, context: Any, federation: Any) -> Any:
        """Start to create a federation."""
        raise self._absent("create_federation")

    @abc.abstractmethod
    def update_federation(self, context: Any, federation: Any) -> Any:
        """Start to update a federation."""
        raise self._absent("update_federation")

    @abc.abstractmethod
    def delete_federation(self, context: Any, federation: Any) -> Any:
        """Start to delete a federation."""
        raise self._absent("delete_federation")

    @abc.abstractmethod
    def create_nodegroup(self, context: Any, cluster: Any, nodegroup: Any) -> Any:
        """Start to create a nodegroup of the cluster."""
        raise self._absent("create_nodegroup")

    @abc.abstractmethod
    def update_nodegroup(self, context: Any, cluster: Any, nodegroup: Any) -> Any:
        """Start to bring a nodegroup to what its row now says."""
        raise self._absent("update_nodegroup")

    @abc.abstractmethod
    def delete_nodegroup(self, context: Any, cluster: Any, nodegroup: Any) -> Any:
        """Start to delete a nodegroup of the cluster."""
        raise self._absent("delete_nodegroup")

    def rotate_credential(self, context: Any, cluster: Any) -> Any:
        """Give the cluster new cloud credentials."""
        raise self._absent("rotate_credential")

    def get_monitor(self, context: Any, cluster: Any) -> Any:
        """Return the monitor of the cluster's health (monitors.MonitorBase), None for none."""
        return None

    def get_scale_manager(self, context: Any, osclient: Any, cluster: Any) -> Any:
        """Return what picks nodes to remove (scale_manager.ScaleManager), None for none."""
        return None

    def rotate_ca_certificate(self, context: Any, cluster: Any) -> Any:
        """Roll the cluster's new certificate authorities out to its nodes.

        Raises:
            NotSupported: unless the driver can.
        """
        raise exception.NotSupported("Rotating the CA certificate is not supported by this driver.")

    def _absent(self, member: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__qualname__} does not implement {member}")
