"""The domain errors: magnum's 80 classes (contract/exceptions.json) and a few of our own.

    MagnumException 500
    |- AuthorizationFailure 403
    |- Conflict 409             something exists already, or stands in the way
    |- Invalid 400              the request cannot be right
    |- NotAuthorized 403        the caller may not
    |- NotSupported 400         this cluster, driver or state does not offer it
    `- ObjectNotFound 404
       `- ResourceNotFound      and the 400s: an image, flavor, ... that a request names

A class crosses the wire as its `__module__`, `__name__`, `args` and `kwargs`; magnum-api
builds it again from those when it knows the class, and answers 500 when it does not. So
every class here says it lives in magnum.common.exception, and a class of our own bears on
the wire the name of one that magnum-api knows (`_known_to_peers_as`).
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, ParamSpec, TypeVar

from oslo_config import cfg
from oslo_log import log as logging

from magnumlite.i18n import _

LOG = logging.getLogger(__name__)

WIRE_MODULE = "magnum.common.exception"

P = ParamSpec("P")
R = TypeVar("R")


class MagnumException(Exception):
    """An error whose class, text and HTTP code the API's user gets to see.

    `message` is the text: the class's template, or the one given, filled with the keyword
    arguments. `kwargs` are those arguments made plain, so that whatever an error carries
    can be sent (known defect B66); `kwargs["code"]` defaults to the class's `code`.
    A text given without named placeholders is kept as it is.
    A template that cannot be filled is logged and used unfilled.

    Raises: the formatting error, if [oslo_versionedobjects]fatal_exception_format_errors.
    """

    __module__ = WIRE_MODULE

    message: str = _("An unknown exception occurred.")
    code: ClassVar[int] = 500

    def __init__(self, message: Any = None, **kwargs: Any) -> None:
        kwargs.setdefault("code", self.code)
        self.message = self._text(message, kwargs)
        self.kwargs: dict[str, Any] = {name: _plain(value) for name, value in kwargs.items()}
        super().__init__(self.message)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__ == __name__:
            cls.__module__ = WIRE_MODULE

    def _text(self, given: Any, kwargs: Mapping[str, Any]) -> str:
        template = _string(given) if given else str(self.message)
        if "%(" not in template:
            return template
        try:
            return template % kwargs
        except Exception:
            LOG.exception(
                "Cannot fill the text of %s: %s, given %s",
                type(self).__name__,
                template,
                sorted(kwargs),
            )
            if _format_errors_are_fatal():
                raise
            return template

    def format_message(self) -> str:
        """Return the text for the user; of an error rebuilt from the wire, without traceback."""
        if type(self).__name__.endswith("_Remote"):
            return str(self.args[0])
        return str(self)


def _format_errors_are_fatal() -> bool:
    try:
        return bool(cfg.CONF.oslo_versionedobjects.fatal_exception_format_errors)
    except cfg.NoSuchOptError:
        return False


def _string(value: Any) -> str:
    try:
        return str(value)
    except Exception as error:
        LOG.warning("An error carries a %s without a text: %r", type(value).__name__, error)
        return f"<{type(value).__name__}>"


def _plain(value: Any, depth: int = 4) -> Any:
    """Return `value` as what JSON can hold; below `depth` levels, as text."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, bytes | bytearray):
        return value.decode(errors="replace")
    if depth and type(value) is dict:
        return {_string(key): _plain(item, depth - 1) for key, item in value.items()}
    if depth and type(value) in (list, tuple, set, frozenset):
        return [_plain(item, depth - 1) for item in value]
    return _string(value)


def _known_to_peers_as(known: type[MagnumException]) -> Callable[[type[R]], type[R]]:
    """Give a class of our own the wire name of one that magnum-api can build again.

    oslo.messaging writes `__name__`; logs and tracebacks show `__qualname__`, which stays.
    """

    def name(cls: type[R]) -> type[R]:
        cls.__name__ = known.__name__
        return cls

    return name


def wrap_keystone_exception(func: Callable[P, R]) -> Callable[P, R]:
    """Decorate: an error of keystoneauth or openstacksdk becomes an AuthorizationFailure.

    Raises: AuthorizationFailure naming the function and the cause.
    """

    @functools.wraps(func)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return func(*args, **kwargs)
        except _cloud_errors() as error:
            name = getattr(func, "__name__", repr(func))
            raise AuthorizationFailure(client=name, message=f"{name} failed: {error}") from error

    return wrapped


