#!/usr/bin/env python3
"""Models for tests/cuda/gpu.py, exported to CUDA programs with the original's exporter, in an environment that has it: PyTorch for CUDA,
Triton, executorch 1.5.1, torchao and transformers.

    gpu_models.py MODEL VARIANT FOLDER    writes model.pte, its weights (*.ptd), inputs.npz, expected.npz (eager) and times.json
    gpu_models.py --check                 builds and exports every model, without CUDA

Weights are random and seeded; nothing is downloaded.
"""

import json
import pathlib
import sys
import time

import numpy as np
import torch

#: int4: torchao's tiles for tensor cores, which call _weight_int4pack_mm; weight-only: nibbles, which Triton code unpacks.
VARIANTS = ("plain", "int4-tile-packed", "int4-weight-only")


class Add(torch.nn.Module):
    def forward(self, x, y):
        return x + y


class AddMul(torch.nn.Module):
    def forward(self, a, x, b):
        return torch.mm(a, x) + b


class Block(torch.nn.Module):
    """Of a residual network."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        conv = lambda i, o, size, step: [torch.nn.Conv2d(i, o, size, step, size // 2, bias=False), torch.nn.BatchNorm2d(o)]
        self.body = torch.nn.Sequential(*conv(inputs, outputs, 3, stride), torch.nn.ReLU(), *conv(outputs, outputs, 3, 1))
        same = stride == 1 and inputs == outputs
        self.shortcut = torch.nn.Identity() if same else torch.nn.Sequential(*conv(inputs, outputs, 1, stride))

    def forward(self, x):
        return torch.relu(self.body(x) + self.shortcut(x))


def resnet18():
    """He, Zhang, Ren, Sun, "Deep residual learning for image recognition", CVPR 2016."""
    stem = [torch.nn.Conv2d(3, 64, 7, 2, 3, bias=False), torch.nn.BatchNorm2d(64), torch.nn.ReLU(), torch.nn.MaxPool2d(3, 2, 1)]
    widths = [64, 64, 128, 256, 512]
    blocks = [Block(widths[i + n], widths[i + 1], 2 if i and not n else 1) for i in range(4) for n in range(2)]
    return torch.nn.Sequential(*stem, *blocks, torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(512, 1000))


class Outputs(torch.nn.Module):
    """One tensor of what a model of transformers returns, by position of its inputs."""

    def __init__(self, model, names, output):
        super().__init__()
        self.model, self.names, self.output = model, names, output

    def forward(self, *inputs):
        return self.model(**dict(zip(self.names, inputs)), use_cache=False)[self.output]


def whisper():
    from transformers import WhisperConfig, WhisperForConditionalGeneration

    config = WhisperConfig(vocab_size=1024, num_mel_bins=80, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
                           decoder_attention_heads=4, encoder_ffn_dim=512, decoder_ffn_dim=512, d_model=256, max_source_positions=1500,
                           pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)  # fmt: skip
    model = Outputs(WhisperForConditionalGeneration(config), ("input_features", "decoder_input_ids"), "logits")
    return model, (torch.randn(1, 80, 3000), torch.randint(3, 1024, (1, 16)))


def gemma3():
    from transformers import Gemma3ForCausalLM, Gemma3TextConfig

    config = Gemma3TextConfig(vocab_size=2048, hidden_size=256, intermediate_size=1024, num_hidden_layers=4, num_attention_heads=4,
                              num_key_value_heads=1, head_dim=64, sliding_window=32)  # fmt: skip
    return Outputs(Gemma3ForCausalLM(config), ("input_ids",), "logits"), (torch.randint(3, 2048, (1, 48)),)


def voxtral():
    """Its language model over its audio encoder's embeddings: the part that decodes."""
    from transformers import LlamaConfig, LlamaForCausalLM, VoxtralEncoder, VoxtralEncoderConfig

    class Voxtral(torch.nn.Module):
        def __init__(self):
            super().__init__()
            audio = VoxtralEncoderConfig(hidden_size=256, intermediate_size=512, num_hidden_layers=2, num_attention_heads=4,
                                         num_mel_bins=128, max_source_positions=1500)  # fmt: skip
            text = LlamaConfig(vocab_size=2048, hidden_size=256, intermediate_size=512, num_hidden_layers=2, num_attention_heads=4,
                               num_key_value_heads=2)  # fmt: skip
            self.encoder, self.decoder = VoxtralEncoder(audio), LlamaForCausalLM(text)
            self.projector = torch.nn.Linear(4 * 256, 256)

        def forward(self, features):
            heard = self.encoder(features)[0]
            return self.decoder(inputs_embeds=self.projector(heard.reshape(1, -1, 4 * 256)), use_cache=False)["logits"]

    return Voxtral(), (torch.randn(1, 128, 3000),)


