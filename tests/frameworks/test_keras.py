"""Models of Keras, with the real library on any of its backends.

In an environment of its own: ``pip install keras torch pytest pytest-timeout hypothesis .``, then
``KERAS_BACKEND=torch pytest tests/frameworks/test_keras.py``.
"""

import numpy as np
import pytest

keras = pytest.importorskip("keras")

import sparse_meter  # noqa: E402  (after the line that may skip this file)

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Keras itself converts tensors in an old way
from sparse_meter import as_layer, files  # noqa: E402


@pytest.fixture
def model():
    keras.utils.set_random_seed(0)
    hidden = keras.layers.Dense(9, activation="relu", bias_initializer="random_normal")
    return keras.Sequential([keras.layers.Input((6,)), hidden, keras.layers.Dense(2)])


def test_a_model_its_weights_and_their_file(model, tmp_path):
    X = np.random.default_rng(0).standard_normal((50, 6)).astype(np.float32)
    part = keras.Model(model.inputs, model.layers[0].output)
    A = np.asarray(part.predict(X, verbose=0)) > 0
    np.savez(tmp_path / "net.npz", *model.get_weights())
    for network in (model, model.get_weights(), files.read(tmp_path / "net.npz")):
        assert sparse_meter.measure(network, X).active_at.tolist() == A.sum(axis=0).tolist()
    assert "The model has relu." in as_layer(model).notes
    values = np.asarray(model.predict(X, verbose=0))
    np.testing.assert_allclose(as_layer(model).network(1)(X), values[:, 1], atol=1e-5)


def test_a_file_of_keras_is_refused_with_what_to_do(model, tmp_path):
    model.save(tmp_path / "net.keras")
    with pytest.raises(ValueError, match=r"numpy.savez\('net.npz', \*model.get_weights\(\)\)"):
        files.read(tmp_path / "net.keras")


def test_whatever_stands_between_is_seen_and_graphs_are_refused():
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
    X = np.random.default_rng(0).standard_normal((50, 6)).astype(np.float32)
    A, B = (np.asarray(keras.Model(model.inputs, part.output).predict(X, verbose=0)) for part in (parts[2], parts[3]))
    found = sparse_meter.measure(model, X)
    assert list(found) == [parts[2].name, parts[3].name]
    assert found[parts[2].name].active_at.tolist() == (A != 0).sum(axis=0).tolist()
    assert abs(found[parts[3].name].active_at - (abs(B) > 0.01).sum(axis=0)).max() <= 1  # round-off at the threshold
    x = layers.Input((6,))
    h = layers.Dense(6, activation="relu")(x)
    with pytest.raises(ValueError, match="whose layers run one after the other"):
        sparse_meter.measure(keras.Model(x, layers.Dense(2)(layers.Add()([h, x]))), X)