@functools.cache
def _cloud_errors() -> tuple[type[Exception], ...]:
    errors: list[type[Exception]] = []
    try:
        from keystoneauth1.exceptions import ClientException

        errors.append(ClientException)
        from openstack.exceptions import SDKException

        errors.append(SDKException)
    except ImportError as error:
        LOG.debug("Not installed, so none of its errors can come: %s", error)
    return tuple(errors)


class ObjectNotFound(MagnumException):
    """A named object does not exist."""

    code = 404
    message = _("The %(name)s %(id)s could not be found.")


class ProjectNotFound(ObjectNotFound):
    """A project does not exist."""

    message = _("The %(name)s project %(id)s could not be found.")


class ResourceNotFound(ObjectNotFound):
    """A resource does not exist."""

    message = _("The %(name)s resource %(id)s could not be found.")


class AuthorizationFailure(MagnumException):
    """A service of the cloud refused us or cannot be reached.

    `message=` is the whole text, as it is the constructor's first argument.
    """

    code = 403
    message = _("%(client)s could not be used: %(message)s")


class Invalid(MagnumException):
    """The request cannot be right."""

    code = 400
    message = _("The request is not valid.")


class InvalidUUID(Invalid):
    """A UUID is none."""

    message = _("%(uuid)s is not a UUID.")


class InvalidName(Invalid):
    """A name is not allowed."""

    message = _("%(name)s is not a valid name.")


class InvalidDiscoveryURL(Invalid):
    """An etcd discovery service gave no usable URL."""

    message = _("The discovery URL %(discovery_url)s of %(discovery_endpoint)s is not valid.")


class GetDiscoveryUrlFailed(MagnumException):
    """An etcd discovery service did not answer."""

    message = _("No discovery URL could be had from %(discovery_endpoint)s.")


class InvalidClusterDiscoveryURL(Invalid):
    """A cluster's etcd discovery URL is not usable."""

    message = _("The discovery URL %(discovery_url)s of the cluster is not valid.")


class InvalidClusterSize(Invalid):
    """An etcd discovery URL is for another number of nodes."""

    message = _("%(discovery_url)s is for %(expect_size)d nodes, and the cluster has %(size)d.")


class GetClusterSizeFailed(MagnumException):
    """An etcd discovery URL does not tell its size."""

    message = _("The cluster's size could not be had from %(discovery_url)s.")


class InvalidIdentity(Invalid):
    """An identity is neither UUID nor name."""

    message = _("%(identity)s is neither a UUID nor a valid name.")


class InvalidCsr(Invalid):
    """A certificate signing request that is not signed."""

    message = _("Received invalid csr %(csr)s.")


class InvalidSubnet(Invalid):
    """A subnet is not valid."""

    message = _("Subnet %(subnet)s is not valid.")


class InvalidVersion(Invalid):
    """A version tag is not valid."""

    message = _("Version tag %(tag)s is not valid.")


class HTTPNotFound(ResourceNotFound):
    """A resource does not exist, in the words of drivers that speak HTTP."""


class Conflict(MagnumException):
    """Something exists already, or stands in the way."""

    code = 409
    message = _("The request stands in conflict with the state of things.")


class ApiVersionsIntersect(Invalid):
    """Two ranges of API versions overlap."""

    message = _("Versions of %(name)s overlap between %(min_ver)s and %(max_ver)s.")


class InvalidParameterValue(Invalid):
    """A parameter's value is not valid."""

    message = _("%(err)s")


class PatchError(Invalid):
    """A JSON patch does not fit."""

    message = _("The patch %(patch)s could not be applied: %(reason)s")


class NotAuthorized(MagnumException):
    """The caller may not do this."""

    code = 403
    message = _("Not authorized.")


class PolicyNotAuthorized(NotAuthorized):
    """A policy rule forbids the action."""

    message = _("Policy doesn't allow %(action)s to be performed.")


class InvalidMAC(Invalid):
    """A MAC address is none."""

    message = _("%(mac)s is not a MAC address.")


class InvalidDNS(Invalid):
    """A list of DNS servers is not valid."""

    message = _("%(dns)s is not a list of DNS server addresses.")


