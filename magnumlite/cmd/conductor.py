"""magnumlite-conductor: the service (DESIGN section 2)."""

import sys

from magnumlite import compat, conf, exception
from magnumlite.conductor.service import Conductor
from magnumlite.conf import CONF
from magnumlite.periodic.service import Periodic
from magnumlite.process import announce, drain, needs, supervisor
from magnumlite.process.parent import Parent


def main(argv: list[str] | None = None) -> int:
    """Run a conductor host until it is told to stop; return the exit status.

    0: stopped as asked. 1: it could not start, a part failed, or running work was cut.
    """
    compat.install()
    try:
        conf.parse(sys.argv[1:] if argv is None else argv)
        workers = supervisor.workers()
        announce.start(CONF.host, workers)
    except exception.ConfigInvalid as error:
        print(f"magnumlite-conductor: {error}", file=sys.stderr)
        return 1
    parent = Parent(CONF.host, workers, check=needs.check, conductor=Conductor, periodic=Periodic)
    drain.leave(parent.run())


if __name__ == "__main__":
    sys.exit(main())
