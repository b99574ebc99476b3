"""The real magnum-capi-helm from create to delete, with stand-ins for all that it talks to."""