class ConfigInvalid(Invalid):
    """The configuration cannot be used; the text names file and option."""

    message = _("The configuration is not valid: %(error_msg)s")


class ClusterTemplateNotFound(ResourceNotFound):
    """A cluster template does not exist."""

    message = _("ClusterTemplate %(clustertemplate)s could not be found.")


class ClusterTemplateAlreadyExists(Conflict):
    """A cluster template's UUID is taken."""

    message = _("A ClusterTemplate with UUID %(uuid)s already exists.")


class ClusterTemplateReferenced(Invalid):
    """A cluster template is in use."""

    message = _("ClusterTemplate %(clustertemplate)s is referenced by one or multiple clusters.")


class ClusterTemplatePublishDenied(NotAuthorized):
    """The caller may not publish templates."""

    message = _("Not authorized to set the public flag of a cluster template.")


class ClusterNotFound(ResourceNotFound):
    """A cluster does not exist, or is not the caller's."""

    message = _("Cluster %(cluster)s could not be found.")


class ClusterAlreadyExists(Conflict):
    """A cluster's UUID is taken."""

    message = _("A cluster with UUID %(uuid)s already exists.")


class NotSupported(MagnumException):
    """The cluster, its driver or its status does not offer this."""

    code = 400
    message = _("%(operation)s is not supported.")


class ClusterTypeNotSupported(NotSupported):
    """No driver serves this server type, OS and COE."""

    message = _(
        "Cluster type (%(server_type)s, %(os)s, %(coe)s) is not supported. Supported: "
        "%(supported_cluster_types)s"
    )


class ClusterTypeBetaNotEnabled(NotSupported):
    """Only a beta driver that is not enabled serves this cluster type."""

    message = _(
        "Cluster type (%(server_type)s, %(os)s, %(coe)s) is served by the beta driver "
        "%(driver_name)s, which is not enabled."
    )


class ClusterDriverNotSupported(NotSupported):
    """A driver of this name is not installed."""

    message = _("Cluster driver (%(driver_name)s) is not supported.")


class RequiredParameterNotProvided(Invalid):
    """A driver's template lacks a parameter."""

    message = _("Required parameter %(heat_param)s was not provided.")


class OperationInProgress(Invalid):
    """The cluster is busy."""

    message = _("Cluster %(cluster_name)s already has an operation in progress.")


class VolumeTypeNotFound(ResourceNotFound):
    """The block storage offers no usable volume type."""

    code = 400
    message = _("No valid volume type could be found.")


class ImageNotFound(ResourceNotFound):
    """An image that the request names does not exist."""

    code = 400
    message = _("Image %(image_id)s could not be found.")


class ImageNotAuthorized(NotAuthorized):
    """The caller may not use the image."""

    message = _("Not authorized for image %(image_id)s.")


class OSDistroFieldNotFound(ResourceNotFound):
    """An image does not tell its distribution."""

    code = 400
    message = _("Image %(image_id)s doesn't contain os_distro field.")


class X509KeyPairNotFound(ResourceNotFound):
    """A stored certificate does not exist."""

    message = _("X509KeyPair %(x509keypair)s could not be found.")


class X509KeyPairAlreadyExists(Conflict):
    """A stored certificate's UUID is taken."""

    message = _("An X509KeyPair with UUID %(uuid)s already exists.")


class CertificateStorageException(MagnumException):
    """The certificate store refused or failed."""

    message = _("Could not store certificate: %(msg)s")


class CertificateValidationError(Invalid):
    """A signing request asks for what the policy forbids."""

    message = _("Extension '%(extension)s' is not allowed.")


class KeyPairNotFound(ResourceNotFound):
    """An SSH key pair does not exist."""

    message = _("Key pair %(keypair)s could not be found.")


class MagnumServiceNotFound(ResourceNotFound):
    """A service's row does not exist."""

    message = _("Magnum service %(magnum_service_id)s could not be found.")


class MagnumServiceAlreadyExists(Conflict):
    """A service's row is there already."""

    message = _("A Magnum service with ID %(id)s already exists.")


class UnsupportedK8sQuantityFormat(Invalid):
    """A Kubernetes quantity cannot be read."""

    message = _("The text is not a Kubernetes quantity.")


