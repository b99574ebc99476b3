"""A pytest plugin, for a driver's own tests: `magnum` is magnumlite from the start."""

from oslo_versionedobjects import test

from magnumlite import compat

compat.install()

# Its TestCase.tearDown() empties the test's __dict__; pytest then fails in `del case.name`.
test.TestCase.__delattr__ = lambda self, name: self.__dict__.pop(name, None)
