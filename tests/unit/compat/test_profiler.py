"""Tracing hooks do nothing."""

from magnumlite.compat import profiler


def test_a_traced_class_is_the_class_itself() -> None:
    class Traced:
        pass

    assert profiler.trace_cls("rpc")(Traced) is Traced
    profiler.setup("magnum-conductor", "host")