class FlavorNotFound(ResourceNotFound):
    """A flavor that the request names does not exist."""

    code = 400
    message = _("Flavor %(flavor)s could not be found.")


class FixedNetworkNotFound(ResourceNotFound):
    """A tenant network that the request names does not exist."""

    code = 400
    message = _("Fixed network %(network)s could not be found.")


class FixedSubnetNotFound(ResourceNotFound):
    """A subnet that the request names does not exist."""

    code = 400
    message = _("Fixed subnet %(subnet)s could not be found.")


class ExternalNetworkNotFound(ResourceNotFound):
    """An external network that the request names does not exist."""

    code = 400
    message = _("External network %(network)s could not be found.")


class QuotaAlreadyExists(Conflict):
    """A project has a quota for the resource already."""

    message = _("A quota for %(resource)s of project %(project_id)s already exists.")


class QuotaNotFound(ResourceNotFound):
    """A project has no quota of its own."""

    message = _("Quota could not be found: %(msg)s")


class ResourceLimitExceeded(NotAuthorized):
    """A quota is used up."""

    message = _("Resource limit exceeded: %(msg)s")


class RegionsListFailed(MagnumException):
    """Keystone does not tell its regions."""

    message = _("The regions could not be listed.")


class ServicesListFailed(MagnumException):
    """Keystone does not tell its services."""

    message = _("The services could not be listed.")


class CertificatesToClusterFailed(MagnumException):
    """A cluster's certificates could not all be made and stored."""

    message = _("Failed to create certificates for cluster: %(cluster_uuid)s")


class FederationNotFound(ResourceNotFound):
    """A federation does not exist."""

    message = _("Federation %(federation)s could not be found.")


class FederationAlreadyExists(Conflict):
    """A federation's UUID is taken."""

    message = _("A federation with UUID %(uuid)s already exists.")


class MemberAlreadyExists(Conflict):
    """A cluster is a member of the federation already."""

    message = _("Cluster %(uuid)s is already a member of federation %(federation_name)s.")


class PreDeletionFailed(Conflict):
    """What a cluster made in the cloud could not be removed."""

    message = _(
        "Resources of cluster %(cluster_uuid)s could not be removed before its deletion: %(msg)s"
    )


class NodeGroupAlreadyExists(Conflict):
    """A nodegroup's name is taken in its cluster."""

    message = _("A node group with name %(name)s already exists in the cluster %(cluster_id)s.")


class NodeGroupNotFound(ResourceNotFound):
    """A nodegroup does not exist, or is not the caller's."""

    message = _("Nodegroup %(nodegroup)s could not be found.")


class MasterNGSizeInvalid(InvalidParameterValue):
    """The number of master nodes is not possible."""

    message = _("%(requested_size)s master nodes are not possible.")


class MasterNGResizeNotSupported(NotSupported):
    """Master nodegroups are not resized."""

    message = _("Resizing the master nodegroup is not supported.")


class ZeroNodeCountNotSupported(NotSupported):
    """The driver cannot do without nodes."""

    message = _("A nodegroup of zero nodes is not supported.")


class FlavorZeroRootVolumeNotSupported(NotSupported):
    """A flavor's root disk has no size and none was asked for."""

    message = _("A flavor without a root disk is not supported here.")


class ClusterUpgradeNotSupported(NotSupported):
    """The cluster cannot be upgraded."""

    message = _("Upgrading the cluster is not supported.")


class NGResizeOutBounds(Invalid):
    """A nodegroup's new size is outside its limits."""

    message = _("Nodegroup %(nodegroup)s can have from %(min_nc)s to %(max_nc)s nodes.")


class DeletingDefaultNGNotSupported(NotSupported):
    """Default nodegroups go with their cluster."""

    message = _("Deleting a default nodegroup is not supported.")


class NodeGroupInvalidInput(Conflict):
    """A nodegroup's new value does not fit its others."""

    message = _("%(attr)s for %(nodegroup)s is invalid (%(expl)s).")


class CreateMasterNodeGroup(NotSupported):
    """There is one master nodegroup, the default one."""

    message = _("Creating a master nodegroup is not supported.")


class NgOperationInProgress(Invalid):
    """The nodegroup is busy."""

    message = _("Nodegroup %(nodegroup)s already has an operation in progress.")


