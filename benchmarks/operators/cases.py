"""The calls that operators.py times: each operator family at typical sizes, in several element types and layouts.

A case is (family, label, request), the request as worker.cpp reads it.
"""

SMALL, MEDIUM = "1024", "1024,1024"
FLOATS = ("f32", "f16", "bf16")


def t(dtype, sizes, low=-1.0, high=1.0, layout="c"):
    """An input of uniform numbers."""
    return f"t:{dtype}:{sizes}:{layout}:{low}:{high}"


def o(dtype, sizes, layout="c"):
    """An out."""
    return f"o:{dtype}:{sizes}:{layout}"


def ints(*values):
    return "I:" + ",".join(map(str, values))


def case(family, label, name, *arguments):
    return family, f"{name.split('::')[1].rsplit('.', 1)[0]} {label}", f"case {name} {' '.join(arguments)}"


def _numbers(dtype):
    """A range of numbers that suits most functions of this type."""
    return (0.1, 1.0) if dtype in FLOATS + ("f64",) else (1, 9)


def unary():
    plain = ["abs", "neg", "relu", "sqrt", "rsqrt", "exp", "log", "sigmoid", "tanh", "sin", "erf", "floor", "round", "reciprocal"]
    for name in plain:
        for dtype in FLOATS:
            for sizes in (SMALL, MEDIUM):
                yield case("unary", f"{dtype} {sizes}", f"aten::{name}.out", t(dtype, sizes, 0.1, 1.0), o(dtype, sizes))
    for dtype in FLOATS:
        for sizes in (SMALL, MEDIUM):
            x, out = t(dtype, sizes, -3, 3), o(dtype, sizes)
            yield case("unary", f"{dtype} {sizes}", "aten::gelu.out", x, "s:none", out)
            yield case("unary", f"tanh {dtype} {sizes}", "aten::gelu.out", x, "s:tanh", out)
            yield case("unary", f"{dtype} {sizes}", "aten::hardtanh.out", x, "d:-1", "d:1", out)
            yield case("unary", f"{dtype} {sizes}", "aten::leaky_relu.out", x, "d:0.01", out)
            yield case("unary", f"{dtype} {sizes}", "aten::elu.out", x, "d:1", "d:1", "d:1", out)
            yield case("unary", f"{dtype} {sizes}", "aten::clamp.out", x, "d:-1", "d:1", out)
            yield case("unary", f"{dtype} {sizes}", "aten::isnan.out", x, o("bool", sizes))
    for dtype in ("i32", "i64", "i8", "u8"):
        yield case("unary", f"{dtype} {MEDIUM}", "aten::bitwise_not.out", t(dtype, MEDIUM, 0, 9), o(dtype, MEDIUM))
        if dtype != "u8":
            yield case("unary", f"{dtype} {MEDIUM}", "aten::neg.out", t(dtype, MEDIUM, 0, 9), o(dtype, MEDIUM))
        yield case("unary", f"{dtype} {MEDIUM}", "aten::logical_not.out", t(dtype, MEDIUM, 0, 2), o("bool", MEDIUM))
        yield case("unary", f"{dtype} {MEDIUM} to f32", "aten::exp.out", t(dtype, MEDIUM, 0, 5), o("f32", MEDIUM))


