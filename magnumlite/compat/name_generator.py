"""Names for clusters whose users give none; stands for magnum.common.name_generator."""

import secrets


class NameGenerator:
    """Makes names of a Greek letter and a number from 1 to 24."""

    letters = [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "iota",
        "kappa",
        "lambda",
        "mu",
        "nu",
        "xi",
        "omicron",
        "pi",
        "rho",
        "sigma",
        "tau",
        "upsilon",
        "phi",
        "chi",
        "psi",
        "omega",
    ]

    def generate(self) -> str:
        """Return a name such as 'kappa-23'."""
        return f"{secrets.choice(self.letters)}-{secrets.randbelow(24) + 1}"