class InvalidClusterTemplateForUpgrade(Conflict):
    """A cluster cannot be upgraded to this template."""

    message = _("Cluster Template is not valid for upgrade: %(reason)s")


class ClusterAPIAddressUnavailable(Conflict):
    """The cluster is not ready to be asked."""

    message = _("Cluster API address is not available yet")


class ObjectError(MagnumException):
    """An object's action failed."""

    message = _("Failed to perform action %(action)s on %(obj_name)s %(obj_id)s: %(reason)s")


@_known_to_peers_as(Conflict)
class ClaimLost(Conflict):
    """Another operation took over the cluster: what this one wanted to write is not written."""

    message = _("Another operation has taken over cluster %(cluster_uuid)s.")


@_known_to_peers_as(ClusterDriverNotSupported)
class DriverUnavailable(ClusterDriverNotSupported):
    """A driver is installed but cannot be loaded; the reason is its import error (B28, B69)."""

    message = _("Cluster driver (%(driver_name)s) cannot be used: %(reason)s")


@_known_to_peers_as(MagnumException)
class SchemaMismatch(MagnumException):
    """The database is at another revision than this version needs."""

    message = _("The database schema is at %(found)s and %(needed)s is needed.")


@_known_to_peers_as(Conflict)
class OperationGone(Conflict):
    """An operation that came back from the broker has begun or ended already."""

    message = _("Operation %(operation)s has begun or ended already.")


def for_wire(error: BaseException) -> BaseException:
    """Return what is sent for `error`: its class, text, code and arguments, all made plain.

    Whatever an error carries, its caller gets an answer (known defect B66).  A class that others
    derived from ours, such as a driver's, goes as the nearest that magnum-api can build again, or
    when the two differ in `code` as the general one of its code.  Causes are not sent.

    The traceback goes with what the caller builds again: magnum-api shows its users an error's
    text up to the traceback, and oslo.messaging would otherwise append the class's name to it.
    Other errors are shown whole, so that they have none; so are builtin ones whose text is more
    than their one argument.
    """
    text = _string(error)
    args = _plain(error.args)
    kwargs = _plain(getattr(error, "kwargs", {}))
    if not isinstance(kwargs, dict):
        kwargs = {}
    name, module = type(error).__name__, type(error).__module__
    base: type[BaseException] = Exception
    traced = False
    if isinstance(error, MagnumException):
        base = known = _nearest_known(error)
        traced = True
        name, module, args = known.__name__, WIRE_MODULE, [text]
        # The caller gives them to the constructor, which takes these two for itself.
        kwargs = {key: kwargs[key] for key in kwargs if key not in ("self", "message")}
        kwargs.setdefault("code", known.code)
    elif module == "builtins":
        kwargs = {}
        rebuilt = _rebuilt(type(error), args)
        if rebuilt is None:
            module = __name__  # so that the caller takes name and text, and builds nothing
        else:
            base = type(error)
            # The caller will put the traceback behind the first argument.
            rebuilt.args = ("\n", *args[1:])
            traced = str(rebuilt) == "\n"
    told = {"__module__": module, "__str__": lambda self: text, "kwargs": kwargs}
    sent_as: type[BaseException] = type(name, (base,), told)
    sent = sent_as.__new__(sent_as, *args)
    sent.args = tuple(args)
    if not traced:
        return sent
    try:
        raise sent.with_traceback(error.__traceback__) from None
    except sent_as as raised:
        return raised


def _rebuilt(kind: type[BaseException], args: list[Any]) -> BaseException | None:
    """Return what a caller makes of a builtin error's arguments made plain; None if it cannot."""
    try:
        return kind(*args)
    except Exception as refusal:
        LOG.debug("A %s is sent by name only: %s", kind.__name__, refusal)
        return None


def _nearest_known(error: MagnumException) -> type[MagnumException]:
    known: type[MagnumException] = next(
        cls
        for cls in type(error).__mro__
        if issubclass(cls, MagnumException) and cls.__module__ == WIRE_MODULE
    )
    if known.code != error.code:
        known = _GENERAL.get(error.code, known)
    return known


_GENERAL = {400: Invalid, 403: NotAuthorized, 404: ObjectNotFound, 409: Conflict}
