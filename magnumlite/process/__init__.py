"""The processes of a conductor: how they start, live, reload and stop (DESIGN section 2).

The parent runs the periodic tasks. Before it has any thread or connection it forks the RPC
supervisor, which forks N workers; each worker consumes from the topic's queue. The parent takes
the signals and forwards them; the workers tell it through shared memory that they consume.
"""
