"""Cluster drivers: the interface, which driver serves a cluster, monitors and scale managers."""
