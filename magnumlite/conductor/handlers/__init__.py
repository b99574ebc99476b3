"""The RPC endpoints: unpack the arguments, submit a change or read, return.

Signatures are those of contract/rpc.json (``endpoints``); the order of the endpoints too.
"""