def binary():
    dtypes = FLOATS + ("i32", "i64")
    for dtype in dtypes:
        low, high = _numbers(dtype)
        for sizes in (SMALL, MEDIUM):
            a, b, out, flag = t(dtype, sizes, low, high), t(dtype, sizes, low, high), o(dtype, sizes), o("bool", sizes)
            yield case("binary", f"{dtype} {sizes}", "aten::add.out", a, b, "i:1", out)
            yield case("binary", f"{dtype} {sizes}", "aten::sub.out", a, b, "i:1", out)
            yield case("binary", f"{dtype} {sizes}", "aten::mul.out", a, b, out)
            yield case("binary", f"{dtype} {sizes}", "aten::div.out", a, b, o(dtype if dtype in FLOATS else "f32", sizes))
            yield case("binary", f"floor {dtype} {sizes}", "aten::div.out_mode", a, b, "s:floor", out)
            yield case("binary", f"{dtype} {sizes}", "aten::maximum.out", a, b, out)
            yield case("binary", f"{dtype} {sizes}", "aten::remainder.Tensor_out", a, b, out)
            yield case("binary", f"{dtype} {sizes}", "aten::eq.Tensor_out", a, b, flag)
            yield case("binary", f"{dtype} {sizes}", "aten::le.Tensor_out", a, b, flag)
            yield case("binary", f"{dtype} {sizes}", "aten::pow.Tensor_Scalar_out", a, "i:2", out)
            yield case("binary", f"{dtype} {sizes}", "aten::where.self_out", t("bool", sizes, 0, 1), a, b, out)
            yield case("binary", f"scalar {dtype} {sizes}", "aten::mul.Scalar_out", a, "i:3", out)
    for dtype in FLOATS:
        row, column, matrix, out = (t(dtype, sizes) for sizes in ("1024", "1024,1", MEDIUM, MEDIUM))
        out = o(dtype, MEDIUM)
        yield case("binary", f"{dtype} row", "aten::add.out", matrix, row, "i:1", out)
        yield case("binary", f"{dtype} column", "aten::mul.out", matrix, column, out)
        yield case("binary", f"{dtype} row by column", "aten::add.out", row, column, "i:1", out)
        image = "1,64,128,128"
        yield case("binary", f"{dtype} channels-last", "aten::add.out", t(dtype, image, layout="n"), t(dtype, image, layout="n"),
                   "i:1", o(dtype, image, "n"))  # fmt: skip
    yield case("binary", "f32 by f16", "aten::mul.out", t("f32", MEDIUM), t("f16", MEDIUM), o("f32", MEDIUM))
    yield case("binary", "i32 by f32", "aten::add.out", t("i32", MEDIUM, 0, 9), t("f32", MEDIUM), "i:1", o("f32", MEDIUM))
    for name in ("and", "or", "xor"):
        yield case("binary", f"bool {MEDIUM}", f"aten::logical_{name}.out", t("bool", MEDIUM, 0, 1), t("bool", MEDIUM, 0, 1), o("bool", MEDIUM))
        yield case("binary", f"i32 {MEDIUM}", f"aten::bitwise_{name}.Tensor_out", t("i32", MEDIUM, 0, 99), t("i32", MEDIUM, 0, 99), o("i32", MEDIUM))


def reductions():
    for dtype in FLOATS:
        for sizes, rows, columns in (("32,32", "32", "32"), (MEDIUM, "1024", "1024"), ("64,128,768", "64,128", None)):
            x, last = t(dtype, sizes), ints(-1)
            yield case("reduction", f"last {dtype} {sizes}", "aten::sum.IntList_out", x, last, "b:0", "n", o(dtype, rows))
            yield case("reduction", f"last {dtype} {sizes}", "aten::mean.out", x, last, "b:0", "n", o(dtype, rows))
            yield case("reduction", f"last {dtype} {sizes}", "aten::amax.out", x, last, "b:0", o(dtype, rows))
            yield case("reduction", f"last {dtype} {sizes}", "aten::argmax.out", x, "i:-1", "b:0", o("i64", rows))
            yield case("reduction", f"last {dtype} {sizes}", "aten::max.dim_max", x, "i:-1", "b:0", o(dtype, rows), o("i64", rows))
            yield case("reduction", f"last {dtype} {sizes}", "aten::var.correction_out", x, last, "i:1", "b:0", o(dtype, rows))
            if columns:
                yield case("reduction", f"first {dtype} {sizes}", "aten::sum.IntList_out", x, ints(0), "b:0", "n", o(dtype, columns))
                yield case("reduction", f"first {dtype} {sizes}", "aten::amax.out", x, ints(0), "b:0", o(dtype, columns))
                yield case("reduction", f"last {dtype} {sizes}", "aten::cumsum.out", x, "i:-1", "n", o(dtype, sizes))
        yield case("reduction", f"spatial {dtype}", "aten::mean.out", t(dtype, "8,256,14,14"), ints(2, 3), "b:1", "n", o(dtype, "8,256,1,1"))
        yield case("reduction", f"{dtype} 32,32000", "aten::topk.values", t(dtype, "32,32000"), "i:10", "i:-1", "b:1", "b:1",
                   o(dtype, "32,10"), o("i64", "32,10"))  # fmt: skip
    for dtype in ("i32", "i64", "u8"):
        yield case("reduction", f"{dtype} {MEDIUM}", "aten::sum.IntList_out", t(dtype, MEDIUM, 0, 9), ints(-1), "b:0", "n", o("i64", "1024"))
        yield case("reduction", f"{dtype} {MEDIUM}", "aten::amax.out", t(dtype, MEDIUM, 0, 9), ints(-1), "b:0", o(dtype, "1024"))


