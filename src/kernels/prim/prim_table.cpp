#include <executorch/runtime/kernel/operator_table.h>
#include <executorch/runtime/platform/log.h>

#include "kernels/prim/prim_ops.h"

namespace executorch {
namespace runtime {
namespace prim {

namespace {

constexpr OperatorRow kRows[] = {
    {"aten::sym_size.int", "(Tensor self, int dim) -> SymInt", call<sym_size, 3>},
    {"aten::sym_numel", "(Tensor self) -> SymInt", call<sym_numel, 2>},
    {"aten::_local_scalar_dense", "(Tensor self) -> Scalar", call<local_scalar_dense, 2>},
    {"executorch_prim::add.Scalar", "(Scalar a, Scalar b) -> Scalar", call<add, 3>},
    {"executorch_prim::sub.Scalar", "(Scalar a, Scalar b) -> Scalar", call<sub, 3>},
    {"executorch_prim::mul.Scalar", "(Scalar a, Scalar b) -> Scalar", call<mul, 3>},
    {"executorch_prim::floordiv.Scalar", "(Scalar a, Scalar b) -> Scalar", call<floordiv, 3>},
    {"executorch_prim::floordiv.int", "(SymInt a, SymInt b) -> SymInt", call<floordiv, 3>},
    {"executorch_prim::truediv.Scalar", "(Scalar a, Scalar b) -> Scalar", call<truediv, 3>},
    {"executorch_prim::mod.Scalar", "(Scalar a, Scalar b) -> Scalar", call<mod, 3>},
    {"executorch_prim::mod.int", "(SymInt a, SymInt b) -> SymInt", call<mod, 3>},
    {"executorch_prim::neg.Scalar", "(Scalar a) -> Scalar", call<neg, 2>},
    {"executorch_prim::eq.Scalar", "(Scalar a, Scalar b) -> bool", call<eq, 3>},
    {"executorch_prim::gt.Scalar", "(Scalar a, Scalar b) -> bool", call<gt, 3>},
    {"executorch_prim::lt.Scalar", "(Scalar a, Scalar b) -> bool", call<lt, 3>},
    {"executorch_prim::ge.Scalar", "(Scalar a, Scalar b) -> bool", call<ge, 3>},
    {"executorch_prim::le.Scalar", "(Scalar a, Scalar b) -> bool", call<le, 3>},
    {"executorch_prim::sym_max.Scalar", "(SymInt a, SymInt b) -> SymInt", call<sym_max, 3>},
    {"executorch_prim::sym_min.Scalar", "(SymInt a, SymInt b) -> SymInt", call<sym_min, 3>},
    {"executorch_prim::sym_float.Scalar", "(Scalar a) -> Scalar", call<sym_float, 2>},
    {"executorch_prim::sym_int.Scalar", "(Scalar a) -> SymInt", call<sym_int, 2>},
    {"executorch_prim::sym_not.Scalar", "(bool a) -> bool", call<sym_not, 2>},
    {"executorch_prim::sym_ite.Scalar", "(bool condition, Scalar a, Scalar b) -> Scalar",
     call<sym_ite, 4>},
    {"executorch_prim::ceil.Scalar", "(Scalar a) -> SymInt", call<ceil, 2>},
    {"executorch_prim::round.Scalar", "(Scalar a) -> SymInt", call<round, 2>},
    {"executorch_prim::trunc.Scalar", "(Scalar a) -> SymInt", call<trunc, 2>},
    {"executorch_prim::et_copy_index.tensor",
     "(Tensor(a!) self, Tensor source, SymInt index) -> ()", call<et_copy_index, 3>},
    {kView, "(Tensor self, SymInt[] size) -> Tensor", call<et_view, 3>},
    {kCopyElements, "(Tensor self, *, Tensor(a!) out) -> Tensor(a!)", call<copy_elements, 3>},
};

const Error kRegistered = [] {
  const Error error =
      register_operator_library("primitive operators", {kRows, sizeof(kRows) / sizeof(kRows[0])});
  if (error != Error::Ok) ET_LOG(Error, "Primitive operators: %s", last_error_message());
  return error;
}();

}  // namespace

}  // namespace prim
}  // namespace runtime
}  // namespace executorch
