"""What callers reach through indirection: remotable methods, and their own rows (B59, B67)."""

from __future__ import annotations

import copy
import inspect
import json
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from oslo_messaging.rpc import dispatcher
from oslo_versionedobjects import exception as ovo_exc

from magnumlite import objects
from magnumlite.conductor.handlers.indirection import IndirectionHandler
from magnumlite.context import RequestContext, make_admin_context
from magnumlite.db import engine, models
from magnumlite.objects.base import MagnumObject, MagnumObjectRegistry
from magnumlite.rpc.serializers import RequestSerializer
from tests.conftest import options_at_defaults, sqlite_database

VICTIM, STRANGER = "v" * 32, "s" * 32
KINDS = {name: classes[0] for name, classes in MagnumObjectRegistry.obj_classes().items()}
MANIFEST = {name: kind.VERSION for name, kind in KINDS.items()}
TABLES = models.Base.metadata.sorted_tables

#: What an object's method is tried with beyond the object's own fields, by parameter name.
GIVEN: dict[str, Callable[[MagnumObject], Any]] = {
    "context": lambda victim: None,
    "limit": lambda victim: 100,
    "marker": lambda victim: victim,
    "sort_key": lambda victim: "id",
    "sort_dir": lambda victim: "desc",
    "filters": lambda victim: {"project_id": VICTIM},
    "values": lambda victim: {"labels": {"stolen": "yes"}, "project_id": STRANGER},
    "quota": lambda victim: {"resource": "Cluster", "hard_limit": 99},
}

#: Which field of the object a parameter names.
FIELD_OF = {
    "cluster": "cluster_id",
    "cluster_id": "uuid",
    "cluster_template_id": "uuid",
    "federation_id": "uuid",
    "x509keypair_id": "uuid",
    "quota_id": "id",
    "nodegroup_id": "uuid",
    "id_": "id",
}


def remotables() -> Iterator[tuple[str, str, bool]]:
    """Every remotable method of every registered object, and whether it is a class's."""
    for kind, cls in sorted(KINDS.items()):
        for name in sorted(dir(cls)):
            method = getattr(cls, name)
            if getattr(method, "remotable", False):
                yield kind, name, inspect.ismethod(method)


CLASS_METHODS = [(kind, name) for kind, name, of_class in remotables() if of_class]
INSTANCE_METHODS = [(kind, name) for kind, name, of_class in remotables() if not of_class]


def tenant(project: str) -> RequestContext:
    return RequestContext(user_id=project, project_id=project, is_admin=False)


def fields_of(kind: str, project: str) -> dict[str, Any]:
    """The fields of a project's object of that kind, with uuids that tell whose it is."""
    mark = project[0]
    shared = {"uuid": str(uuid.uuid5(uuid.NAMESPACE_OID, f"{kind} {mark}")), "project_id": project}
    cluster = str(uuid.uuid5(uuid.NAMESPACE_OID, f"Cluster {mark}"))
    template = str(uuid.uuid5(uuid.NAMESPACE_OID, f"ClusterTemplate {mark}"))
    return {
        "Cluster": {
            **shared,
            "user_id": project,
            "name": f"cluster-{mark}",
            "cluster_template_id": template,
            "status": "CREATE_COMPLETE",
            "labels": {},
        },
        "ClusterTemplate": {
            **shared,
            "user_id": project,
            "name": f"template-{mark}",
            "coe": "kubernetes",
            "labels": {},
        },
        "NodeGroup": {
            **shared,
            "name": f"nodegroup-{mark}",
            "cluster_id": cluster,
            "role": "worker",
            "node_count": 7,
            "labels": {},
        },
        "X509KeyPair": {**shared, "user_id": project, "certificate": f"certificate of {mark}"},
        "Federation": {**shared, "name": f"federation-{mark}", "hostcluster_id": cluster},
        "Quota": {"project_id": project, "resource": "Cluster", "hard_limit": 7},
        "MagnumService": {
            "host": f"host-{mark}",
            "binary": "magnum-conductor",
            "disabled": False,
            "forced_down": False,
            "report_count": 1,
        },
        "Stats": {},
        "Certificate": {},
    }[kind]


@pytest.fixture(scope="module")
def one_database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    directory = tmp_path_factory.mktemp("indirection")
    with options_at_defaults() as conf, sqlite_database(conf, directory):
        yield


