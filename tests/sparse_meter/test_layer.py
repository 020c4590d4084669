"""Layers from arrays and from what frameworks keep: which are the neurons, and which sign the bias has.

PyTorch, Keras and SAELens themselves are in ``tests/frameworks``; here are objects with their methods.
"""

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier, MLPRegressor

from sparse_core import SparseNetwork
from sparse_core.network import training
from sparse_meter import Layer, as_layer, as_network, explain, measure

RNG = np.random.default_rng(0)
W = RNG.standard_normal((5, 3))
BIAS = RNG.standard_normal(5)
U = RNG.standard_normal((2, 5))
X = RNG.standard_normal((30, 3))


class Tensor:
    """A tensor with a gradient, in bfloat16, elsewhere: NumPy may have it after detach, cpu and float only."""

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


class Dense:
    def __init__(self, kernel, bias, activation):
        self.weights = [kernel, bias]
        self.activation = activation

    def get_weights(self):
        return self.weights


def relu(x):
    return x


def gelu(x):
    return x


class Model:
    def __init__(self, activation):
        self.layers = [Dense(W.T, BIAS, activation), Dense(U.T, np.zeros(2), gelu)]

    def get_weights(self):
        return [array for part in self.layers for array in part.get_weights()]

    def state_dict(self):  # on PyTorch, a model of Keras is a module as well
        return {"_kernel": self.layers[0].weights[0]}

    modules = state_dict


def assert_is_the_layer(found, rtol=0.0):
    np.testing.assert_allclose(found.W, W, rtol=rtol)
    np.testing.assert_allclose(found.b, -BIAS, rtol=rtol)
    np.testing.assert_allclose(found.U, U, rtol=rtol)


def test_tensors_are_detached_copied_to_the_processor_and_converted():
    tensors = {"0.weight": Tensor(W), "0.bias": Tensor(BIAS), "2.weight": Tensor(U)}
    found = as_layer(tensors)
    assert_is_the_layer(found, 1e-6)
    assert found.W.dtype == np.float32 and found.notes[-1].endswith("ReLU is assumed (activation= names another).")
    assert explain(found, Tensor(X), output=1).chains == explain(found, X.astype(np.float32), output=1).chains
    assert measure(tensors, Tensor(X)).active_at.tolist() == measure(found, X.astype(np.float32)).active_at.tolist()


@pytest.mark.parametrize("activation, words", [(relu, "The model has relu."), (gelu, "The model has gelu.")])
def test_a_model_of_keras(activation, words):
    found = as_layer(Model(activation))
    assert_is_the_layer(found)
    assert any(words in note for note in found.notes) and any("as Keras does" in note for note in found.notes)
    assert_is_the_layer(as_layer(Model(relu).get_weights()))


def test_the_parameters_of_a_module_in_order():
    assert_is_the_layer(as_layer([W, BIAS, U, np.zeros(2)]))


def test_the_function_is_that_of_scikit_learn():
    y = X[:, 0] * X[:, 1]
    mlp = MLPRegressor(hidden_layer_sizes=(7,), solver="lbfgs", tol=0.1, max_iter=500, random_state=0).fit(X, y)
    known = as_network(mlp)
    net = known.net
    np.testing.assert_allclose(known(X), mlp.predict(X), atol=1e-12)
    wrong = SparseNetwork(net.u, net.W, -net.b)  # with the other sign of the bias it is another function
    assert np.abs(wrong(X) + mlp.intercepts_[1] - mlp.predict(X)).max() > 0.1


def test_one_of_several_layers_of_scikit_learn():
    sizes = {"hidden_layer_sizes": (4, 6), "solver": "lbfgs", "tol": 1.0, "max_iter": 500}
    mlp = MLPClassifier(**sizes, random_state=0).fit(X, X[:, 0] > 0)
    for read in (as_layer, as_network):
        with pytest.raises(ValueError, match="must name one of 2 hidden layers: 0 .4 neurons., 1 .6 neurons."):
            read(mlp)
    inner = np.maximum(X @ mlp.coefs_[0] + mlp.intercepts_[0], 0)
    A = inner @ mlp.coefs_[1] + mlp.intercepts_[1] > 0
    assert measure(mlp, X, layer="1").active_at.tolist() == A.sum(axis=0).tolist()


