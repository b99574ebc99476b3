"""OpenStack clients, made per context, for drivers and for what deletes a cluster's leftovers."""