def normalisation():
    for dtype in FLOATS:
        for sizes in ("1,1024", "8,12,128,128", "128,768"):
            x, out = t(dtype, sizes, -4, 4), o(dtype, sizes)
            yield case("norm", f"{dtype} {sizes}", "aten::_softmax.out", x, "i:-1", "b:0", out)
            yield case("norm", f"{dtype} {sizes}", "aten::_log_softmax.out", x, "i:-1", "b:0", out)
        yield case("norm", f"dim 1 {dtype}", "aten::_softmax.out", t(dtype, "8,64,1024", -4, 4), "i:1", "b:0", o(dtype, "8,64,1024"))
        for rows, width in ((1, 384), (128, 384), (197, 768)):
            sizes, statistic = f"{rows},{width}", f"{rows},1"
            yield case("norm", f"{dtype} {sizes}", "aten::native_layer_norm.out", t(dtype, sizes), ints(width), t(dtype, width),
                       t(dtype, width), "d:1e-5", o(dtype, sizes), o(dtype, statistic), o(dtype, statistic))  # fmt: skip
        yield case("norm", f"{dtype}", "aten::native_group_norm.out", t(dtype, "2,64,32,32"), t(dtype, "64"), t(dtype, "64"), "i:2",
                   "i:64", "i:1024", "i:8", "d:1e-5", o(dtype, "2,64,32,32"), o(dtype, "2,8"), o(dtype, "2,8"))  # fmt: skip
        yield case("norm", f"{dtype}", "aten::_native_batch_norm_legit_no_training.out", t(dtype, "1,64,56,56"), t(dtype, "64"),
                   t(dtype, "64"), t(dtype, "64"), t(dtype, "64", 0.5, 1.5), "d:0.1", "d:1e-5", o(dtype, "1,64,56,56"),
                   o(dtype, "0"), o(dtype, "0"))  # fmt: skip