def test_the_hidden_layers_of_a_deep_network_are_measured_on_the_inputs_of_the_model():
    sizes = {"hidden_layer_sizes": (4, 6), "solver": "lbfgs", "tol": 1.0, "max_iter": 500}
    mlp = MLPClassifier(**sizes, random_state=0).fit(X, X[:, 0] > 0)
    first = np.maximum(X @ mlp.coefs_[0] + mlp.intercepts_[0], 0)
    second = np.maximum(first @ mlp.coefs_[1] + mlp.intercepts_[1], 0)
    arrays = [W.T for W in mlp.coefs_], [-b for b in mlp.intercepts_]
    for network in (mlp, training.Layered(*map(tuple, arrays))):
        for given in ([X[:10], X[10:]], iter([X[:20], X[20:]])):
            found = measure(network, given)
            for name, A in (("0", first), ("1", second)):
                assert found[name].active_at.tolist() == (A > 0).sum(axis=0).tolist()
        for given, layer in ((X, "2"), (iter([]), None)):
            with pytest.raises(ValueError, match="must have at least one row, and argument 'layer' name one of 0, 1 "):
                measure(network, given, layer=layer)


def test_a_network_of_training_is_one_of_the_paper():
    layered = training.Layered((W, U), (BIAS, np.zeros(2)))
    np.testing.assert_allclose(as_network(layered, 1)(X), layered(X)[:, 1])
    assert explain(layered, X, output=1).factors == explain(layered.score(1), X).factors


def test_a_network_so_small_that_no_loss_is_left_is_refused_by_its_name():
    with pytest.raises(ValueError, match="Argument 'network' must be larger, or argument 'eps' be given"):
        explain(([1e-80], [[1, 1]], [0]))
    assert explain(([1e-80], [[1, 1]], [0]), eps=1e-10).chains


SQUARE = np.eye(2)
REFUSED = {
    "either way": ([SQUARE, np.zeros(2), SQUARE, np.zeros(2)], "fit both ways of storing neurons"),
    "no way": ([W, np.zeros(4), U, np.zeros(2)], "do not fit together: pass Layer"),
    "not matrices": ([W, W, U, U], "Four arrays must be weights, biases, weights, biases"),
    "columns": ((U[0], W.T, BIAS), "one neuron in each row, not in each column .* pass W.T"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    source, words = REFUSED[name]
    with pytest.raises(ValueError, match=words):
        as_layer(source)


@pytest.mark.parametrize(
    "source, words", [(3, "not int"), ("a.pt", "A file is read by"), (MLPRegressor(), "fitted first")]
)
def test_what_is_no_network(source, words):
    with pytest.raises(TypeError, match=words):
        as_layer(source)


def test_only_relu_with_outputs_is_a_sparse_network():
    tanh = MLPRegressor(activation="tanh", hidden_layer_sizes=(2,), max_iter=999, tol=1.0).fit(X, X[:, 0])
    other = as_layer(tanh), as_layer(Model(gelu))
    for layer in (*other, Layer(W, BIAS), Layer(W, BIAS, U, up=W), Layer(W, BIAS, U, unit="relu2")):
        with pytest.raises(ValueError, match="Only a layer of ReLU with outputs is a SparseNetwork"):
            layer.network()
    shifted = Layer(W, BIAS, U, unit="shifted:0.5").network(1)
    assert np.allclose(shifted(X), np.maximum(X @ W.T - BIAS - 0.5, 0) @ U[1])


@pytest.mark.parametrize(
    "source",
    [
        {"0.weight": W, "0.bias": BIAS, "2.weight": U, "2.bias": np.array([3.0, 4.0])},
        {"h.c_fc.weight": W.T, "h.c_fc.bias": BIAS, "h.c_proj.weight": U.T, "h.c_proj.bias": np.array([3.0, 4.0])},
        [W, BIAS, U, np.array([3.0, 4.0])],
    ],
)
def test_the_bias_of_the_outputs_stands_beside_the_network(source):
    known = as_network(source, 1)
    np.testing.assert_allclose(known(X), np.maximum(X @ W.T + BIAS, 0) @ U[1] + 4)
    assert known.constant == 4 and known.notes == as_layer(source).notes
