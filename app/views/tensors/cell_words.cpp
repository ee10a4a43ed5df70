#include "app/views/tensors/cell_words.hpp"

#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "app/session/session.hpp"
#include "app/views/tensors/axis_labels.hpp"
#include "core/model/names.hpp"
#include "core/stages/explain.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

/// Three digits, as many as one says; whole numbers as they are.
std::string said(double value) {
  if (std::isnan(value)) return "not a number";
  if (std::isinf(value)) return value < 0 ? "minus infinity" : "infinity";
  const bool whole = value == std::round(value) && std::abs(value) < 1e6;
  std::string words = whole ? fmt::format("{:.0f}", std::abs(value)) : fmt::format("{:.3g}", std::abs(value));
  return (std::signbit(value) && value != 0 ? "−" : "") + words;
}

/// What a row of the tensor is to its word: "query", "value".
std::string_view noun_of(TensorId tensor) {
  switch (tensor) {
    case TensorId::X:
    case TensorId::Y: return "";
    case TensorId::context: return "context";
    case TensorId::concat: return "heads side by side";
    case TensorId::output: return "output";
    default: break;
  }
  const std::string_view words = info(tensor).words;
  if (words == "queries") return "query";
  if (words == "keys") return "key";
  if (words == "values") return "value";
  return words;
}

std::string label(const Session& session, const Cell& cell, bool last) {
  const int axis = cell.index.rank() - (last ? 1 : 2);
  return axis < 0 ? std::string() : axis_label(cell.tensor, last, cell.index[axis], session).main();
}

/// Of queries and keys: "bank’s score for river".
std::string rest_of_pair(TensorId tensor, const std::string& query, const std::string& key) {
  const TensorInfo& about = info(tensor);
  if (about.is_attention()) return fmt::format(" looks at {}", key);
  if (tensor == TensorId::dot_products) return fmt::format(" times {}", key);
  if (tensor == TensorId::position_bias) return fmt::format("{} position bias for {}", possessive_ending(query), key);
  return fmt::format("{} score for {}", possessive_ending(query), key);
}

/// "In head 2, ", where there are several.
std::string head_of(const Session& session, const Cell& cell) {
  const TensorInfo& about = info(cell.tensor);
  const auto axis = about.head_axis();
  if (!axis || session.setup().sizes.heads < 2 || about.has_kv_heads()) return {};
  return fmt::format("In {}, ", head_words(cell.index[*axis], session.setup()));
}

/// Whether its row is that of a token or a position.
bool is_of_a_word(const Cell& cell) {
  if (cell.index.rank() < 2) return false;
  const auto rows = matrix_axis(cell.tensor, false);
  return rows == Axis::query || rows == Axis::key || rows == Axis::token || rows == Axis::position;
}

}  // namespace

CellWords words_of_cell(const Session& session, const Cell& cell, bool withheld) {
  const TensorInfo& about = info(cell.tensor);
  const bool hidden = withheld || session.lesson().hides(cell, session.setup());
  const double value = session.model_trace().value(cell);
  const std::string row = label(session, cell, false);
  const std::string column = label(session, cell, true);
  CellWords words{head_of(session, cell), {}, {}};
  std::string number = hidden ? "?" : said(value);
  if (is_gradient(cell.tensor) || !is_of_a_word(cell)) {
    words.rest = fmt::format("{}, {}{}{}: {}", about.symbol, row, row.empty() ? "" : ", ", column, number);
    return words;
  }
  words.whose = row;
  if (about.is_query_by_key()) {
    words.rest = rest_of_pair(cell.tensor, row, column);
    if (about.is_attention() && !hidden) number = fmt::format("{} %", said(100 * value));
    if (!hidden && std::isinf(value) && value < 0) number = "hidden by the mask";
  } else {
    const std::string_view noun = noun_of(cell.tensor);
    words.rest = fmt::format("{} {}{}{}", possessive_ending(row), noun, noun.empty() ? "" : ", ", column);
  }
  words.rest += ": " + number;
  return words;
}

}  // namespace headlight
