"""Ends: told to stop with work in hand, and killed with work waiting."""

import time
from typing import Any

from benchmarks.benches.creating import ready_to_create
from benchmarks.benchmark import benchmark, until
from benchmarks.figures import Figure, Target, at_most, exactly
from benchmarks.rig import Rig
from benchmarks.window import Window

#: Seconds without a change after which nothing more is expected.
STILL = 100


@benchmark(
    "stop: TERM while six driver calls of 4 s run",
    Figure("term_s", "TERM to exit", "s", at_most(6)),
    Figure("exit", "exit status", "", exactly(0)),
    Figure("handled", "creates finished", "", exactly(6)),
)
def stop(rig: Rig) -> dict[str, Any]:
    conductor, load = ready_to_create(rig, 6, bench_create=4)
    with Window(rig, conductor) as window:
        load.run()
        until(lambda: len(rig.driver_calls("create")) == 6, 30, 0.05)
        took, status = conductor.term(20)
    made = [call for series in rig.driver_calls("create").values() for call in series]
    return {
        "term_s": took,
        "exit": status,
        "calls_ended": sum(call.end is not None for call in made),
        "handled": rig.count("nodegroup", "stack_id IS NOT NULL") // 2,
        "log_errors": conductor.errors(),
        **window.noise,
    }


@benchmark(
    "kill: KILL of all processes when ten of 40 creates of 1 s have begun, then a start",
    Figure("final", "creates in a final state, or past the driver", "", Target(low=39)),
    Figure("stuck", "in progress for ever", "", exactly(0)),
    Figure("lost", "never accepted", "", at_most(1)),
    Figure("called_twice", "given to the driver twice", "", exactly(0)),
    Figure("final_s", "time until then", "s"),
)
def kill(rig: Rig) -> dict[str, Any]:
    count = rig.size(40, quick=20)
    conductor, load = ready_to_create(rig, count, bench_create=1)
    load.run()
    until(lambda: len(rig.driver_calls("create")) >= 10, 30, 0.02)
    conductor.kill()
    killed = time.time()
    again = rig.start()
    again.wait_ready()
    done, failed = "stack_id IS NOT NULL", "status = 'CREATE_FAILED'"
    # Not around the kill: nobody can tell how much CPU the killed processes have had.
    with Window(rig, again) as window:
        seen, since = -1, time.time()
        while (final := rig.count("cluster", f"{done} OR {failed}")) < count:
            if final != seen:
                seen, since = final, time.time()
            if time.time() > since + STILL:
                break
            time.sleep(0.3)
    return {
        "final": final,
        "final_s": time.time() - killed if final == count else None,
        "done": rig.count("cluster", done),
        "failed": rig.count("cluster", failed),
        "stuck": rig.count("cluster", f"NOT ({done} OR {failed})"),
        "lost": count - rig.count("cluster"),
        "called_twice": sum(len(series) > 1 for series in rig.driver_calls("create").values()),
        **window.noise,
    }
