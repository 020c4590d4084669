"""Networks from arrays and from what libraries keep: which are the neurons, and which sign the bias has.

PyTorch and Keras themselves are in ``tests/frameworks``; here are objects with their methods.
"""

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier, MLPRegressor

from sparse_core import SparseNetwork
from sparse_meter import as_network, explain, measure

RNG = np.random.default_rng(0)
W = RNG.standard_normal((5, 3))
BIAS = RNG.standard_normal(5)
U = RNG.standard_normal((2, 5))
X = RNG.standard_normal((30, 3))


class Tensor:
    """A tensor with a gradient, in bfloat16, elsewhere: NumPy may have it after detach, cpu and float only."""

    is_quantized = False

    def __init__(self, array, ready=()):
        self.array = np.asarray(array, np.float32)
        self.ready = ready
        self.shape = self.array.shape
        self.dtype = "torch.float32" if "float" in ready else "torch.bfloat16"

    def detach(self):
        return Tensor(self.array, (*self.ready, "detach"))

    def cpu(self):
        return Tensor(self.array, (*self.ready, "cpu"))

    def float(self):
        return Tensor(self.array, (*self.ready, "float"))

    def numpy(self):
        if self.ready != ("detach", "cpu", "float"):
            raise RuntimeError(f"Can't call numpy() on a tensor that was {self.ready}.")
        return self.array

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")


def test_tensors_are_detached_copied_to_the_processor_and_converted():
    tensors = Tensor(U), Tensor(W), Tensor(-BIAS)
    arrays = tuple(part.array for part in tensors)
    assert explain(tensors, Tensor(X), output=1).chains == explain(arrays, X.astype(np.float32), output=1).chains
    assert (
        measure(tensors, Tensor(X)).only.active_at.tolist()
        == measure(arrays, X.astype(np.float32)).only.active_at.tolist()
    )


def test_the_function_is_that_of_scikit_learn():
    y = X[:, 0] * X[:, 1]
    mlp = MLPRegressor(hidden_layer_sizes=(7,), solver="lbfgs", tol=0.1, max_iter=500, random_state=0).fit(X, y)
    known = as_network(mlp)
    net = known.net
    np.testing.assert_allclose(known(X), mlp.predict(X), atol=1e-12)
    wrong = SparseNetwork(net.u, net.W, -net.b)  # with the other sign of the bias it is another function
    assert np.abs(wrong(X) + mlp.intercepts_[1] - mlp.predict(X)).max() > 0.1


def fitted(sizes, **options):
    mlp = MLPClassifier(hidden_layer_sizes=sizes, solver="lbfgs", tol=1.0, max_iter=500, random_state=0, **options)
    return mlp.fit(X, 1 * (X[:, 0] > 0) + (X[:, 1] > 0))


REFUSED = {
    "several layers": (lambda: as_network(fitted((4, 6)), 0), "must have one hidden layer, not 2; measure counts each"),
    "several outputs": (
        lambda: as_network(fitted((4,))),
        r"'output' must be given: .* 3 outputs, .* classes \[0, 1, 2\]",
    ),
    "no such output": (lambda: as_network(([1, 1], [[1], [1]], [0, 0]), 1), "'output' must be at most 0, not 1"),
    "tanh": (lambda: as_network(fitted((4,), activation="tanh"), 0), "must have ReLU between its layers, not tanh"),
    "columns": (lambda: as_network((U, W.T, BIAS)), "one neuron in each row, not in each column as here"),
    "not fitted": (lambda: as_network(MLPClassifier()), "It must be fitted first"),
    "empty": (lambda: measure(([], np.ones((0, 2)), []), X), "'W' must have at least one row"),
    "ONNX": (lambda: measure(type("Session", (), {"get_providers": 0})(), X), r"ONNX, .* measure\(outputs, above=0\)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    call, words = REFUSED[name]
    with pytest.raises((ValueError, TypeError), match=words):
        call()
