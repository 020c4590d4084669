"""Families of models of transformers, with random weights: who is active is what hooks on the models say.

In an environment of its own: ``pip install torch transformers pytest pytest-timeout .``, then ``pytest
tests/frameworks``.
"""

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from sparse_meter import measure, watch  # noqa: E402
from tests.frameworks.test_idioms import assert_counts  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
SMALL = {"vocab_size": 60, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 40}
HEADS = SMALL | {"num_key_value_heads": 2}
T5 = {
    "vocab_size": 60,
    "d_model": 16,
    "d_kv": 8,
    "d_ff": 40,
    "num_layers": 2,
    "num_heads": 2,
    "decoder_start_token_id": 0,
}
BART = {"vocab_size": 60, "d_model": 16, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 2,
        "decoder_attention_heads": 2, "encoder_ffn_dim": 40, "decoder_ffn_dim": 40}  # fmt: skip
IMAGE = {"image_size": 32, "patch_size": 8, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
         "intermediate_size": 40}  # fmt: skip
# The class, its options, the end of the names of the maps that read hidden layers, the size above which one is active.
DENSE = {
    "Llama": ("Llama", HEADS, "down_proj", 0.01), "Mistral": ("Mistral", HEADS, "down_proj", 0.01),
    "Qwen2": ("Qwen2", HEADS, "down_proj", 0.01), "Gemma2": ("Gemma2", HEADS | {"head_dim": 8}, "down_proj", 0.01),
    "Phi3": ("Phi3", HEADS | {"pad_token_id": 0}, "down_proj", 0.01), "Phi": ("Phi", SMALL, "fc2", 0.01),
    "Llama with relu": ("Llama", HEADS | {"hidden_act": "relu"}, "down_proj", 0),
    "OPT": ("OPT", SMALL | {"ffn_dim": 40, "word_embed_proj_dim": 16}, "fc2", 0),
    "GPT-2": ("GPT2", {"vocab_size": 60, "n_embd": 16, "n_layer": 2, "n_head": 2, "n_inner": 40}, "mlp.c_proj", 0.01),
    "NeoX": ("GPTNeoX", SMALL, "dense_4h_to_h", 0.01), "Bert": ("Bert", SMALL, "output.dense", 0.01),
    "Roberta": ("Roberta", SMALL, "output.dense", 0.01), "Nemotron": ("Nemotron", HEADS, "down_proj", 0),
    "Persimmon": ("Persimmon", SMALL, "dense_4h_to_h", 0), "Falcon": ("Falcon", SMALL, "dense_4h_to_h", 0.01),
    "Bloom": ("Bloom", {"vocab_size": 60, "hidden_size": 16, "n_layer": 2, "n_head": 2}, "dense_4h_to_h", 0.01),
    "MPT": ("Mpt", {"vocab_size": 60, "d_model": 16, "n_heads": 2, "n_layers": 2}, "down_proj", 0.01),
    "DistilBert": ("DistilBert", {"vocab_size": 60, "dim": 16, "hidden_dim": 40, "n_layers": 2, "n_heads": 2},
                   "lin2", 0.01),
    "Deberta": ("DebertaV2", SMALL, "output.dense", 0.01),
    "ConvBert": ("ConvBert", SMALL | {"head_ratio": 1}, "output.dense", 0.01),
    "ModernBert": ("ModernBert", SMALL | {"pad_token_id": 0}, "mlp.Wo", 0.01),
    "StarCoder": ("Starcoder2", HEADS, "c_proj", 0.01),
    "Stable": ("StableLm", HEADS, "down_proj", 0.01), "Olmo": ("Olmo2", HEADS, "down_proj", 0.01),
    "Cohere": ("Cohere", HEADS, "down_proj", 0.01), "Electra": ("Electra", SMALL, "output.dense", 0.01),
}  # fmt: skip


def hooked(model, ends):
    """What the maps read whose names end so, in order, and the names."""
    saved = {}
    for name, part in model.named_modules():
        if f".{name}".endswith(f".{ends}") and "attention" not in name.split(".")[-3:] and "attn" not in name:
            part.register_forward_pre_hook(
                lambda part, args, name=name: saved.setdefault(name, []).append(args[0].detach())
            )
    return saved