def shapes():
    for dtype in ("f32", "f16", "i64", "u8"):
        x = t(dtype, MEDIUM, 0, 9)
        yield case("shape", dtype, "aten::permute_copy.out", x, ints(1, 0), o(dtype, MEDIUM))
        yield case("shape", f"heads {dtype}", "aten::permute_copy.out", t(dtype, "1,128,12,64", 0, 9), ints(0, 2, 1, 3), o(dtype, "1,12,128,64"))
        yield case("shape", f"last {dtype}", "aten::cat.out", f"l:{x}+{x}", "i:1", o(dtype, "1024,2048"))
        yield case("shape", f"first {dtype}", "aten::cat.out", f"l:{x}+{x}", "i:0", o(dtype, "2048,1024"))
        yield case("shape", dtype, "aten::stack.out", f"l:{x}+{x}", "i:2", o(dtype, "1024,1024,2"))
        yield case("shape", dtype, "aten::slice_copy.Tensor_out", x, "i:1", "i:10", "i:1000", "i:1", o(dtype, "1024,990"))
        yield case("shape", f"step {dtype}", "aten::slice_copy.Tensor_out", x, "i:1", "i:0", "i:1024", "i:2", o(dtype, "1024,512"))
        yield case("shape", dtype, "aten::select_copy.int_out", x, "i:1", "i:3", o(dtype, "1024"))
        yield case("shape", dtype, "aten::view_copy.out", x, ints(512, 2048), o(dtype, "512,2048"))
        yield case("shape", dtype, "aten::expand_copy.out", t(dtype, "1024,1", 0, 9), ints(1024, 1024), "b:0", o(dtype, MEDIUM))
        yield case("shape", dtype, "aten::repeat.out", t(dtype, "256,256", 0, 9), ints(4, 4), o(dtype, MEDIUM))
        yield case("shape", dtype, "aten::flip.out", x, ints(1), o(dtype, MEDIUM))
        yield case("shape", dtype, "aten::roll.out", x, ints(3), ints(1), o(dtype, MEDIUM))
        yield case("shape", dtype, "aten::tril.out", x, "i:0", o(dtype, MEDIUM))
        yield case("shape", dtype, "aten::constant_pad_nd.out", t(dtype, "64,126,126", 0, 9), ints(1, 1, 1, 1), "i:0", o(dtype, "64,128,128"))
        yield case("shape", f"{dtype} halves", "aten::split_copy.Tensor_out", x, "i:512", "i:1", f"l:{o(dtype, '1024,512')}+{o(dtype, '1024,512')}")
    for source, target in (("f32", "f16"), ("f16", "f32"), ("f32", "bf16"), ("f32", "i32"), ("i64", "f32"), ("u8", "f32"), ("bool", "f32")):
        yield case("shape", f"{source} to {target}", "aten::_to_copy.out", t(source, MEDIUM, 0, 9), "b:0", "n", o(target, MEDIUM))


def indexing():
    for dtype in ("f32", "f16", "i64"):
        x, out = t(dtype, MEDIUM, 0, 9), o(dtype, MEDIUM)
        rows = t("i64", "1024", 0, 1024)
        yield case("index", f"rows {dtype}", "aten::index_select.out", x, "i:0", rows, out)
        yield case("index", f"columns {dtype}", "aten::index_select.out", x, "i:1", rows, out)
        yield case("index", dtype, "aten::gather.out", x, "i:1", t("i64", MEDIUM, 0, 1024), "b:0", out)
        yield case("index", dtype, "aten::index.Tensor_out", x, f"x:{rows}", out)
        yield case("index", dtype, "aten::scatter.src_out", x, "i:1", t("i64", MEDIUM, 0, 1024), x, out)
        yield case("index", dtype, "aten::scatter_add.out", x, "i:1", t("i64", MEDIUM, 0, 1024), x, out)
        yield case("index", dtype, "aten::index_put.out", x, f"x:{rows}", x, "b:0", out)
        yield case("index", dtype, "aten::embedding.out", t(dtype, "32000,288", 0, 9), t("i64", "1,128", 0, 32000), "i:-1", "b:0", "b:0",
                   o(dtype, "1,128,288"))  # fmt: skip
        yield case("index", dtype, "aten::masked_fill.Scalar_out", x, t("bool", MEDIUM, 0, 1), "i:0", out)
        yield case("index", dtype, "aten::full.out", ints(1024, 1024), "i:3", out)
    yield case("index", "i64", "aten::arange.start_out", "i:0", "i:1048576", "i:1", o("i64", "1048576"))
    yield case("index", "f32", "aten::nonzero.out", t("bool", MEDIUM, 0, 1), o("i64", "1048576,2"))


