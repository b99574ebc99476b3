"""What a cluster's API can do wrong."""


class KubernetesError(Exception):
    """The cluster's API could not be asked, or did not answer as it should.

    `message` tells the cause in words that fit a health reason: it names the address and what
    failed, and holds no secrets.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