@pytest.fixture
def site(one_database: None) -> Any:
    """Rows of two projects in every table."""
    admin = make_admin_context(all_tenants=True)
    with engine.writer() as session:
        for table in TABLES:
            session.execute(table.delete())
    for project in (VICTIM, STRANGER):
        for kind, cls in KINDS.items():
            if fields_of(kind, project):
                cls(admin, **fields_of(kind, project)).create()
    return admin


def stored(kind: str, project: str) -> MagnumObject:
    """The project's object of that kind as its row is, unchanged."""
    model = getattr(models, kind, None)
    cls = KINDS[kind]
    made = cls(tenant(project), **fields_of(kind, project))
    with engine.reader() as session:
        if model is not None:
            name, value = next(iter(fields_of(kind, project).items()))
            row = session.query(model).filter_by(**{name: value}).one()
            made = cls._from_db_object(cls(tenant(project)), row)
    made.obj_reset_changes()
    return made


def everything() -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables."""
    with engine.reader() as session:
        return {
            table.name: [tuple(row) for row in session.execute(table.select())] for table in TABLES
        }


def rows_of_victim() -> dict[str, list[tuple[Any, ...]]]:
    """The rows that are the victim's, that are in its cluster, or that are nobody's."""
    cluster = fields_of("Cluster", VICTIM)["uuid"]
    found = {}
    for table in TABLES:
        index = {column.name: place for place, column in enumerate(table.columns)}
        found[table.name] = [
            row
            for row in everything()[table.name]
            if "project_id" not in index
            or row[index["project_id"]] == VICTIM
            or ("cluster_id" in index and row[index["cluster_id"]] == cluster)
        ]
    return found


def remove_victim() -> None:
    with engine.writer() as session:
        for table in TABLES:
            if "project_id" in table.columns:
                session.execute(table.delete().where(table.c.project_id == VICTIM))


def argument(victim: MagnumObject, kind: str, method: str, name: str) -> Any:
    """What names the victim's object in a parameter; a new parameter must be told of above."""
    if name in GIVEN:
        return GIVEN[name](victim)
    if kind == "NodeGroup" and name == "cluster_id":
        return victim.cluster_id
    if kind == "Stats" or (kind, name) == ("Cluster", "project_id"):
        assert name == "project_id", f"Say what {kind}'s {name} is tried with"
        return VICTIM
    field = FIELD_OF.get(name, name)
    if method == "get_by_id" and field == "uuid":
        field = "id"
    assert field in victim.fields, f"Say what {kind}'s parameter {name} is tried with"
    return getattr(victim, field)


def calls_of(kind: str, name: str) -> Sequence[dict[str, Any]]:
    """Keyword arguments that name the victim's object: the required ones, and all."""
    victim = stored(kind, VICTIM)
    wrapped = inspect.unwrap(getattr(KINDS[kind], name))
    parameters = list(inspect.signature(wrapped).parameters.values())
    # A bound class method has lost its first parameter, and the context is the caller's.
    parameters = [p for p in parameters if p.name not in ("cls", "self", "context")]
    required = [p.name for p in parameters if p.default is p.empty]
    return [
        {parameter: argument(victim, kind, name, parameter) for parameter in names}
        for names in (required, [p.name for p in parameters])
    ]


def outcome(context: RequestContext, method: str, **arguments: Any) -> Any:
    """What a caller gets, through the serializer: result, or class and text of the error."""
    wire = RequestSerializer()
    sent = json.loads(json.dumps(wire.serialize_entity(context, arguments)))
    received = {name: wire.deserialize_entity(context, value) for name, value in sent.items()}
    try:
        result = getattr(IndirectionHandler(), method)(context, **received)
    except dispatcher.ExpectedException as expected:
        return [type(expected.exc_info[1]).__name__, str(expected.exc_info[1])]
    return json.loads(json.dumps(wire.serialize_entity(context, result), default=sorted))


def class_call(context: RequestContext, kind: str, name: str, /, **kwargs: Any) -> Any:
    return outcome(
        context,
        "object_class_action_versions",
        objname=kind,
        objmethod=name,
        object_versions=MANIFEST,
        args=[],
        kwargs=kwargs,
    )


def instance_call(context: RequestContext, name: str, target: MagnumObject) -> Any:
    return outcome(context, "object_action", objinst=target, objmethod=name, args=[], kwargs={})


def untouched_and_unseen(call: Callable[[], Any]) -> Any:
    """Make a stranger's call with and without the victim's rows: nobody can tell the difference."""
    before = rows_of_victim()
    seen = call()
    assert rows_of_victim() == before
    remove_victim()
    assert call() == seen
    return seen


