#include "core/lecture/expression.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "core/composition/parts.hpp"
#include "core/lecture/expression_tree.hpp"
#include "core/lecture/expression_values.hpp"
#include "core/model/shapes.hpp"

namespace headlight::expressions {
namespace {

// --- Evaluating ------------------------------------------------------------------------------------------------------

/// Evaluates a tree with the numbers of a model, or of layer 0 of work with a mistake.
class Evaluator {
 public:
  Evaluator(const Scope& scope, Work& work) : Evaluator(scope, work, &scope.model, nullptr) {}

  Value value(const Node& node) const {
    switch (node.kind) {
      case NodeKind::number: return node.number;
      case NodeKind::text: return std::string(node.text);
      case NodeKind::tensor: return value_of(tensor(node));
      case NodeKind::setting: return setting(node.setting);
      case NodeKind::negative: return negated(paid(node.operands[0]));
      case NodeKind::opposite: return is_true(node.operands[0]) ? 0.0 : 1.0;
      case NodeKind::chain: return chained(node);
      case NodeKind::all:
        return std::ranges::all_of(node.operands, [&](const Node& each) { return is_true(each); }) ? 1.0 : 0.0;
      case NodeKind::any:
        return std::ranges::any_of(node.operands, [&](const Node& each) { return is_true(each); }) ? 1.0 : 0.0;
      case NodeKind::choice: return value(node.operands[is_true(node.operands[0]) ? 1 : 2]);
      case NodeKind::part: return part(node);
      case NodeKind::share: return shared(node);
      case NodeKind::call: return called(node);
      case NodeKind::elsewhere: break;
    }
    return elsewhere(node);
  }

 private:
  Evaluator(const Scope& scope, Work& work, const ModelTrace* model, const Trace* yours)
      : scope_(scope), work_(work), model_(model), yours_(yours) {}

  /// The value of an operand whose numbers an operation reads.
  Value paid(const Node& operand) const {
    Value read = value(operand);
    work_.take(static_cast<double>(shape_of(read).elements()));
    return read;
  }
  bool is_true(const Node& node) const { return only_number(value(node), "the truth") != 0; }

  Value chained(const Node& node) const {
    Value left = value(node.operands[0]);
    for (std::size_t i = 0; i < node.signs.size(); ++i) {
      const Value right = paid(node.operands[i + 1]);
      work_.take(static_cast<double>(shape_of(left).elements()));
      left = of_two(node.signs[i], left, right, work_);
    }
    return left;
  }

  /// The trace of a layer; of work with a mistake there is only layer 0.
  const Trace* trace_at(Index layer) const {
    if (yours_ != nullptr) return layer == 0 ? yours_ : nullptr;
    return layer >= 0 && layer < std::ssize(model_->layers) ? &model_->at(layer) : nullptr;
  }
  const Setup& setup() const { return trace_at(0)->setup; }
  Index layer_of(const Node& tensor) const { return layer_with(tensor.tensor, tensor.layer, setup()); }

  const Tensor& tensor(const Node& node) const {
    const Trace* const trace = trace_at(layer_of(node));
    if (trace == nullptr || !trace->has(node.tensor))
      refuse(layer_prefix(node.layer) + std::string(name(node.tensor)), "a tensor that this setup has");
    return (*trace)[node.tensor];
  }

  std::optional<Index> index(const Bound& bound) const {
    if (!bound) return std::nullopt;
    return whole_number(value(*bound), "the index");
  }
  ArrayPart part_in(const std::vector<Item>& items) const {
    ArrayPart part;
    for (const Item& item : items) {
      part.push_back({item.is_index, index(item.start), index(item.stop), index(item.step)});
      if (part.back().step == 0) refuse("a slice with a step of 0", "another step");
    }
    return part;
  }
  Value part(const Node& node) const {
    const Node& of = node.operands[0];
    std::string_view what = of.kind == NodeKind::tensor ? name(of.tensor) : "an array";
    Value whole = value(of);
    for (const std::vector<Item>& items : node.brackets) {
      whole = part_of(whole, part_in(items), what);
      what = "an array";
    }
    return whole;
  }

