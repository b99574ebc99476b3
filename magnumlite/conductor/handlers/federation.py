"""Federations: accepted by the API, implemented by no conductor (specification)."""

from __future__ import annotations

from typing import Any

_NONE = "Federations are not implemented by the conductor"


class FederationHandler:
    """The federation endpoint."""

    def federation_create(self, context: Any, federation: Any, create_timeout: int | None) -> None:
        """Refuse.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(_NONE)

    def federation_update(self, context: Any, federation: Any, rollback: bool = False) -> None:
        """Refuse.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(_NONE)

    def federation_delete(self, context: Any, uuid: str) -> None:
        """Refuse.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(_NONE)
