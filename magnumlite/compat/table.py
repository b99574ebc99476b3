"""Which magnumlite module stands for which magnum module: the one list.

A magnum module whose parts live in several rooms has a module of magnumlite.compat that gathers
them. docs/drivers.md shows this list to driver authors; a test holds the two equal.
"""

TABLE: dict[str, str] = {
    "magnum.api.attr_validator": "magnumlite.compat.attr_validator",
    "magnum.api.utils": "magnumlite.compat.api_utils",
    "magnum.common.cert_manager": "magnumlite.certs.store",
    "magnum.common.cert_manager.barbican_cert_manager": "magnumlite.certs.store.barbican",
    "magnum.common.cert_manager.cert_manager": "magnumlite.certs.store.base",
    "magnum.common.cert_manager.local_cert_manager": "magnumlite.certs.store.local",
    "magnum.common.cert_manager.x509keypair_cert_manager": "magnumlite.certs.store.x509keypair",
    "magnum.common.clients": "magnumlite.openstack.clients",
    "magnum.common.cinder": "magnumlite.openstack.cinder",
    "magnum.common.config": "magnumlite.compat.config",
    "magnum.common.context": "magnumlite.context",
    "magnum.common.exception": "magnumlite.exception",
    "magnum.common.keystone": "magnumlite.openstack.keystone",
    "magnum.common.name_generator": "magnumlite.compat.name_generator",
    "magnum.common.neutron": "magnumlite.openstack.neutron",
    "magnum.common.nova": "magnumlite.openstack.nova",
    "magnum.common.octavia": "magnumlite.openstack.octavia",
    "magnum.common.policy": "magnumlite.policy",
    "magnum.common.profiler": "magnumlite.compat.profiler",
    "magnum.common.rpc": "magnumlite.compat.rpc",
    "magnum.common.short_id": "magnumlite.compat.short_id",
    "magnum.common.urlfetch": "magnumlite.compat.urlfetch",
    "magnum.common.utils": "magnumlite.compat.common_utils",
    "magnum.common.x509.operations": "magnumlite.certs.operations",
    "magnum.conductor.handlers.common.cert_manager": "magnumlite.certs.cluster_certificates",
    "magnum.conductor.k8s_api": "magnumlite.kubernetes.client",
    "magnum.conductor.monitors": "magnumlite.drivers.monitors",
    "magnum.conductor.scale_manager": "magnumlite.drivers.scale_manager",
    "magnum.conductor.utils": "magnumlite.compat.conductor_utils",
    "magnum.conf": "magnumlite.conf",
    "magnum.db.api": "magnumlite.compat.db_api",
    "magnum.db.sqlalchemy.migration": "magnumlite.compat.db_migration",
    "magnum.db.sqlalchemy.models": "magnumlite.db.models",
    "magnum.drivers.common.driver": "magnumlite.drivers.base",
    "magnum.drivers.common.k8s_monitor": "magnumlite.drivers.k8s_monitor",
    "magnum.i18n": "magnumlite.i18n",
    "magnum.objects": "magnumlite.objects",
    "magnum.objects.base": "magnumlite.objects.base",
    "magnum.objects.fields": "magnumlite.objects.fields",
    "magnum.version": "magnumlite.version",
}

FROM_MAGNUM = ("magnum.tests",)
"""What may come from an installed magnum: the fixtures that drivers' own tests stand on."""
