// Who wrote a number. What a layer reads from the residual stream is a sum: of the input, of what each head and each
// MLP below has added to it, and of biases. A score is a product of two such sums, so it is the sum of what each two of
// their parts give, and a logit is the sum of what each part gives.
//
// A norm before a projection is taken as its settings of this row: the row's own mean is taken off each part, and the
// spread of the whole row is held. Then the parts of a normalised row add up to it as well. Likewise the root mean
// square of queries and keys. Everything is computed in float64.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/cell.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// A tensor whose rows were added to what is taken apart: the input (`embed`, or `X` where nothing is embedded), `P`,
/// `mlp_out` or `b_o` of a layer, a head's share of `output`, a norm's shift, or the bias of the projection itself.
struct StreamSource {
  TensorId tensor = TensorId::X;
  Index layer = 0;
  std::optional<Index> head = {};  ///< with `output`: only what this head writes

  friend bool operator==(const StreamSource&, const StreamSource&) = default;
};

/// "embed", "P", "L0H1", "L0.mlp_out", "L1.b_q"; "H1" and "mlp_out" in a model of one layer.
std::string to_string(const StreamSource& source, const Setup& setup);

/// A number as the sum of what its sources give.
struct Parts {
  std::vector<StreamSource> rows;            ///< who wrote the query's part of a score, or a part of a logit
  std::vector<StreamSource> columns;         ///< who wrote the key's part of a score; empty for a logit
  Tensor numbers;                            ///< (rows, columns), or of a logit (rows, 1); float64
  std::optional<double> position_bias = {};  ///< what ALiBi adds to a score
  double rest = 0;                           ///< the number less all parts: what rounding has left

  double at(std::size_t row, std::size_t column) const {
    return numbers.at({static_cast<Index>(row), static_cast<Index>(column)});
  }
};

/// Whether a tensor's numbers can be taken apart: dot_products, scores, unembed and logits.
bool has_parts(TensorId tensor);

/// The number to take apart where this cell is shown: itself if it has parts, else the score or the logit that it comes
/// from. None where there is none, and above norms that follow attention.
std::optional<Cell> cell_with_parts(const ModelTrace& model, Cell cell);

/// The parts of a number. Throws InputError, with what is found and what is allowed, for a cell of another tensor, and
/// where the model has its norms after what they follow: then the stream is no sum of what was written into it.
Parts parts_of(const ModelTrace& model, const Cell& cell);

/// What all scores of a head, or all logits of a batch item, are made of: the rows of each source where they are added
/// up. A part of a score is factor · queries[i] · keys[j]ᵀ; a part of a logit is queries[i].
struct SourceRows {
  std::vector<StreamSource> rows;     ///< as of parts_of
  std::vector<StreamSource> columns;  ///< empty for logits
  std::vector<Tensor> queries;        ///< of each of `rows`: (query, d_head), of logits (query, answers·symbols)
  std::vector<Tensor> keys;           ///< of each of `columns`: (key, d_head)
  double factor = 1;
};

/// factor · queries · keysᵀ: (query, key), float64.
Tensor product_of(const Tensor& queries, const Tensor& keys, double factor);

/// Throws InputError as parts_of does.
SourceRows rows_of_sources(const ModelTrace& model, const Cell& cell);

/// The same part of all numbers of a head, (query, key), or of all logits of a batch item, (query, answers·symbols).
/// The sources are those of parts_of, by their names; `column` is empty for a logit. Throws InputError as parts_of
/// does, and for a name that is none of theirs.
Tensor part_of_all(const ModelTrace& model, const Cell& cell, std::string_view row, std::string_view column);

}  // namespace headlight