  /// What one or two sources give to a score or a logit, or to all of a head.
  Value shared(const Node& node) const {
    ArrayPart items = part_in(node.brackets[0]);
    std::vector<std::string> sources;
    for (const Node& source : node.operands) {
      Value text = value(source);
      if (!std::holds_alternative<std::string>(text)) refuse("part by a number", "the name of a source in quotes");
      sources.push_back(std::get<std::string>(std::move(text)));
    }
    const Tensor& whole = tensor(node);
    const std::string_view what = name(node.tensor);
    const auto heads = static_cast<std::size_t>(std::max(0, whole.shape().rank() - 2));
    if (yours_ != nullptr) refuse("part(...) of work with a mistake", "part() outside of yours()");
    if (items.size() < heads || !std::all_of(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(heads),
                                             [](const PartItem& item) { return item.is_position; }))
      refuse(fmt::format("part of {}{}", what, to_string(items)),
             fmt::format("{} in brackets first", heads == 2 ? "a batch item and a head" : "a batch item"));
    const auto ranges = ranges_of(items, whole.shape());
    if (!ranges)
      refuse(fmt::format("{}{}", what, to_string(items)), fmt::format("indices inside {}", whole.shape().to_string()));
    Cell cell{node.tensor, {}, layer_of(node)};
    for (int axis = 0; axis < whole.shape().rank(); ++axis)
      cell.index.push_back(axis < static_cast<int>(heads) ? (*ranges)[static_cast<std::size_t>(axis)].first : 0);
    work_.take(static_cast<double>(whole.shape().back(0) * whole.shape().back(1)));
    const Tensor part = part_of_all(*model_, cell, sources.front(), sources.size() > 1 ? sources.back() : "");
    items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(heads));
    return items.empty() ? value_of(part) : part_of(part, items, what);
  }

  double setting(Setting setting) const {
    const Setup& setup = this->setup();
    const auto whole = [](Index size) { return static_cast<double>(size); };
    switch (setting) {
      case Setting::heads: return whole(setup.sizes.heads);
      case Setting::kv_heads: return whole(setup.kv_heads());
      case Setting::d_model: return whole(setup.sizes.d_model);
      case Setting::d_head: return whole(setup.d_head());
      case Setting::batch: return whole(setup.sizes.batch);
      case Setting::query_length: return whole(setup.sizes.query_length);
      case Setting::key_length: return whole(setup.key_length());
      case Setting::temperature: return setup.attention.temperature;
      case Setting::scale: return setup.score_factor() * setup.attention.temperature;
      case Setting::guess:
      case Setting::answer: break;
    }
    const auto& known = setting == Setting::guess ? scope_.guess : scope_.answer;
    if (!known)
      refuse(std::string(name_of(setting)), "guess and answer only in the text that follows a question's answer");
    return *known;
  }

  Value called(const Node& node) const {
    std::vector<Value> values;
    for (const Node& operand : node.operands) values.push_back(paid(operand));
    switch (node.function) {
      case Function::token:
      case Function::key_token:
      case Function::feature:
      case Function::head_name:
        require_count(node.function, values.size(), 1);
        return label(node.function, whole_number(values[0], name_of(node.function)));
      default: return result_of(node.function, values);
    }
  }

  std::string label(Function function, Index index) const {
    const Setup& setup = this->setup();
    const auto checked = [&](Index count) {
      const std::string_view name = name_of(function);
      if (index < 0 || index >= count)
        refuse(fmt::format("{}({})", name, index), fmt::format("{}(0) to {}({})", name, name, count - 1));
      return index;
    };
    if (function == Function::token) return setup.token_label(checked(setup.token_count()));
    if (function == Function::key_token) return setup.key_label(checked(setup.key_length()));
    if (function == Function::feature) return setup.feature_label(checked(setup.sizes.d_model));
    return setup.head_label(checked(setup.sizes.heads));
  }

