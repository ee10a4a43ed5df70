#include "core/lecture/expression.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/array_part.hpp"
#include "core/model/shapes.hpp"

namespace headlight {

/// An operation on the values of its operands. `text` names it: an operator, a function, a tensor or a name.
struct ExpressionNode {
  enum class Kind : std::uint8_t { number, text, name, call, part, slice, unary, binary, conditional };
  Kind kind = Kind::number;
  std::string text;
  double number = 0;
  /// Of a part: the array, then an item for each axis. Of a slice: start, stop and step, null where left out.
  std::vector<std::shared_ptr<const ExpressionNode>> operands;
};

namespace {

using Node = ExpressionNode;
using NodePointer = std::shared_ptr<const Node>;
using Kind = Node::Kind;

[[noreturn]] void refuse(std::string found, std::string allowed) {
  throw InputError({"", "", std::move(found), std::move(allowed)});
}

Value number_value(double number) { return {{number}, {}, {}}; }
Value text_value(std::string text) { return {{}, {}, std::move(text)}; }

// --- Reading ---------------------------------------------------------------------------------------------------------

constexpr int deepest = 60;

constexpr std::array<std::string_view, 19> function_names{
    "max", "min",  "sum", "mean", "std", "norm",  "entropy", "argmax",    "argmin", "dot",
    "cos", "sqrt", "abs", "exp",  "log", "round", "token",   "key_token", "feature"};
constexpr std::array<std::string_view, 3> more_function_names{"head_name", "was", "yours"};
constexpr std::array<std::string_view, 11> setting_names{"heads", "kv_heads",     "d_model",    "d_head",
                                                         "batch", "query_length", "key_length", "temperature",
                                                         "scale", "guess",        "answer"};

template <std::size_t n>
bool is_one_of(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}
bool is_function(std::string_view name) {
  return is_one_of(function_names, name) || is_one_of(more_function_names, name);
}

/// Reads an expression from left to right; each function takes one level of precedence.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  NodePointer expression() {
    const Depth depth(*this);
    NodePointer value = disjunction();
    if (!word("if")) return value;
    NodePointer condition = disjunction();
    if (!word("else")) refuse(here(), "else behind \"a if condition\"");
    return make(Kind::conditional, "if", {std::move(value), std::move(condition), expression()});
  }
  /// What stands behind the expression; all of it must be taken.
  std::string_view rest() {
    blanks();
    return text_.substr(at_);
  }
  std::string here() {
    const std::string_view left = rest();
    return left.empty() ? fmt::format("the end of \"{}\"", text_) : fmt::format("\"{}\"", left);
  }

 private:
  /// Nested parentheses are nested calls, so there is an end to them.
  struct Depth {
    explicit Depth(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > deepest) refuse("an expression nested too deeply", fmt::format("{} levels", deepest));
    }
    ~Depth() { --parser_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    Parser& parser_;
  };

