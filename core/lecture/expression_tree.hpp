// An expression as a tree: how it is read (expression_parser.cpp) and what its evaluation walks through
// (expression.cpp). For .cpp files of this folder.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/names.hpp"
#include "core/model/problem.hpp"
#include "core/model/tensor.hpp"

namespace headlight::expressions {

enum class Function : std::uint8_t {
  max,
  min,
  sum,
  mean,
  std,
  norm,
  entropy,
  argmax,
  argmin,
  dot,
  cos,
  diagonal,
  sqrt,
  abs,
  exp,
  log,
  round,
  token,
  key_token,
  feature,
  head_name,
  part,
  was,
  yours
};
inline constexpr std::array<std::string_view, 24> function_names{
    "max",  "min", "sum", "mean", "std",   "norm",  "entropy",   "argmax",  "argmin",    "dot",  "cos", "diagonal",
    "sqrt", "abs", "exp", "log",  "round", "token", "key_token", "feature", "head_name", "part", "was", "yours"};

enum class Setting : std::uint8_t {
  heads,
  kv_heads,
  d_model,
  d_head,
  batch,
  query_length,
  key_length,
  temperature,
  scale,
  guess,
  answer
};
inline constexpr std::array<std::string_view, 11> setting_names{"heads", "kv_heads",     "d_model",    "d_head",
                                                                "batch", "query_length", "key_length", "temperature",
                                                                "scale", "guess",        "answer"};

enum class Operator : std::uint8_t {
  add,
  subtract,
  multiply,
  matrix_product,
  divide,
  divide_whole,
  remainder,
  power,
  less_equal,
  greater_equal,
  equal,
  not_equal,
  less,
  greater
};
inline constexpr std::array<std::string_view, 14> operator_signs{"+",  "-",  "*",  "@",  "/",  "//", "%",
                                                                 "**", "<=", ">=", "==", "!=", "<",  ">"};

inline std::string_view name_of(Function function) { return function_names[static_cast<std::size_t>(function)]; }
inline std::string_view name_of(Setting setting) { return setting_names[static_cast<std::size_t>(setting)]; }
inline std::string_view name_of(Operator sign) { return operator_signs[static_cast<std::size_t>(sign)]; }

enum class NodeKind : std::uint8_t {
  number,
  text,
  tensor,
  setting,
  negative,   ///< -a
  opposite,   ///< not a
  chain,      ///< a + b - c, from left to right, with a sign behind each operand but the last
  all,        ///< a and b and c
  any,        ///< a or b or c
  choice,     ///< its operands are the condition, what it is where that holds, and what it is else
  part,       ///< a[...][...]
  share,      ///< part(tensor[...], "source", "source"): its operands are the sources
  call,       ///< of its operands
  elsewhere,  ///< was(a) or yours(a): with the numbers of another trace
};

struct Item;

/// What is written side by side is one node, however long it is: only brackets nest, and there is an end to them.
struct Node {
  NodeKind kind = NodeKind::number;
  double number = 0;
  std::string_view text = {};  ///< between the quotes
  TensorId tensor = {};        ///< also of a share
  Index layer = 0;             ///< of the tensor, as the text names it
  Setting setting = {};
  Function function = {};
  std::vector<Operator> signs = {};
  std::vector<Node> operands = {};
  std::vector<std::vector<Item>> brackets = {};  ///< of a part and a share
};

/// A bound of a slice; null where none is written. Apart from its item, because most have none.
using Bound = std::shared_ptr<const Node>;

/// An index or a slice.
struct Item {
  bool is_index = false;
  Bound start = {};  ///< the index itself, for an index
  Bound stop = {};
  Bound step = {};
};

/// Calls body(node) for the node and all below it, outermost first, except where `body` returns false.
template <class Body>
void walk(const Node& node, Body&& body) {
  if (!body(node)) return;
  for (const Node& operand : node.operands) walk(operand, body);
  for (const std::vector<Item>& items : node.brackets)
    for (const Item& item : items)
      for (const Bound* bound : {&item.start, &item.stop, &item.step})
        if (*bound) walk(**bound, body);
}

[[noreturn]] inline void refuse(std::string found, std::string allowed) {
  throw InputError({"", "", std::move(found), std::move(allowed)});
}

/// Reads an expression, whose texts are parts of `text`. Throws InputError with what was found and what is allowed.
Node parse(std::string_view text);

}  // namespace headlight::expressions