  /// In the state before, or in the work with a mistake. Inside of either, was() and yours() mean nothing.
  Value elsewhere(const Node& node) const {
    require_count(node.function, node.operands.size(), 1);
    const bool is_inside = model_ != &scope_.model || yours_ != nullptr;
    const bool was = node.function == Function::was;
    if (is_inside || (was ? scope_.before == nullptr : scope_.yours == nullptr))
      refuse(was ? "was(...) without a state before" : "yours(...) without work to check",
             was ? "was() in a step that compares" : "yours() in a step with a mistake");
    const Evaluator there(scope_, work_, was ? scope_.before : model_, was ? nullptr : scope_.yours);
    return there.value(node.operands[0]);
  }

  const Scope& scope_;
  Work& work_;
  const ModelTrace* model_;  ///< that tensors and labels are taken from
  const Trace* yours_;       ///< and inside of yours() instead of it
};

// --- What is read ----------------------------------------------------------------------------------------------------

/// A bound that is written as a number.
std::optional<Index> literal(const Node& node) {
  if (node.kind == NodeKind::number && std::abs(node.number) <= largest_index) return static_cast<Index>(node.number);
  if (node.kind != NodeKind::negative) return std::nullopt;
  const auto positive = literal(node.operands[0]);
  return positive ? std::optional(-*positive) : std::nullopt;
}

/// The part that is written behind a tensor; all of it where the indices are computed.
ArrayPart literal_part(const std::vector<Item>& items) {
  ArrayPart part;
  for (const Item& item : items) {
    PartItem& taken = part.emplace_back(PartItem{.is_position = item.is_index, .start = {}, .stop = {}, .step = {}});
    const auto read = [](const Bound& bound, std::optional<Index>& to) {
      if (bound) to = literal(*bound);
      return !bound || to;
    };
    if (!read(item.start, taken.start) || !read(item.stop, taken.stop) || !read(item.step, taken.step)) return {};
  }
  return part;
}

/// What is read in the present state.
std::vector<Expression::Reading> readings_of(const Node& tree) {
  std::vector<Expression::Reading> found;
  const Node* of_part = nullptr;  // found already, with its part
  walk(tree, [&](const Node& node) {
    const bool is_tensor = node.kind == NodeKind::tensor || node.kind == NodeKind::share;
    if (is_tensor && &node != of_part) found.push_back({node.tensor, {}, node.layer});
    if (node.kind == NodeKind::part && node.operands[0].kind == NodeKind::tensor) {
      of_part = node.operands.data();
      found.push_back({of_part->tensor, literal_part(node.brackets[0]), of_part->layer});
    }
    return node.kind != NodeKind::elsewhere;
  });
  return found;
}

}  // namespace
}  // namespace headlight::expressions

namespace headlight {

struct Expression::Read {
  std::string text;  ///< the tree points into it
  expressions::Node tree = {};
  std::vector<Reading> readings = {};
};

Expression::Expression(std::string_view text) {
  auto read = std::make_shared<Read>(Read{.text = std::string(text)});
  read->tree = expressions::parse(read->text);
  read->readings = expressions::readings_of(read->tree);
  read_ = std::move(read);
}

const std::string& Expression::text() const { return read_->text; }

const std::vector<Expression::Reading>& Expression::readings() const { return read_->readings; }

bool Expression::reads_yours() const {
  bool found = false;
  expressions::walk(read_->tree, [&](const expressions::Node& node) {
    found = found || (node.kind == expressions::NodeKind::elsewhere && node.function == expressions::Function::yours);
    return !found;
  });
  return found;
}

Value Expression::value(const Scope& scope, Work& work) const {
  return expressions::Evaluator(scope, work).value(read_->tree);
}
Value Expression::value(const Scope& scope) const {
  Work own;
  return value(scope, scope.work != nullptr ? *scope.work : own);
}

double Expression::number(const Scope& scope) const { return expressions::only_number(value(scope), text()); }

}  // namespace headlight