def readers(found, names):
    """The layers that linear maps of these names read, in the order in which the model ran."""
    read = {
        key: next((name for name in names if f"read by {name}," in one.notes[0]), None) for key, one in found.items()
    }
    return {name: found[key] for key, name in read.items() if name is not None}


@pytest.mark.parametrize("name", DENSE)
def test_a_dense_family_with_padding(name):
    kind, options, ends, above = DENSE[name]
    torch.manual_seed(0)
    model = getattr(transformers, f"{kind}Model")(getattr(transformers, f"{kind}Config")(**options)).eval()
    tokens = torch.randint(3, 60, (3, 9))
    mask = torch.ones_like(tokens)
    mask[1, 6:] = 0
    found = measure(model, {"input_ids": tokens, "attention_mask": mask})
    saved = hooked(model, ends)
    with torch.no_grad():
        model(input_ids=tokens, attention_mask=mask)
    assert len(saved) == 2
    shown = readers(found, saved)
    assert list(shown) == list(saved), (list(found), list(saved))
    for key, (A,) in saved.items():
        A = A.reshape(*tokens.shape, -1)[mask.bool()] if A.shape[:-1].numel() == tokens.numel() else A
        assert_counts(shown[key], A.abs() > above)


@pytest.mark.parametrize("kind", ["T5", "MT5", "Bart", "Whisper"])
def test_an_encoder_and_a_decoder(kind):
    torch.manual_seed(0)
    mask = torch.ones(3, 9, dtype=torch.long)
    mask[1, 6:] = 0
    ids = torch.randint(3, 60, (3, 9))
    if "T5" in kind:
        given = {"input_ids": ids, "attention_mask": mask, "decoder_input_ids": ids}
        model, ends = getattr(transformers, f"{kind}Model")(getattr(transformers, f"{kind}Config")(**T5)), "wo"
    elif kind == "Bart":
        given = {"input_ids": ids, "attention_mask": mask, "decoder_input_ids": ids}
        model, ends = transformers.BartModel(transformers.BartConfig(**BART)), "fc2"
    else:
        options = BART | {"max_source_positions": 9, "num_mel_bins": 6, "pad_token_id": 0}
        model, ends = transformers.WhisperModel(transformers.WhisperConfig(**options)), "fc2"
        given = {"input_features": torch.randn(3, 6, 18), "decoder_input_ids": ids, "decoder_attention_mask": mask}
    model.eval()
    found = measure(model, given)
    saved = hooked(model, ends)
    with torch.no_grad():
        model(**given)
    assert len(saved) == 4
    for key, one in readers(found, saved).items():
        (A,) = saved[key]
        hidden = mask if key.startswith("decoder") == (kind == "Whisper") else torch.ones_like(mask)
        A = A.reshape(*hidden.shape, -1)[hidden.bool()]
        assert_counts(one, A.abs() > (0.01 if kind != "T5" else 0))


MIXTURES = {
    "Mixtral": HEADS | {"num_local_experts": 4, "num_experts_per_tok": 2},
    "Olmoe": HEADS | {"num_experts": 8, "num_experts_per_tok": 2, "pad_token_id": 0},
    "Qwen2Moe": HEADS | {"num_experts": 6, "num_experts_per_tok": 2, "moe_intermediate_size": 24,
                         "decoder_sparse_step": 1,
                         "shared_expert_intermediate_size": 32},
    "Qwen3Moe": HEADS | {"num_experts": 6, "num_experts_per_tok": 2, "moe_intermediate_size": 24, "head_dim": 8},
    "DeepseekV3": HEADS | {"n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 24, "n_group": 2,
                           "topk_group": 1, "first_k_dense_replace": 0, "q_lora_rank": 8, "kv_lora_rank": 8,
                           "qk_rope_head_dim": 4, "qk_nope_head_dim": 4, "v_head_dim": 8},
    "GptOss": HEADS | {"num_local_experts": 4, "num_experts_per_tok": 2, "head_dim": 8},
}  # fmt: skip


