"""A driver that needs no cloud, and a small Kubernetes API for each of its clusters."""
