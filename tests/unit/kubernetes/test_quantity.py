import pytest

from magnumlite import exception
from magnumlite.kubernetes.quantity import get_k8s_quantity


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("500m", 0.5),
        ("1Ki", 1024.0),
        ("1.5Gi", 1.5 * 2**30),
        ("1G", 1e9),
        ("1E", 1e18),
        ("1P", 1e15),
        ("1e3", 1000.0),
        ("123e-2", 1.23),
        ("7", 7.0),
        (3, 3.0),
    ],
)
def test_recorded_quantities(text, number):
    assert get_k8s_quantity(text) == pytest.approx(number)


@pytest.mark.parametrize("text", ["", "1Z", "1p", "junk", "1 Gi", "Gi", "--1"])
def test_junk(text):
    with pytest.raises(exception.UnsupportedK8sQuantityFormat):
        get_k8s_quantity(text)
