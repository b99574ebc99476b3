"""The changes: what each kind of operation reads, saves and calls (see conductor.operation)."""
