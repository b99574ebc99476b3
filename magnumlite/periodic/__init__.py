"""The periodic tasks and what they drive: the parent process's side of the conductor.

A task of `tasks` only puts a key on a queue and returns, so the timer never waits for anything.
The key of a sweep runs its selection (`status`, `health`), and that puts one key a cluster on the
queue of the clusters.  `queue` runs one job a key on bounded threads; what it starts next and
where is decided by `schedule`, which knows neither threads nor clocks; `breaker` holds back a
group most of whose jobs hang.  A job reloads the row: a key is a hint that there may be work, it
is never the work itself.  The pattern is the work queue of Kubernetes' controller-runtime.

`heartbeat` keeps the row that magnum-api shows of this host, `recovery` ends what dead processes
left, `service` puts all of it together.
"""