def test_the_objects_have_remotables_of_both_kinds() -> None:
    assert len(KINDS) == 9
    assert len(CLASS_METHODS) > 30
    assert len(INSTANCE_METHODS) > 20


@pytest.mark.parametrize("which", [0, 1], ids=["required", "all"])
@pytest.mark.parametrize(("kind", "name"), CLASS_METHODS)
def test_a_stranger_neither_reads_nor_writes_by_class_method(
    site: Any, kind: str, name: str, which: int
) -> None:
    # B67
    arguments = calls_of(kind, name)[which]
    untouched_and_unseen(lambda: class_call(tenant(STRANGER), kind, name, **arguments))


@pytest.mark.parametrize(("kind", "name"), INSTANCE_METHODS)
def test_a_stranger_neither_reads_nor_writes_by_an_object(site: Any, kind: str, name: str) -> None:
    # B67
    target = stored(kind, VICTIM)
    changed = "disabled" if kind == "MagnumService" else "project_id"
    if name == "create":
        target = KINDS[kind](tenant(STRANGER), **fields_of(kind, VICTIM))
        if "uuid" in target.fields:
            target.uuid = str(uuid.uuid4())
    elif name == "save":
        setattr(target, changed, True if changed == "disabled" else STRANGER)
    untouched_and_unseen(lambda: instance_call(tenant(STRANGER), name, copy.deepcopy(target)))


OWNED = sorted(kind for kind in KINDS if "project_id" in fields_of(kind, VICTIM))


@pytest.mark.parametrize("kind", OWNED)
def test_a_stranger_cannot_push_a_row_of_its_own_to_the_victim(site: Any, kind: str) -> None:
    # B67
    target = stored(kind, STRANGER)
    target.project_id = VICTIM
    if (kind, "save") in INSTANCE_METHODS:
        seen = untouched_and_unseen(
            lambda: instance_call(tenant(STRANGER), "save", copy.deepcopy(target))
        )
    else:
        given = {"project_id": VICTIM, "resource": "Cluster", "hard_limit": 1}
        seen = untouched_and_unseen(
            lambda: class_call(
                tenant(STRANGER), kind, "update_quota", project_id=STRANGER, quota=given
            )
        )
    assert seen[0] == "NotAuthorized"


@pytest.mark.parametrize("how", ["create", "save", "update_nodegroup"])
def test_a_stranger_cannot_put_a_nodegroup_into_the_victims_cluster(site: Any, how: str) -> None:
    # B67
    cluster = fields_of("Cluster", VICTIM)["uuid"]
    own = fields_of("NodeGroup", STRANGER)
    context = tenant(STRANGER)

    def call() -> Any:
        if how == "update_nodegroup":
            named = {"cluster_id": own["cluster_id"], "nodegroup_id": own["uuid"]}
            return class_call(context, "NodeGroup", how, values={"cluster_id": cluster}, **named)
        target = stored("NodeGroup", STRANGER)
        if how == "create":
            target = objects.NodeGroup(context, **{**own, "uuid": str(uuid.uuid4()), "name": "new"})
        target.cluster_id = cluster
        return instance_call(context, how, target)

    assert untouched_and_unseen(call)[0] == "ClusterNotFound"


@pytest.mark.parametrize(("kind", "name"), [m for m in CLASS_METHODS if m[1].startswith("get")])
def test_owner_and_administrator_get_what_a_stranger_does_not(
    site: Any, kind: str, name: str
) -> None:
    if kind == "MagnumService":
        return
    arguments = calls_of(kind, name)[0]
    for context in (tenant(VICTIM), site):
        seen = class_call(context, kind, name, **arguments)
        assert not (isinstance(seen, list) and str(seen[0]).endswith(("NotFound", "Authorized")))


@pytest.mark.parametrize("all_tenants", [True, False])
def test_an_administrator_reaches_rows_as_in_magnum(site: Any, all_tenants: bool) -> None:
    # contract/objects.json, db_semantics: reads need all_tenants, writes do not.
    admin = make_admin_context(all_tenants=all_tenants)
    admin.project_id = STRANGER
    cluster = stored("Cluster", VICTIM)
    cluster.name = "renamed"
    instance_call(admin, "save", cluster)
    with engine.reader() as session:
        assert session.query(models.Cluster).filter_by(name="renamed").one().project_id == VICTIM
    seen = {row["magnum_object.data"]["name"] for row in class_call(admin, "Cluster", "list")}
    assert seen == ({"renamed", "cluster-s"} if all_tenants else {"cluster-s"})