def products():
    for dtype in FLOATS:
        for m, k, n in ((1, 288, 288), (1, 288, 32000), (64, 64, 64), (128, 384, 1536), (512, 512, 512), (1024, 1024, 1024)):
            a, b, out = t(dtype, f"{m},{k}"), t(dtype, f"{k},{n}"), o(dtype, f"{m},{n}")
            yield case("product", f"{dtype} {m}x{k}x{n}", "aten::mm.out", a, b, out)
            yield case("product", f"{dtype} {m}x{k}x{n}", "aten::linear.out", a, t(dtype, f"{n},{k}"), "n", out)
            if m * n * k < 2**28:
                yield case("product", f"{dtype} {m}x{k}x{n}", "aten::addmm.out", t(dtype, n), a, b, "i:1", "i:1", out)
        yield case("product", f"{dtype} heads", "aten::bmm.out", t(dtype, "12,128,64"), t(dtype, "12,64,128"), o(dtype, "12,128,128"))
        yield case("product", f"{dtype} thin", "aten::bmm.out", t(dtype, "12,1,64"), t(dtype, "12,64,128"), o(dtype, "12,1,128"))
    yield case("product", "i32 64x64x64", "aten::mm.out", t("i32", "64,64", 0, 9), t("i32", "64,64", 0, 9), o("i32", "64,64"))


def images():
    def convolution(dtype, image, weight, out, stride, padding, groups, layout="c"):
        arguments = (t(dtype, image, layout=layout), t(dtype, weight), t(dtype, weight.split(",")[0]), ints(stride, stride),
                     ints(padding, padding), ints(1, 1), "b:0", ints(0, 0), f"i:{groups}", o(dtype, out, layout))  # fmt: skip
        label = f"{dtype} {image} by {weight}" + (" channels-last" if layout == "n" else "")
        return case("image", label, "aten::convolution.out", *arguments)

    for dtype in FLOATS:
        for layout in ("c", "n"):
            yield convolution(dtype, "1,64,28,28", "64,64,3,3", "1,64,28,28", 1, 1, 1, layout)
            yield convolution(dtype, "1,96,28,28", "96,1,3,3", "1,96,28,28", 1, 1, 96, layout)
            yield convolution(dtype, "1,64,28,28", "128,64,1,1", "1,128,28,28", 1, 0, 1, layout)
        yield convolution(dtype, "1,3,64,64", "32,3,7,7", "1,32,32,32", 2, 3, 1)
        pool = (ints(3, 3), ints(2, 2), ints(1, 1))
        image, half = "1,64,56,56", "1,64,28,28"
        yield case("image", dtype, "aten::max_pool2d_with_indices.out", t(dtype, image), *pool, ints(1, 1), "b:0", o(dtype, half), o("i64", half))
        yield case("image", dtype, "aten::avg_pool2d.out", t(dtype, image), *pool, "b:0", "b:1", "n", o(dtype, half))
        yield case("image", dtype, "aten::_adaptive_avg_pool2d.out", t(dtype, image), ints(1, 1), o(dtype, "1,64,1,1"))
        double = "1,32,56,56"
        yield case("image", dtype, "aten::upsample_bilinear2d.vec_out", t(dtype, "1,32,28,28"), ints(56, 56), "b:0", "n", o(dtype, double))
        yield case("image", dtype, "aten::upsample_nearest2d.vec_out", t(dtype, "1,32,28,28"), ints(56, 56), "n", o(dtype, double))
        yield case("image", dtype, "aten::pixel_shuffle.out", t(dtype, "1,64,32,32"), "i:2", o(dtype, "1,16,64,64"))
        yield case("image", dtype, "aten::reflection_pad2d.out", t(dtype, "1,32,56,56"), ints(2, 2, 2, 2), o(dtype, "1,32,60,60"))


def all_cases():
    for family in (unary, binary, reductions, normalisation, shapes, indexing, products, images):
        yield from family()