  static NodePointer make(Kind kind, std::string_view text, std::vector<NodePointer> operands, double number = 0) {
    return std::make_shared<const Node>(Node{kind, std::string(text), number, std::move(operands)});
  }

  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool sign(std::string_view wanted) {
    if (!rest().starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }
  static bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
  std::string_view name_here() {
    const std::string_view left = rest();
    const auto end = std::find_if_not(left.begin(), left.end(), in_name);
    return left.substr(0, static_cast<std::size_t>(end - left.begin()));
  }
  bool word(std::string_view wanted) {
    if (name_here() != wanted) return false;
    at_ += wanted.size();
    return true;
  }

  NodePointer disjunction() {
    NodePointer left = conjunction();
    while (word("or")) left = make(Kind::binary, "or", {left, conjunction()});
    return left;
  }
  NodePointer conjunction() {
    NodePointer left = negation();
    while (word("and")) left = make(Kind::binary, "and", {left, negation()});
    return left;
  }
  NodePointer negation() {
    const Depth depth(*this);
    return word("not") ? make(Kind::unary, "not", {negation()}) : comparison();
  }
  NodePointer comparison() {
    NodePointer left = sum();
    for (std::string_view operation : {"<=", ">=", "==", "!=", "<", ">"})
      if (sign(operation)) return make(Kind::binary, operation, {left, sum()});
    return left;
  }
  NodePointer sum() {
    NodePointer left = product();
    for (;;) {
      if (sign("+")) left = make(Kind::binary, "+", {left, product()});
      else if (sign("-")) left = make(Kind::binary, "-", {left, product()});
      else return left;
    }
  }
  NodePointer product() {
    NodePointer left = signed_value();
    for (;;) {
      if (rest().starts_with("**")) return left;
      if (sign("//")) left = make(Kind::binary, "//", {left, signed_value()});
      else if (sign("*")) left = make(Kind::binary, "*", {left, signed_value()});
      else if (sign("/")) left = make(Kind::binary, "/", {left, signed_value()});
      else if (sign("%")) left = make(Kind::binary, "%", {left, signed_value()});
      else return left;
    }
  }
  NodePointer signed_value() {
    const Depth depth(*this);
    if (sign("-")) return make(Kind::unary, "-", {signed_value()});
    NodePointer base = part();
    return sign("**") ? make(Kind::binary, "**", {base, signed_value()}) : base;
  }
  NodePointer part() {
    NodePointer whole = atom();
    while (sign("[")) {
      std::vector<NodePointer> operands{whole, item()};
      while (sign(",")) operands.push_back(item());
      if (!sign("]")) refuse(here(), "] behind the indices");
      whole = make(Kind::part, "", std::move(operands));
    }
    return whole;
  }
  /// An index, or a slice.
  NodePointer item() {
    const auto bound = [&]() -> NodePointer {
      const std::string_view left = rest();
      return left.starts_with(':') || left.starts_with(',') || left.starts_with(']') ? nullptr : expression();
    };
    NodePointer start = bound();
    if (!sign(":")) {
      if (!start) refuse(here(), "an index");
      return start;
    }
    NodePointer stop = bound();
    NodePointer step = sign(":") ? bound() : nullptr;
    return make(Kind::slice, "", {std::move(start), std::move(stop), std::move(step)});
  }
  NodePointer atom() {
    if (sign("(")) {
      NodePointer inside = expression();
      if (!sign(")")) refuse(here(), "a closing parenthesis");
      return inside;
    }
    const std::string_view left = rest();
    if (left.starts_with('"') || left.starts_with('\'')) return quoted(left);
    if (!left.empty() && (std::isdigit(static_cast<unsigned char>(left[0])) != 0 || left[0] == '.'))
      return number(left);
    return named(name_here());
  }
  NodePointer quoted(std::string_view left) {
    const auto end = left.find(left[0], 1);
    if (end == std::string_view::npos) refuse(fmt::format("{} without its end", left), "a text in quotes");
    at_ += end + 1;
    return make(Kind::text, left.substr(1, end - 1), {});
  }
  NodePointer number(std::string_view left) {
    double value = 0;
    const auto [end, error] = std::from_chars(left.data(), left.data() + left.size(), value);
    if (error != std::errc{}) refuse(fmt::format("\"{}\"", left), "a number");
    at_ += static_cast<std::size_t>(end - left.data());
    return make(Kind::number, "", {}, value);
  }
  NodePointer named(std::string_view name) {
    if (name.empty()) refuse(here(), "a number, a tensor, a function, a name or a text in quotes");
    if (is_function(name)) {
      at_ += name.size();
      if (!sign("(")) refuse(fmt::format("{} {}", name, here()), fmt::format("{}(...)", name));
      std::vector<NodePointer> operands{expression()};
      while (sign(",")) operands.push_back(expression());
      if (!sign(")")) refuse(here(), "a closing parenthesis");
      return make(Kind::call, name, std::move(operands));
    }
    if (!tensor_named(name) && !is_one_of(setting_names, name))
      refuse(fmt::format("\"{}\"", name),
             fmt::format("a tensor, or one of {}, or a function: {}, {}", fmt::join(setting_names, ", "),
                         fmt::join(function_names, ", "), fmt::join(more_function_names, ", ")));
    at_ += name.size();
    return make(Kind::name, name, {});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

// --- Evaluating ------------------------------------------------------------------------------------------------------

/// Calls `body` with the index of each place of the shape, in row-major order.
template <class Body>
void for_each_place(const Shape& shape, Body&& body) {
  if (shape.elements() == 0) return;
  Shape index;
  for (int axis = 0; axis < shape.rank(); ++axis) index.push_back(0);
  for (;;) {
    body(index);
    int axis = shape.rank() - 1;
    while (axis >= 0 && ++index[axis] == shape[axis]) index[axis--] = 0;
    if (axis < 0) return;
  }
}

Value value_of(const Tensor& tensor) {
  Value value{{}, tensor.shape(), {}};
  value.numbers.reserve(static_cast<std::size_t>(tensor.elements()));
  for_each_place(tensor.shape(), [&](const Shape& index) {
    value.numbers.push_back(tensor.at(std::span(index.begin(), index.end())));
  });
  return value;
}

Tensor part_of(Tensor tensor, const ArrayPart& part, std::string_view what) {
  const auto ranges = ranges_of(part, std::span(tensor.shape().begin(), tensor.shape().end()));
  if (!ranges)
    refuse(fmt::format("{}{}", what, to_string(part)), fmt::format("indices inside {}", tensor.shape().to_string()));
  int axis = 0;
  for (const AxisRange& range : *ranges) {
    if (range.is_position) tensor = tensor.selected(axis, range.first);
    else if (range.count == 0) refuse(fmt::format("{}{}", what, to_string(part)), "a part that holds a number");
    else tensor = tensor.stepped(axis++, range.first, range.step, range.count);
  }
  return tensor;
}

double only_number(const Value& value, std::string_view what) {
  if (value.text) refuse(fmt::format("{} of the text \"{}\"", what, *value.text), "a number");
  if (!value.is_number()) refuse(fmt::format("{} of an array of shape {}", what, value.shape.to_string()), "a number");
  return value.number();
}

Index whole_number(const Value& value, std::string_view what) {
  const double number = only_number(value, what);
  if (number != std::floor(number) || std::abs(number) > 1e15)
    refuse(fmt::format("{} {}", what, number), "a whole number");
  return static_cast<Index>(number);
}

const std::vector<double>& numbers_of(const Value& value, std::string_view what) {
  if (value.text) refuse(fmt::format("{} of the text \"{}\"", what, *value.text), "numbers");
  return value.numbers;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double entropy(const std::vector<double>& shares) {
  double bits = 0;
  for (double share : shares) bits -= share > 0 ? share * std::log2(share) : 0;
  return bits;
}

double spread(const std::vector<double>& numbers) {
  const auto count = static_cast<double>(numbers.size());
  const double mean = std::accumulate(numbers.begin(), numbers.end(), 0.0) / count;
  double squares = 0;
  for (double number : numbers) squares += (number - mean) * (number - mean);
  return std::sqrt(squares / count);
}

/// The place of the one number that is larger than all others, by `better`.
double place_of_best(const std::vector<double>& numbers, std::string_view what, auto better) {
  const auto best = std::min_element(numbers.begin(), numbers.end(), better);
  const auto ties = std::count_if(numbers.begin(), numbers.end(), [&](double number) { return number == *best; });
  if (ties != 1) refuse(fmt::format("{} of numbers of which {} are the same", what, ties), "one that stands out");
  return static_cast<double>(best - numbers.begin());
}

/// Functions that make one number of an array, or of several numbers.
double reduced(std::string_view name, const std::vector<double>& numbers) {
  const auto count = static_cast<double>(numbers.size());
  if (name == "max") return *std::max_element(numbers.begin(), numbers.end());
  if (name == "min") return *std::min_element(numbers.begin(), numbers.end());
  if (name == "sum") return std::accumulate(numbers.begin(), numbers.end(), 0.0);
  if (name == "mean") return std::accumulate(numbers.begin(), numbers.end(), 0.0) / count;
  if (name == "std") return spread(numbers);
  if (name == "norm") return std::sqrt(dot(numbers, numbers));
  if (name == "entropy") return entropy(numbers);
  if (name == "argmax") return place_of_best(numbers, name, std::greater<>());
  return place_of_best(numbers, name, std::less<>());
}

double of_each(std::string_view name, double number) {
  if (name == "sqrt") return std::sqrt(number);
  if (name == "abs") return std::abs(number);
  if (name == "exp") return std::exp(number);
  return std::log(number);
}

double of_two(std::string_view operation, double a, double b) {
  switch (operation[0]) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return operation == "**" ? std::pow(a, b) : a * b;
    case '/': return operation == "//" ? std::floor(a / b) : a / b;
    case '%': return a - b * std::floor(a / b);
    case '<': return operation == "<" ? a < b : a <= b;
    case '>': return operation == ">" ? a > b : a >= b;
    case '!': return a != b;
    default: return a == b;
  }
}

/// Walks an expression in a scope.
class Evaluator {
 public:
  explicit Evaluator(const Scope& scope) : scope_(scope), trace_(scope.trace) {}

  Value of(const Node& node) const {
    switch (node.kind) {
      case Kind::number: return number_value(node.number);
      case Kind::text: return text_value(node.text);
      case Kind::name: return named(node.text);
      case Kind::part: return part(node);
      case Kind::call: return called(node);
      case Kind::unary: return unary(node);
      case Kind::binary: return binary(node);
      case Kind::conditional: return of(*node.operands[is_true(*node.operands[1]) ? 0 : 2]);
      case Kind::slice: break;
    }
    refuse("a slice", "a slice in brackets");
  }

 private:
  bool is_true(const Node& node) const { return only_number(of(node), "the truth") != 0; }

  const Tensor& tensor(std::string_view name) const {
    const TensorId id = *tensor_named(name);
    if (!trace_.has(id)) refuse(std::string(name), "a tensor that this setup has");
    return trace_[id];
  }

  Value named(std::string_view name) const {
    if (tensor_named(name)) return value_of(tensor(name));
    const Setup& setup = trace_.setup;
    const auto whole = [](Index size) { return number_value(static_cast<double>(size)); };
    if (name == "heads") return whole(setup.sizes.heads);
    if (name == "kv_heads") return whole(setup.kv_heads());
    if (name == "d_model") return whole(setup.sizes.d_model);
    if (name == "d_head") return whole(setup.d_head());
    if (name == "batch") return whole(setup.sizes.batch);
    if (name == "query_length") return whole(setup.sizes.query_length);
    if (name == "key_length") return whole(setup.key_length());
    if (name == "temperature") return number_value(setup.attention.temperature);
    if (name == "scale") return number_value(setup.score_factor() * setup.attention.temperature);
    const auto& known = name == "guess" ? scope_.guess : scope_.answer;
    if (!known) refuse(std::string(name), "guess and answer only in the words behind a question's answer");
    return number_value(*known);
  }

  Value part(const Node& node) const {
    ArrayPart items;
    for (std::size_t i = 1; i < node.operands.size(); ++i) items.push_back(item(*node.operands[i]));
    const Node& whole = *node.operands[0];
    if (whole.kind == Kind::name && tensor_named(whole.text))
      return value_of(part_of(tensor(whole.text), items, whole.text));
    const Value value = of(whole);
    numbers_of(value, "a part");
    Tensor block = Tensor::uninitialized(Precision::float64, value.shape);
    std::copy(value.numbers.begin(), value.numbers.end(), block.writable<double>());
    return value_of(part_of(block, items, "an array"));
  }
  PartItem item(const Node& node) const {
    if (node.kind != Kind::slice) return {true, whole_number(of(node), "the index"), {}, {}};
    const auto bound = [&](std::size_t place) -> std::optional<Index> {
      if (!node.operands[place]) return std::nullopt;
      return whole_number(of(*node.operands[place]), "the index");
    };
    PartItem slice{false, bound(0), bound(1), bound(2)};
    if (slice.step == 0) refuse("a slice with a step of 0", "another step");
    return slice;
  }

  Value unary(const Node& node) const {
    if (node.text == "not") return number_value(is_true(*node.operands[0]) ? 0 : 1);
    Value value = of(*node.operands[0]);
    numbers_of(value, "minus");
    for (double& number : value.numbers) number = -number;
    return value;
  }

  Value binary(const Node& node) const {
    if (node.text == "and") return number_value(is_true(*node.operands[0]) && is_true(*node.operands[1]) ? 1 : 0);
    if (node.text == "or") return number_value(is_true(*node.operands[0]) || is_true(*node.operands[1]) ? 1 : 0);
    Value a = of(*node.operands[0]);
    Value b = of(*node.operands[1]);
    if (a.text && b.text && (node.text == "==" || node.text == "!="))
      return number_value((*a.text == *b.text) == (node.text == "==") ? 1 : 0);
    numbers_of(a, node.text);
    numbers_of(b, node.text);
    if (a.is_number() && !b.is_number()) a = {std::vector<double>(b.numbers.size(), a.number()), b.shape, {}};
    if (b.is_number() && !a.is_number()) b = {std::vector<double>(a.numbers.size(), b.number()), a.shape, {}};
    if (a.shape != b.shape)
      refuse(fmt::format("{} of shapes {} and {}", node.text, a.shape.to_string(), b.shape.to_string()),
             "equal shapes, or a number");
    for (std::size_t i = 0; i < a.numbers.size(); ++i) a.numbers[i] = of_two(node.text, a.numbers[i], b.numbers[i]);
    return a;
  }

  Value called(const Node& node) const {
    const std::string_view name = node.text;
    const std::size_t count = node.operands.size();
    const auto require_count = [&](std::size_t wanted) {
      if (count != wanted)
        refuse(fmt::format("{} of {} values", name, count), fmt::format("{} of {}", name, wanted == 1 ? "one" : "two"));
    };
    if (name == "was") {
      require_count(1);
      if (scope_.before == nullptr) refuse("was(...) without a state before", "was() in a step that compares");
      return Evaluator({*scope_.before, nullptr, scope_.guess, scope_.answer}).of(*node.operands[0]);
    }
    if (name == "yours") {
      require_count(1);
      if (scope_.yours == nullptr) refuse("yours(...) without work to check", "yours() in a step with a mistake");
      return Evaluator({*scope_.yours, nullptr, scope_.guess, scope_.answer}).of(*node.operands[0]);
    }
    std::vector<Value> values;
    for (const auto& operand : node.operands) values.push_back(of(*operand));
    if (name == "dot" || name == "cos") {
      require_count(2);
      return number_value(product(name, values));
    }
    if (name == "round") return rounded(values);
    if (name == "token" || name == "key_token" || name == "feature" || name == "head_name") {
      require_count(1);
      return text_value(label(name, whole_number(values[0], name)));
    }
    if (name == "sqrt" || name == "abs" || name == "exp" || name == "log") {
      require_count(1);
      numbers_of(values[0], name);
      for (double& number : values[0].numbers) number = of_each(name, number);
      return values[0];
    }
    std::vector<double> all;
    for (const Value& value : values) {
      const auto& numbers = numbers_of(value, name);
      all.insert(all.end(), numbers.begin(), numbers.end());
    }
    return number_value(reduced(name, all));
  }

  static double product(std::string_view name, const std::vector<Value>& values) {
    const auto& a = numbers_of(values[0], name);
    const auto& b = numbers_of(values[1], name);
    if (a.size() != b.size())
      refuse(fmt::format("{} of {} and {} numbers", name, a.size(), b.size()), "two arrays of equal length");
    return name == "dot" ? dot(a, b) : dot(a, b) / std::sqrt(dot(a, a) * dot(b, b));
  }

  static Value rounded(std::vector<Value>& values) {
    if (values.size() > 2) refuse(fmt::format("round of {} values", values.size()), "round(x) or round(x, decimals)");
    const Index decimals = values.size() == 2 ? whole_number(values[1], "round to") : 0;
    const double unit = std::pow(10.0, static_cast<double>(decimals));
    numbers_of(values[0], "round");
    for (double& number : values[0].numbers) number = std::nearbyint(number * unit) / unit;
    return values[0];
  }

  std::string label(std::string_view name, Index place) const {
    const Setup& setup = trace_.setup;
    const auto checked = [&](Index count) {
      if (place < 0 || place >= count)
        refuse(fmt::format("{}({})", name, place), fmt::format("{}(0) to {}({})", name, name, count - 1));
      return place;
    };
    if (name == "token") return setup.query_label(checked(setup.sizes.query_length));
    if (name == "key_token") return setup.key_label(checked(setup.key_length()));
    if (name == "feature") return setup.feature_label(checked(setup.sizes.d_model));
    return setup.head_label(checked(setup.sizes.heads));
  }

  const Scope& scope_;
  const Trace& trace_;
};

// --- Formats ---------------------------------------------------------------------------------------------------------

LiveFormat parse_format(std::string_view text) {
  constexpr const char* allowed = ".2f, .1%, .3e, .4g or d, with + in front for a sign";
  const auto wrong = [&]() { refuse(fmt::format("the format \"{}\"", text), allowed); };
  LiveFormat format;
  std::string_view left = text;
  if (left.starts_with('+')) {
    format.sign = true;
    left.remove_prefix(1);
  }
  const bool has_decimals = left.starts_with('.');
  if (has_decimals) {
    const auto [end, error] = std::from_chars(left.data() + 1, left.data() + left.size(), format.decimals);
    if (error != std::errc{} || format.decimals < 0 || format.decimals > 20) wrong();
    left.remove_prefix(static_cast<std::size_t>(end - left.data()));
  }
  if (left.size() != 1 || std::string_view("feg%d").find(left[0]) == std::string_view::npos) wrong();
  if (left[0] == 'd' && has_decimals) wrong();
  format.kind = left[0];
  return format;
}

}  // namespace

Expression::Expression(std::string_view text) : text_(text) {
  Parser parser(text_);
  root_ = parser.expression();
  if (!parser.rest().empty()) refuse(parser.here(), "the end of the expression");
}

Value Expression::value(const Scope& scope) const { return Evaluator(scope).of(*root_); }

double Expression::number(const Scope& scope) const { return only_number(value(scope), text_); }

LiveNumber LiveNumber::parse(std::string_view text) {
  // The colon that ends the expression is the first one outside of brackets and quotes.
  int open = 0;
  char quote = 0;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (quote != 0) quote = c == quote ? '\0' : quote;
    else if (c == '"' || c == '\'') quote = c;
    else if (c == '[' || c == '(') ++open;
    else if (c == ']' || c == ')') --open;
    else if (c == ':' && open == 0) break;
  }
  LiveNumber live{Expression(text.substr(0, end)), {}};
  if (end < text.size()) live.format = parse_format(text.substr(end + 1));
  return live;
}

std::string LiveNumber::words(const Scope& scope) const {
  const Value value = expression.value(scope);
  if (value.text) return *value.text;
  return to_string(only_number(value, expression.text()), format);
}

std::string to_string(double number, const LiveFormat& format) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "∞" : "−∞";
  std::string text;
  switch (format.kind) {
    case 'f': text = fmt::format("{:.{}f}", std::abs(number), format.decimals); break;
    case 'e': text = fmt::format("{:.{}e}", std::abs(number), format.decimals); break;
    case 'g': text = fmt::format("{:.{}g}", std::abs(number), format.decimals); break;
    case 'd': text = fmt::format("{:.0f}", std::abs(number)); break;
    case '%': text = fmt::format("{:.{}f} %", 100 * std::abs(number), format.decimals); break;
    default: text = fmt::format("{:.4g}", std::abs(number));
  }
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  return (number < 0 && !zero ? "−" : format.sign ? "+" : "") + text;
}

}  // namespace headlight