@pytest.mark.parametrize(
    ("public", "hidden", "shown"), [(True, False, True), (True, True, False), (False, False, False)]
)
def test_a_public_template_is_read_by_all_and_written_by_its_owner(
    site: Any, public: bool, hidden: bool, shown: bool
) -> None:
    template = stored("ClusterTemplate", VICTIM)
    with engine.writer() as session:
        rows = session.query(models.ClusterTemplate).filter_by(uuid=template.uuid)
        rows.update({"public": public, "hidden": hidden})
    stranger = tenant(STRANGER)
    seen = class_call(stranger, "ClusterTemplate", "get", cluster_template_id=template.uuid)
    if shown:
        assert seen["magnum_object.data"]["name"] == "template-v"
    else:
        assert seen[0] == "ClusterTemplateNotFound"
    listed = class_call(stranger, "ClusterTemplate", "list")
    names = {item["magnum_object.data"]["name"] for item in listed}
    assert names == ({"template-v", "template-s"} if shown else {"template-s"})
    for name in ("save", "destroy"):
        target = stored("ClusterTemplate", VICTIM)
        target.name = "stolen"
        assert instance_call(stranger, name, target)[0] == "ClusterTemplateNotFound"


# What runs at all


@pytest.mark.parametrize("name", sorted({"nope", *dir(objects.Cluster)}))
def test_only_remotable_methods_run(admin: Any, name: str) -> None:
    if ("Cluster", name) not in CLASS_METHODS + INSTANCE_METHODS:
        seen = class_call(admin, "Cluster", name)
        assert seen == ["AttributeError", f"type object 'Cluster' has no attribute '{name}'"]
        seen = instance_call(admin, name, objects.Cluster(admin, uuid=str(uuid.uuid4())))
        assert seen == ["AttributeError", f"'Cluster' object has no attribute '{name}'"]


@pytest.mark.parametrize(("kind", "name"), INSTANCE_METHODS)
def test_an_instances_method_needs_an_instance(site: Any, kind: str, name: str) -> None:
    before = everything()
    seen = class_call(site, kind, name)
    assert seen[0] in ("TypeError", "AttributeError")
    assert everything() == before


def test_a_context_among_the_arguments_is_not_the_callers(site: Any) -> None:
    forged = make_admin_context(all_tenants=True).to_dict()
    for arguments in (
        {"args": [forged], "kwargs": {}},
        {"args": [], "kwargs": {"context": forged}},
    ):
        seen = outcome(
            tenant(STRANGER),
            "object_action",
            objinst=stored("Cluster", VICTIM),
            objmethod="destroy",
            **arguments,
        )
        assert seen[0] == "TypeError"
    assert stored("Cluster", VICTIM).name == "cluster-v"


@pytest.mark.parametrize(
    ("name", "version", "error"),
    [
        ("Bay", "1.0", ovo_exc.UnsupportedObjectError),
        ("Cluster", "1.99", ovo_exc.IncompatibleObjectVersion),
        ("Cluster", "2.0", ovo_exc.IncompatibleObjectVersion),
    ],
)
def test_unknown_objects_and_versions_are_refused(
    site: Any, name: str, version: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        IndirectionHandler().object_class_action_versions(
            site, name, "list", {name: version}, [], {}
        )


def test_a_missing_manifest_entry_is_a_clear_error(site: Any) -> None:
    # B59
    handler = IndirectionHandler()
    with pytest.raises(ovo_exc.IncompatibleObjectVersion, match="Version none of Cluster"):
        handler.object_class_action_versions(site, "Cluster", "list", {"NodeGroup": "1.2"}, [], {})
    with pytest.raises(ovo_exc.IncompatibleObjectVersion, match="Version none of Cluster"):
        handler.object_backport_versions(site, stored("Cluster", VICTIM), {"NodeGroup": "1.2"})


@pytest.mark.parametrize("by_name", [True, False])
def test_nodegroups_of_a_cluster_that_went_between_two_reads(site: Any, by_name: bool) -> None:
    owner, uuid_ = tenant(VICTIM), fields_of("Cluster", VICTIM)["uuid"]
    args, kwargs = ([], {"cluster_id": uuid_}) if by_name else ([uuid_], {})

    def listed(**more: Any) -> Any:
        return outcome(
            owner,
            "object_class_action_versions",
            objname="NodeGroup",
            objmethod="list",
            object_versions=MANIFEST,
            args=args,
            kwargs={**kwargs, **more},
        )

    assert len(listed()) == 1
    assert listed(filters={"role": "master"}) == []
    remove_victim()
    assert listed() == ["ClusterNotFound", f"Cluster {uuid_} could not be found."]
