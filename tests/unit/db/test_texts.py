import json

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from oslo_db import exception as db_exc
from sqlalchemy.dialects import mysql, sqlite

from magnumlite.db import engine, models, texts

# B37: whatever a driver says, its text can be saved.


@given(st.text(st.characters(), max_size=200), st.integers(60, 400))
def test_a_cut_text_fits_and_tells_what_is_missing(text, limit):
    text = texts.clean(text, None)
    cut = texts.cut(text, limit)
    assert len(cut.encode()) <= limit
    if len(text.encode()) <= limit:
        assert cut == text
    else:
        head, _, note = cut.rpartition("... [")
        assert text.startswith(head)
        assert note == f"{len(text) - len(head)} characters cut]"


@given(st.text())
def test_a_clean_text_is_storable_as_three_byte_utf8(text):
    cleaned = texts.clean(text, "utf8mb3")
    assert "\x00" not in cleaned
    assert all(len(character.encode()) <= 3 for character in cleaned)
    assert len(cleaned) == len(text)


@given(st.text())
def test_a_clean_text_is_storable_as_latin1(text):
    texts.clean(text, "latin1").encode("cp1252")


def test_what_is_storable_stays():
    assert texts.clean("Größe €\n", "latin1") == "Größe €\n"
    assert texts.clean("Größe 試", "utf8mb3") == "Größe 試"
    assert texts.clean("\U0001f680", None) == "\U0001f680"


def test_lone_surrogates_are_replaced():
    assert texts.clean("a\udc80b", None) == "a\ufffdb"


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=30), st.sampled_from(["True", "False", "ok", "x" * 2000])
    ),
    st.integers(150, 3000),
)
def test_a_cut_map_fits_and_counts(entries, limit):
    kept = texts.cut_map(entries, limit)
    assert len(json.dumps(kept)) <= limit
    if len(json.dumps(entries)) <= limit:
        assert kept == entries
    else:
        assert (
            kept.pop(texts.CUT_KEY) == f"{len(entries) - len(kept)} of {len(entries)} entries cut"
        )
        assert set(kept) <= set(entries)


def test_a_cut_map_keeps_what_is_wrong():
    entries = {f"node-{number:04}.Ready": "True" for number in range(3000)}
    entries["node-2999.Ready"] = "False"
    entries["api"] = "connection refused"
    kept = texts.cut_map(entries)
    assert kept["node-2999.Ready"] == "False"
    assert kept["api"] == "connection refused"
    assert len(kept) > 1000


@pytest.fixture
def cluster(database):
    def save(**values):
        with engine.writer() as session:
            session.add(models.Cluster(uuid="u", **values))
        with engine.reader() as session:
            return session.scalars(sa.select(models.Cluster)).one()

    return save


def test_reasons_are_cleaned_and_cut_on_save(cluster):
    row = cluster(
        status_reason="\x00" + "\U0001f680" * 100_000,
        health_status_reason={f"node-{number}.Ready": "True" for number in range(5000)},
    )
    assert row.status_reason.startswith("\ufffd\U0001f680")
    assert len(row.status_reason.encode()) <= texts.TEXT_BYTES
    assert texts.CUT_KEY in row.health_status_reason


def test_an_unknown_character_set_gets_ascii():
    """Until the character sets are learnt nothing is risked."""
    bound = texts.Reason("cluster").process_bind_param("ä", mysql.dialect())
    assert bound == "?"


def test_other_databases_hold_any_character():
    assert (
        texts.Reason("cluster").process_bind_param("\U0001f680", sqlite.dialect()) == "\U0001f680"
    )


@pytest.mark.parametrize("given", [None, {}])
def test_no_dict_is_the_empty_one(cluster, given):
    assert cluster(labels=given).labels == {}


def test_a_json_column_never_set_is_empty(cluster):
    assert cluster().labels == {}


def test_a_json_column_refuses_another_type(cluster):
    with pytest.raises(db_exc.DBError, match="JSONEncodedDict holds a dict"):
        cluster(labels=["a"])


def test_null_stays_none(database):
    with engine.writer() as session:
        session.execute(sa.text("INSERT INTO cluster (uuid) VALUES ('u')"))
    with engine.reader() as session:
        assert session.scalars(sa.select(models.Cluster)).one().labels is None
