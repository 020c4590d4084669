"""Models of Keras, with the real library on any of its backends.

In an environment of its own: ``pip install keras torch pytest pytest-timeout hypothesis .``, then
``KERAS_BACKEND=torch pytest tests/frameworks/test_keras.py``.
"""

import numpy as np
import pytest

keras = pytest.importorskip("keras")

from sparse_meter import measure  # noqa: E402  (after the line that may skip this file)

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Keras itself converts tensors in an old way


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((50, 6)).astype(np.float32)


def output(model, part, X):
    return np.asarray(keras.Model(model.inputs, part.output).predict(X, verbose=0))


def assert_counts(found, A):
    assert found.inputs == len(A.reshape(-1, A.shape[-1]))
    assert found.active_at.tolist() == A.reshape(-1, A.shape[-1]).sum(axis=0).tolist()


def test_a_sequence_and_whatever_stands_between(X):
    keras.utils.set_random_seed(0)
    layers = keras.layers
    parts = [
        layers.Dense(9),
        layers.BatchNormalization(),
        layers.ReLU(),
        layers.Dense(8, activation="gelu"),
        layers.Dense(2),
    ]
    model = keras.Sequential([layers.Input((6,)), *parts])
    found = measure(model, X)
    assert list(found) == [parts[2].name, parts[3].name]
    assert_counts(found[parts[2].name], output(model, parts[2], X) != 0)
    B = abs(output(model, parts[3], X)) > 0.01
    assert abs(found[parts[3].name].active_at - B.sum(axis=0)).max() <= 1  # round-off at the threshold
    assert list(measure(model, X, layer=parts[3].name)) == [parts[3].name]


def test_a_graph_and_batches(X):
    keras.utils.set_random_seed(0)
    x = keras.layers.Input((6,))
    h = keras.layers.Dense(6, activation="relu")
    model = keras.Model(x, keras.layers.Dense(2)(keras.layers.Add()([h(x), x])))
    found = measure(model, [X[:20], X[20:]])
    assert_counts(found.only, output(model, h, X) > 0)
    with pytest.raises(ValueError, match="'layer' must name one of dense.*, not be 'nothing'"):
        measure(model, X, layer="nothing")


def test_what_is_inside_another_model_is_named(X):
    layers = keras.layers
    inner = keras.Sequential([layers.Input((6,)), layers.Dense(9, activation="relu"), layers.Dense(6)], name="inner")
    found = measure(keras.Sequential([layers.Input((6,)), inner, layers.ReLU(), layers.Dense(2)]), X)
    assert len(found) == 1 and found.notes == ("Not looked at: the layers in inner.",)
    with pytest.raises(ValueError, match="'network' must have a layer with an activation function"):
        measure(keras.Sequential([layers.Input((6,)), layers.Dense(2)]), X)