def simple(model, *inputs):
    return lambda: (model(), inputs)


MODELS = {
    "add": simple(Add, torch.randn(64, 64), torch.randn(64, 64)),
    "add_mul": simple(AddMul, torch.randn(64, 64), torch.randn(64, 64), torch.randn(64, 64)),
    "conv1d": simple(lambda: torch.nn.Conv1d(16, 32, 5, padding=2), torch.randn(2, 16, 128)),
    "linear": simple(lambda: torch.nn.Linear(512, 256), torch.randn(4, 512)),
    "resnet18": simple(resnet18, torch.randn(1, 3, 224, 224)),
    "whisper": whisper,
    "gemma3": gemma3,
    "voxtral": voxtral,
}


def quantizable(model) -> bool:
    """Whether there is a linear layer whose rows are whole groups and tiles."""
    return any(isinstance(part, torch.nn.Linear) and part.in_features % 256 == 0 and part.out_features % 8 == 0 for part in model.modules())


def make(name: str):
    torch.manual_seed(7)
    model, inputs = MODELS[name]()
    return model.eval(), inputs


def quantize(model, variant: str):
    from torchao.quantization import Int4WeightOnlyConfig, quantize_

    packing = {"int4-tile-packed": "tile_packed_to_4d", "int4-weight-only": "plain"}[variant]
    chosen = lambda part, _: isinstance(part, torch.nn.Linear) and part.in_features % 256 == 0 and part.out_features % 8 == 0
    quantize_(model, Int4WeightOnlyConfig(group_size=128, int4_packing_format=packing), filter_fn=chosen)


def seconds_per_run(run, seconds=1.0) -> float:
    for _ in range(5):
        run()
    torch.cuda.synchronize()
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        run()
        torch.cuda.synchronize()
        count += 1
    return (time.perf_counter() - start) / count


def export(name: str, variant: str, folder: pathlib.Path) -> None:
    from executorch.backends.cuda.cuda_backend import CudaBackend
    from executorch.backends.cuda.cuda_partitioner import CudaPartitioner
    from executorch.exir import ExecutorchBackendConfig, to_edge_transform_and_lower

    model, inputs = make(name)
    # Half types are what these kernels are for.
    dtype = torch.float32 if variant == "plain" and name in ("add", "add_mul", "conv1d", "linear") else torch.bfloat16
    model = model.to("cuda", dtype)
    inputs = tuple(value.to("cuda", dtype if value.is_floating_point() else value.dtype) for value in inputs)
    if variant != "plain":
        quantize(model, variant)
    with torch.no_grad():
        expected = model(*inputs)
        eager = seconds_per_run(lambda: model(*inputs))
        start = time.perf_counter()
        program = torch.export.export(model, inputs, strict=False)
        partitioner = CudaPartitioner([CudaBackend.generate_method_name_compile_spec("forward")])
        lowered = to_edge_transform_and_lower(program, partitioner=[partitioner])
    result = lowered.to_executorch(ExecutorchBackendConfig(enable_non_cpu_memory_planning=True))
    (folder / "model.pte").write_bytes(result.buffer)
    result.write_tensor_data_to_file(str(folder))
    # numpy has no bfloat16: the bits, with the type beside them.
    save = lambda value: value.detach().cpu().view(torch.int16).numpy() if value.dtype == torch.bfloat16 else value.detach().cpu().numpy()
    np.savez(folder / "inputs.npz", *map(save, inputs))
    np.savez(folder / "expected.npz", expected.detach().float().cpu().numpy())
    times = {"eager": eager, "compile": time.perf_counter() - start, "bfloat16": [value.dtype == torch.bfloat16 for value in inputs]}
    (folder / "times.json").write_text(json.dumps(times))


def check() -> None:
    for name in MODELS:
        model, inputs = make(name)
        with torch.no_grad():
            shape = tuple(model(*inputs).shape)
            torch.export.export(model, inputs, strict=False)
        print(f"{name}: {shape}, {'quantizable' if quantizable(model) else 'no layer to quantize'}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        check()
    else:
        export(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]))
