"""The classes of errors are magnum's (contract/exceptions.json)."""

import json
import pathlib
import re

import pytest

from magnumlite import exception

CLASSES = json.loads((pathlib.Path(__file__).parent / "data" / "exceptions.json").read_text())[
    "classes"
]

# Texts recorded on the wire and in the API's answers.
RECORDED = [
    (exception.ClusterNotFound, {"cluster": "c"}, "Cluster c could not be found."),
    (exception.NodeGroupNotFound, {"nodegroup": "n"}, "Nodegroup n could not be found."),
    (
        exception.QuotaNotFound,
        {"msg": "project_id p resource Cluster."},
        "Quota could not be found: project_id p resource Cluster.",
    ),
    (
        exception.NotSupported,
        {"operation": 'Upgrading a cluster when status is "CREATE_FAILED"'},
        'Upgrading a cluster when status is "CREATE_FAILED" is not supported.',
    ),
    (exception.InvalidCsr, {"csr": b"rubbish"}, "Received invalid csr b'rubbish'."),
    (
        exception.ClusterTemplateReferenced,
        {"clustertemplate": "t"},
        "ClusterTemplate t is referenced by one or multiple clusters.",
    ),
    (
        exception.PolicyNotAuthorized,
        {"action": "magnum-service:get_all"},
        "Policy doesn't allow magnum-service:get_all to be performed.",
    ),
    (
        exception.NodeGroupAlreadyExists,
        {"name": "extra", "cluster_id": "ng"},
        "A node group with name extra already exists in the cluster ng.",
    ),
    (
        exception.NodeGroupInvalidInput,
        {"attr": "max_node_count", "nodegroup": "extra", "expl": "why"},
        "max_node_count for extra is invalid (why).",
    ),
    (
        exception.ResourceLimitExceeded,
        {"msg": "You have reached it."},
        "Resource limit exceeded: You have reached it.",
    ),
    (
        exception.InvalidClusterTemplateForUpgrade,
        {"reason": "why"},
        "Cluster Template is not valid for upgrade: why",
    ),
    (exception.ClusterAPIAddressUnavailable, {}, "Cluster API address is not available yet"),
    (
        exception.DeletingDefaultNGNotSupported,
        {},
        "Deleting a default nodegroup is not supported.",
    ),
]


def test_all_classes_are_there() -> None:
    assert len(CLASSES) == 80
    assert [name for name in CLASSES if not hasattr(exception, name)] == []


@pytest.mark.parametrize("name", CLASSES)
def test_class_is_magnums(name: str) -> None:
    cls, facts = getattr(exception, name), CLASSES[name]
    assert [base.__name__ for base in cls.__bases__] == facts["bases"]
    assert [base.__name__ for base in cls.__mro__[1:-3]] == facts["mro"]
    assert cls.code == facts["code"]
    assert ("code" in vars(cls)) == facts["code_own"]
    assert ("message" in vars(cls)) == facts["message_own"]
    assert (cls.__module__, cls.__name__) == ("magnum.common.exception", name)


@pytest.mark.parametrize("name", sorted(CLASSES.keys() - {"ObjectError"}))
def test_template_takes_what_magnums_takes(name: str) -> None:
    found = dict(re.findall(r"%\((\w+)\)(\w)", getattr(exception, name).message))
    assert found == CLASSES[name]["placeholders"]


@pytest.mark.parametrize(("cls", "kwargs", "text"), RECORDED)
def test_text_is_as_recorded(
    cls: type[exception.MagnumException], kwargs: dict[str, object], text: str
) -> None:
    error = cls(**kwargs)
    assert error.args == (text,)
    assert str(error) == error.message == error.format_message() == text


def test_remote_error_tells_its_first_argument() -> None:
    remote = type("ClusterNotFound_Remote", (exception.ClusterNotFound,), {"__str__": lambda _: ""})
    assert remote("text").format_message() == "text"
