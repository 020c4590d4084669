"""Transcoders and sparse autoencoders that SAELens has saved: who is active is what its ``encode`` says.

In an environment of its own: ``pip install sae-lens pytest pytest-timeout .``, then
``pytest tests/frameworks/test_saelens.py``.
"""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
sae_lens = pytest.importorskip("sae_lens")

import sparse_meter  # noqa: E402  (after the line that may skip this file)
from sparse_meter import files  # noqa: E402

N, S, M = 16, 90, 200
COMMON = {"d_in": N, "d_sae": S, "dtype": "float32", "device": "cpu"}
MODELS = {
    "transcoder": (sae_lens.Transcoder, sae_lens.TranscoderConfig, {"d_out": N, "apply_b_dec_to_input": False}),
    "skip transcoder": (
        sae_lens.SkipTranscoder,
        sae_lens.SkipTranscoderConfig,
        {"d_out": N, "apply_b_dec_to_input": False},
    ),
    "jumprelu transcoder": (
        sae_lens.JumpReLUTranscoder,
        sae_lens.JumpReLUTranscoderConfig,
        {"d_out": N, "apply_b_dec_to_input": False},
    ),
    "standard": (sae_lens.StandardSAE, sae_lens.StandardSAEConfig, {}),
    "decoder bias": (sae_lens.StandardSAE, sae_lens.StandardSAEConfig, {"apply_b_dec_to_input": True}),
    "jumprelu": (sae_lens.JumpReLUSAE, sae_lens.JumpReLUSAEConfig, {"apply_b_dec_to_input": False}),
    "topk": (sae_lens.TopKSAE, sae_lens.TopKSAEConfig, {"k": 7, "rescale_acts_by_decoder_norm": False}),
    "topk rescaled": (sae_lens.TopKSAE, sae_lens.TopKSAEConfig, {"k": 7, "rescale_acts_by_decoder_norm": True}),
}


def randomised(model):
    torch.manual_seed(0)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(torch.rand_like(parameter) if name == "threshold" else torch.randn_like(parameter))
    return model


@pytest.mark.parametrize("name", MODELS)
def test_who_is_active(name, tmp_path):
    kind, configuration, options = MODELS[name]
    model = randomised(kind(configuration(**COMMON, **options)))
    model.save_model(tmp_path)
    X = torch.randn(M, N)
    with torch.no_grad():
        A = (model.encode(X) > 0).numpy()
    found = sparse_meter.measure(files.read(tmp_path), X)
    assert found.active_at.tolist() == A.sum(axis=0).tolist()
    assert found.histogram.tolist() == np.bincount(A.sum(axis=1), minlength=S + 1).tolist()
    assert 0 < found.mean_active < S


def test_an_architecture_with_two_matrices_is_refused(tmp_path):
    model = randomised(sae_lens.GatedSAE(sae_lens.GatedSAEConfig(**COMMON)))
    model.save_model(tmp_path)
    with pytest.raises(ValueError, match="the architecture 'gated' is not read"):
        sparse_meter.as_layer(files.read(tmp_path))
