"""What a conductor does with a request: accept it, run it in its turn, see it to its end.

Data takes a straight way: message, handler, operation, driver, row, event.  A handler unpacks
its arguments into a Change and submits it; the intake writes the journal row; the pool runs the
operation when it is first in its cluster's line; `settle` ends it when the status sweep sees the
cluster's final state.
"""
