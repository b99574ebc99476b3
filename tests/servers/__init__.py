"""Servers that a test run starts for itself."""
