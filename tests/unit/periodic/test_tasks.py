import pytest

from magnumlite.periodic import tasks


@pytest.fixture
def asked():
    return []


def names(made):
    return dict(made._periodic_spacing)


def test_spacings_are_those_of_the_configuration(conf, asked):
    conf.set_override("interval", 7, "sync")
    assert names(tasks.sync_tasks(asked.append, 5)) == {
        "sync_cluster_status": 7,
        "sync_cluster_health_status": 5,
    }
    conf.set_override("interval", 8, "sync")
    assert names(tasks.sync_tasks(asked.append, 5))["sync_cluster_status"] == 8
    assert names(tasks.service_tasks(asked.append)) == {"update_magnum_service": 60}


def test_a_negative_spacing_switches_health_off(conf, asked):  # B09
    assert list(names(tasks.sync_tasks(asked.append, -1))) == ["sync_cluster_status"]


def test_classes_are_named_as_in_the_contract(conf, asked):
    made = [tasks.sync_tasks(asked.append, 5), tasks.service_tasks(asked.append)]
    assert [type(each).__name__ for each in made] == [
        "MagnumPeriodicTasks",
        "MagnumServicePeriodicTasks",
    ]


def test_all_run_at_once_and_only_ask(conf, asked):
    tasks.sync_tasks(asked.append, 5).run_periodic_tasks(None)
    assert asked == ["sync_cluster_status", "recovery", "sync_cluster_health_status"]
    asked.clear()
    made = tasks.service_tasks(asked.append)
    assert 0 < made.run_periodic_tasks(None) <= 60
    made.run_periodic_tasks(None)
    assert asked == ["update_magnum_service", "client_files"]


def test_a_task_that_raises_does_not_end_the_loop(conf, caplog):
    def broken(key):
        raise RuntimeError(key)

    made = tasks.sync_tasks(broken, 5)
    assert made.run_periodic_tasks(None) > 0
    assert "sync_cluster_status" in caplog.text
