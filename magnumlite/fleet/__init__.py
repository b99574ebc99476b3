"""The fleet: which hosts are alive, and which of them sweeps a cluster.

Ownership only keeps hosts from polling the same cluster; it may be wrong for a moment, when a
host comes or goes. What keeps the rows right is claims and fences (DESIGN section 5, "Owner";
known defect B41).
"""
