"""The operator libraries that an import loads, and their operators in PyTorch."""

import itertools

import pytest

torch = pytest.importorskip("torch")

LLM = "executorch.extension.llm.custom_ops.custom_ops"
QUANTIZED = "executorch.kernels.quantized"

ATTEND = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
import torch
q, k, v = (torch.randn(1, 2, 4, 8) for _ in range(3))
caches = torch.zeros(1, 6, 4, 8), torch.zeros(1, 6, 4, 8)
out = torch.ops.llama.sdpa_with_kv_cache(q, k, v, *caches, 1, 2, None, 0.0, True)
assert torch.equal(caches[0][:, 1:3], k) and torch.equal(caches[1][:, 1:3], v)
seen = torch.arange(3) <= 1 + torch.arange(2)[:, None]
heads = (t.transpose(1, 2) for t in (q, caches[0][:, :3], caches[1][:, :3]))
expected = torch.nn.functional.scaled_dot_product_attention(*heads, attn_mask=seen).transpose(1, 2)
torch.testing.assert_close(out, expected)
from executorch.extension.pybindings import portable_lib
names = portable_lib._get_operator_names()
assert len(names) == len(set(names)) and "llama::sdpa_with_kv_cache.out" in names
"""


@pytest.mark.parametrize("order", list(itertools.permutations([LLM, "executorch.extension.pybindings.portable_lib"])))
def test_torch_has_the_llm_operators_in_any_order_of_imports(order, run_python):
    run_python(ATTEND, *order)


QUANTIZE = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
import torch
x = torch.tensor([[-1.0, 0.3, 2.0]])
q = torch.ops.quantized_decomposed.quantize_per_tensor(x, 0.1, 3, -128, 127, torch.int8)
out = torch.empty_like(q)
torch.ops.quantized_decomposed.quantize_per_tensor.out(x, 0.1, 3, -128, 127, torch.int8, out=out)
assert torch.equal(q, out) and out.tolist() == [[-7, 6, 23]]
weight = torch.tensor([[0x1F, 0x80]], dtype=torch.uint8)
rows = torch.ops.quantized_decomposed.embedding_4bit.dtype(weight, torch.tensor([2.0]), None, -8, 7, torch.tensor([0]), dtype=torch.float16)
assert rows.dtype == torch.float16 and rows.tolist() == [[-14.0, 14.0, 0.0, -16.0]]
"""


@pytest.mark.parametrize("order", list(itertools.permutations([QUANTIZED, "torch.ao.quantization.fx._decomposed"])))
def test_torch_has_the_quantised_operators_beside_its_own(order, run_python):
    run_python(QUANTIZE, *order)


WITHOUT_TORCH = """
import importlib, sys
sys.modules["torch"] = None
importlib.import_module(sys.argv[1])
importlib.import_module(sys.argv[1])
from executorch.runtime import Runtime
assert sys.argv[2] in Runtime.get().operator_registry.operator_names
"""


@pytest.mark.parametrize(
    "module, operator",
    [(LLM, "llama::custom_sdpa.out"), (LLM, "preprocess::tile_crop.out"), (QUANTIZED, "quantized_decomposed::add.out")],
)
def test_operators_without_torch(module, operator, run_python):
    run_python(WITHOUT_TORCH, module, operator)


TILES = """
import importlib, sys
importlib.import_module("executorch.extension.llm.custom_ops." + sys.argv[1])
import torch
x = torch.arange(3 * 4 * 6.0).reshape(3, 4, 6)
expected = x.reshape(3, 2, 2, 3, 2).permute(1, 3, 0, 2, 4).reshape(6, 3, 2, 2)
out = torch.empty(0)
assert torch.equal(torch.ops.preprocess.tile_crop(x, 2), expected)
assert torch.equal(torch.ops.preprocess.tile_crop.out(x, 2, out=out), expected) and torch.equal(out, expected)
assert torch.equal(torch.ops.llama.fallback(x), x)
"""


@pytest.mark.parametrize("module", ["preprocess_custom_ops", "op_tile_crop_aot", "op_fallback"])
def test_modules_of_single_operators_define_them(module, run_python):
    run_python(TILES, module)


def test_no_library_is_loaded_unasked(run_python):
    code = """
from executorch.runtime import Runtime
names = Runtime.get().operator_registry.operator_names
print([name for name in names if name.startswith(("quantized_decomposed::", "llama::", "preprocess::"))])
"""
    assert run_python(code).strip() == "[]"


@pytest.fixture(scope="module")
def llama():
    import executorch.extension.llm.custom_ops.custom_ops  # noqa: F401

    return torch.ops.llama


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_prefill_in_pieces_gives_the_same(llama, dtype):
    """Token by token, in chunks and at once."""
    length, heads, key_heads, numbers = 70, 8, 2, 32
    torch.manual_seed(0)
    query = torch.randn(1, length, heads, numbers).to(dtype)
    key, value = (torch.randn(1, length, key_heads, numbers).to(dtype) for _ in range(2))

    def run(chunk: int) -> torch.Tensor:
        caches = [torch.zeros(1, length + 3, key_heads, numbers, dtype=dtype) for _ in range(2)]
        outs = []
        for start in range(0, length, chunk):
            q, k, v = (t[:, start : start + chunk].contiguous() for t in (query, key, value))
            outs.append(llama.sdpa_with_kv_cache(q, k, v, *caches, start, q.shape[1], None, 0.0, True, None))
        return torch.cat(outs, 1)

    whole = run(length)
    for chunk in (1, 7, 32):
        torch.testing.assert_close(run(chunk), whole)


def test_ring_cache(llama):
    """Rows beyond the cache's end replace the oldest."""
    cache = torch.zeros(1, 4, 1, 2)
    rows = torch.arange(12.0).reshape(1, 6, 1, 2)
    for start, count in ((0, 3), (3, 2), (5, 1)):
        indices = (torch.arange(start, start + count) % 4)[None]
        llama.update_cache_with_indices(rows[:, start : start + count].contiguous(), cache, start, indices)
    assert torch.equal(cache[0, :, 0, 0], rows[0, [4, 5, 2, 3], 0, 0])


def test_meta_tensors_have_the_shapes_of_results(llama):
    import executorch.kernels.quantized  # noqa: F401

    def meta(*shape, dtype=torch.float32):
        return torch.empty(shape, dtype=dtype, device="meta")

    q, cache = meta(1, 2, 4, 8), meta(1, 6, 2, 8)
    assert llama.custom_sdpa(q, cache, cache, 0).shape == q.shape
    assert torch.ops.preprocess.tile_crop(meta(3, 4, 6), 2).shape == (6, 3, 2, 2)
    out, state = llama.gated_delta_rule(
        meta(1, 4, 5, 3), meta(1, 2, 5, 3), meta(1, 2, 5, 6), meta(1, 2, 5), meta(1, 2, 5), meta(1, 2, 3, 6)
    )
    assert out.shape == (1, 4, 5, 6) and state.shape == (1, 2, 3, 6)
    weight = meta(9, 4, dtype=torch.uint8)
    rows = torch.ops.quantized_decomposed.embedding_2bit(weight, meta(9), None, -2, 1, meta(5, dtype=torch.int64))
    assert rows.shape == (5, 16) and rows.device.type == "meta"


def test_refusals_reach_the_caller(llama):
    q, cache = torch.zeros(1, 2, 1, 4), torch.zeros(1, 4, 1, 4)
    with pytest.raises(RuntimeError, match="start_pos.*look beyond the 4 positions"):
        llama.custom_sdpa(q, cache, cache, 3)
