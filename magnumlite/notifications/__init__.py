"""CADF notifications of what happens to clusters (contract/notifications.md)."""