def by_hand(module, x, choice):
    """Who is active in experts, token by token, from their weights alone."""
    found = torch.zeros(len(x), module.num_experts, module.down_proj.shape[-1] if not hasattr(module, "alpha") else
                        module.down_proj.shape[1], dtype=torch.bool)  # fmt: skip
    for t, experts in enumerate(choice.tolist()):
        for e in experts:
            if hasattr(module, "alpha"):  # GPT-OSS
                a = module._apply_gate(x[t] @ module.gate_up_proj[e] + module.gate_up_proj_bias[e])
            else:
                gate, up = (module.gate_up_proj[e] @ x[t]).chunk(2)
                a = module.act_fn(gate) * up
            found[t, e] = a.abs() > 0.01
    return found.flatten(1)


@pytest.mark.parametrize("how", ["eager", "batched_mm", "grouped_mm"])
@pytest.mark.parametrize("kind", MIXTURES)
def test_a_mixture_of_experts(kind, how):
    torch.manual_seed(0)
    configuration = getattr(transformers, f"{kind}Config")(**MIXTURES[kind])
    configuration._experts_implementation = how
    model = getattr(transformers, f"{kind}Model")(configuration).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "experts" in name:
                parameter.normal_(0, 0.3)
    tokens = torch.randint(3, 60, (4, 12))
    found = measure(model, [tokens[:3], tokens[3:]])
    given = []
    for part in model.modules():
        if hasattr(part, "gate_up_proj") and hasattr(part, "num_experts") and part.gate_up_proj.ndim == 3:
            part.register_forward_pre_hook(
                lambda part, args, kwargs: given.append((part, *args, *kwargs.values())), with_kwargs=True
            )
    with torch.no_grad():
        model(tokens)
        truths = [by_hand(part, x.reshape(-1, 16), choice) for part, x, choice, *_ in given]
    rows = [one for name, one in found.items() if name.endswith("mlp.experts.down_proj")]
    assert len(rows) == len(truths) == 2, list(found)
    for one, A in zip(rows, truths, strict=True):
        assert one.inputs == len(A) == 48 and one.s == A.shape[1]
        assert abs(one.active_at - A.sum(0).numpy()).max() <= 1  # another order of the sums, near 0.01
        assert one.dead == int((A.sum(0) == 0).sum()) or how != "eager"
    if kind == "Qwen2Moe":
        assert [name for name in found if "shared" in name] == [
            f"layers.{i}.mlp.shared_expert.down_proj" for i in (0, 1)
        ]


def test_a_mixture_with_a_module_for_each_expert():
    torch.manual_seed(0)
    options = {"vocab_size": 60, "d_model": 16, "d_kv": 8, "d_ff": 40, "num_layers": 2, "num_sparse_encoder_layers": 1,
               "num_heads": 2, "num_experts": 4, "expert_capacity": 64}  # fmt: skip
    model = transformers.SwitchTransformersEncoderModel(transformers.SwitchTransformersConfig(**options)).eval()
    tokens = torch.randint(3, 60, (3, 16))
    found = measure(model, tokens)
    (experts,) = [part for part in model.modules() if type(part).__name__ == "SwitchTransformersExperts"]
    given = []
    experts.register_forward_pre_hook(lambda part, args: given.append(args))
    with torch.no_grad():
        model(tokens)
        x, choice, _ = given[0]
        H = torch.stack([torch.relu(experts[f"expert_{e}"].wi(x)) > 0 for e in range(4)], dim=1)
        A = (H & choice.reshape(48, 4, 1).bool()).flatten(1)
    (name,) = [name for name in found if ".*." in name]
    assert_counts(found[name], A)


