/**
 * @file
 * Steps of matrix products: with packed or plain right sides, in batches, and attention.
 */
#pragma once

#include <memory>
#include <vector>

#include "compute/gemm/gemm.h"
#include "engine/graph/graph.h"
#include "engine/steps/step.h"

namespace executorch::engine {

/// c[m,n] = activation(alpha * a b + bias + beta * residual), `batches` times. Strides in elements;
/// those of batches have one entry per batch dim.
struct ProductShape {
  int64_t m, n, k;
  int64_t a_row, a_column;
  int64_t b_row, b_column;
  int64_t c_row;
  int64_t residual_row = 0;
  Dims batches;
  Dims a_batch, b_batch, c_batch, residual_batch;
  float alpha = 1;
  float beta = 1;
  Epilogue epilogue;
};

struct ProductOperands {
  Place a, b, c;
  Place bias;      ///< storage -1: none
  Place residual;  ///< storage -1: none
  compute::PackedMatrix packed;
};

std::unique_ptr<Step> make_product_step(const ProductShape& shape, const ProductOperands& operands);

/// softmax(scale * query key + mask) value, per head. Strides in elements.
struct AttentionShape {
  int64_t rows, depth, length,
      width;  ///< query [rows, depth], key [depth, length], value [length, width]
  int64_t query_row, query_column;
  int64_t key_row, key_column;
  int64_t value_row, value_column;
  int64_t out_row;
  int64_t mask_row = 0;  ///< columns of the mask are adjacent
  Dims heads;            ///< batch dims
  Dims query_head, key_head, value_head, out_head, mask_head;
  float scale = 1;
  bool zero_masked_rows = false;
};

struct AttentionOperands {
  Place query, key, value, out;
  Place mask;  ///< storage -1: none
};

std::unique_ptr<Step> make_attention_step(const AttentionShape& shape,
                                          const AttentionOperands& operands);

/// The clamp bounds and the map of an activation, for a compute::Epilogue.
void set_activation(const Epilogue& from, compute::Epilogue* to);
const char* activation_name(Activation activation);

}  // namespace executorch::engine
