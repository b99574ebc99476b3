"""Measures magnumlite and, beside it, magnum 23.0.0's own conductor: see docs/benchmarks.md.

`rig` is the ground that both are measured on, with a `conductor`, the `load` it gets, the `driver`
it calls and the `farm` of Kubernetes APIs it watches. `benches` holds one module for each topic;
each benchmark returns plain numbers, and its `figures` say which of them matter and what was to
be reached. `report` and `plot` tell.
"""
