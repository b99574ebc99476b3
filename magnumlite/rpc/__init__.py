"""Requests over the broker: server, client, serializers, replies that come later."""
