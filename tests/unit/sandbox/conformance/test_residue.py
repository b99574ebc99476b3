import socket
import subprocess
import sys
from pathlib import Path

from magnumlite.sandbox.conformance.residue import Residue


def test_what_came_is_told_and_what_was_there_is_not(tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    (temporary / "a").mkdir(parents=True)
    (temporary / "a" / "old").touch()
    here = socket.socket()
    before = Residue.take(temporary, tmp_path, {1: "old"})

    (temporary / "a" / "new").touch()
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    made = socket.socket()
    try:
        left = Residue.take(temporary, tmp_path, {1: "old", 2: "new"}).beyond(before)
    finally:
        child.communicate()
        made.close()
        here.close()

    assert left.files == {"a/new"}
    assert left.threads == {2: "new"}
    assert child.pid in left.children
    assert [t for t in left.descriptors.values() if t.startswith("socket:")]
    assert len([t for t in left.descriptors.values() if t.startswith("socket:")]) == 1


def test_what_the_house_has_open_is_not_the_drivers(tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    before = Residue.take(temporary, tmp_path, {})
    with open(tmp_path / "magnum.sqlite", "w"), open(temporary / "kubeconfig", "w"):
        left = Residue.take(temporary, tmp_path, {}).beyond(before)
    assert sorted(left.descriptors.values()) == [str(temporary / "kubeconfig")]


def test_without_proc_there_are_files_only(tmp_path: Path, monkeypatch: object) -> None:
    from magnumlite.sandbox.conformance import residue

    monkeypatch.setattr(residue, "_PROC", tmp_path / "none")  # type: ignore[attr-defined]
    (tmp_path / "f").touch()
    taken = Residue.take(tmp_path, tmp_path, {})
    assert (taken.descriptors, taken.children, taken.files) == ({}, {}, {"f"})