def test_generate_is_watched():
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**HEADS)).eval()
    tokens = torch.randint(3, 60, (2, 7))
    saved = hooked(model, "down_proj")
    with watch(model) as seen:
        model.generate(tokens, max_new_tokens=5, do_sample=False, eos_token_id=None, pad_token_id=0)
    assert list(seen.layers) == list(saved)
    for name, parts in saved.items():
        A = torch.cat([part.reshape(-1, 40) for part in parts])
        assert_counts(seen.layers[name], A.abs() > 0.01)
        assert seen.layers[name].inputs == 2 * (7 + 4)


IMAGES = {
    "ViT": (IMAGE, "fc2"), "CLIPVision": (IMAGE, "fc2"), "Dinov2": (IMAGE, "fc2"),
    "ConvNext": ({"hidden_sizes": [8, 12, 16, 20], "depths": [1, 1, 1, 1]}, "pwconv2"),
}  # fmt: skip


@pytest.mark.parametrize("kind", IMAGES)
def test_a_family_for_images(kind):
    options, ends = IMAGES[kind]
    torch.manual_seed(0)
    model = getattr(transformers, f"{kind}Model")(getattr(transformers, f"{kind}Config")(**options)).eval()
    X = torch.randn(2, 3, 32, 32)
    found = measure(model, {"pixel_values": X})
    saved = hooked(model, ends)
    with torch.no_grad():
        model(pixel_values=X)
    shown = readers(found, saved)
    assert len(shown) == len(saved) >= 2
    for key, (A,) in saved.items():
        assert_counts(shown[key], A.abs() > 0.01)


CONVOLUTIONS = {
    "Bit": {"embedding_size": 8, "hidden_sizes": [16, 32, 32, 48], "depths": [1, 1, 1, 1], "num_groups": 4},
    "ResNet": {"embedding_size": 8, "hidden_sizes": [8, 12, 16, 20], "depths": [1, 1, 1, 1], "layer_type": "basic"},
    "MobileNetV2": {},
    "EfficientNet": {"width_coefficient": 0.25, "depth_coefficient": 0.3, "hidden_dim": 320}, "RegNet": {
        "embedding_size": 8, "hidden_sizes": [8, 16, 16, 24], "depths": [1, 1, 1, 1], "groups_width": 4},
}  # fmt: skip


@pytest.mark.parametrize("kind", CONVOLUTIONS)
def test_a_convolutional_family_has_channels_for_neurons(kind):
    torch.manual_seed(0)
    model = getattr(transformers, f"{kind}Model")(getattr(transformers, f"{kind}Config")(**CONVOLUTIONS[kind])).eval()
    X = torch.randn(2, 3, 48, 48)
    found = measure(model, {"pixel_values": X})
    saved = {}
    for name, part in model.named_modules():
        if type(part).__name__ in ("ReLU", "ReLU6", "SiLU", "SiLUActivation"):
            part.register_forward_hook(
                lambda part, args, output, name=name: saved.setdefault(name, []).append(output.clone())
            )
    with torch.no_grad():
        model(pixel_values=X)
    above = 0.01 if kind == "EfficientNet" else 0
    seen = [one for one in found.values() if one.images]
    wanted = [A for parts in saved.values() for A in parts if A.ndim == 4 and A.shape[-1] > 1]
    truth = sorted((A.shape[1], int((A.abs() > above).sum())) for A in wanted)
    assert truth and set(truth) <= {(one.s, int(one.active_at.sum())) for one in seen}


def test_the_latents_of_a_perceiver():
    torch.manual_seed(0)
    options = {"num_latents": 9, "d_latents": 32, "d_model": 24, "num_blocks": 1, "num_self_attends_per_block": 1}
    heads = {"num_self_attention_heads": 4, "num_cross_attention_heads": 4, "qk_channels": 32, "v_channels": 32}
    configuration = transformers.PerceiverConfig(**options, **heads, vocab_size=60, max_position_embeddings=9)
    mask = torch.ones(3, 9, dtype=torch.long)
    mask[1, 6:] = 0
    model = transformers.PerceiverForMaskedLM(configuration)
    found = measure(model, {"inputs": torch.randint(3, 60, (3, 9)), "attention_mask": mask})
    assert [one.inputs for one in found.values()] == [27, 27, 27] and not found.notes
