"""The journal: one row an accepted operation, from acceptance to its final event.

An operation is accepted in one transaction with what it creates, waits as a row, holds the claim
on its cluster while its driver call runs, is released when the call returns and finished when the
status sweep sees the final state (DESIGN section 4).  Order is the journal's id, fleet-wide; only
the head of a cluster's line may start.  All times are the database's.

`entries` writes rows, `claims` gives and takes the right to run, `lines` tells the sweep what is
open, `recovery` ends what dead processes left.
"""
