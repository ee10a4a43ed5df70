#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/lecture/expression_tree.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"

namespace headlight::expressions {
namespace {

constexpr int deepest = 60;
constexpr std::array comparisons{Operator::less_equal, Operator::greater_equal, Operator::equal,
                                 Operator::not_equal,  Operator::less,          Operator::greater};

template <class Named, std::size_t n>
std::optional<Named> named_in(const std::array<std::string_view, n>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Named>(found - names.begin());
}

template <class... Operands>
Node node_of(NodeKind kind, Operands&&... operands) {
  Node node{.kind = kind};
  (node.operands.push_back(std::forward<Operands>(operands)), ...);
  return node;
}

/// Reads from left to right; each function takes one level of precedence.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Node whole() {
    Node read = expression();
    if (!rest().empty()) refuse(here(), "the end of the expression");
    return read;
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

  /// What is left behind what was read.
  std::string_view rest() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return text_.substr(at_);
  }
  std::string here() {
    const std::string_view left = rest();
    return left.empty() ? fmt::format("the end of \"{}\"", shortened(text_)) : fmt::format("\"{}\"", shortened(left));
  }
  bool sign(std::string_view wanted) {
    if (!rest().starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }
  bool sign(Operator wanted) { return sign(name_of(wanted)); }
  void close() {
    if (!sign(")")) refuse(here(), "a closing parenthesis");
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

  Node expression() {
    const Depth depth(*this);
    Node value = disjunction();
    if (!word("if")) return value;
    Node condition = disjunction();
    if (!word("else")) refuse(here(), "else after \"a if condition\"");
    return node_of(NodeKind::choice, std::move(condition), std::move(value), expression());
  }
  Node disjunction() {
    return joined(NodeKind::any, "or", [&] { return conjunction(); });
  }
  Node conjunction() {
    return joined(NodeKind::all, "and", [&] { return negation(); });
  }
  template <class Operand>
  Node joined(NodeKind kind, std::string_view by, Operand&& operand) {
    Node first = operand();
    if (!word(by)) return first;
    Node all = node_of(kind, std::move(first), operand());
    while (word(by)) all.operands.push_back(operand());
    return all;
  }
  Node negation() {
    const Depth depth(*this);
    return word("not") ? node_of(NodeKind::opposite, negation()) : comparison();
  }
  Node comparison() {
    Node left = sum();
    for (Operator one : comparisons)
      if (sign(one)) return chained(std::move(left), one, sum());
    return left;
  }
  Node sum() {
    return chain([&] { return product(); }, {Operator::add, Operator::subtract});
  }
  Node product() {
    return chain([&] { return signed_value(); }, {Operator::divide_whole, Operator::multiply, Operator::matrix_product,
                                                  Operator::divide, Operator::remainder});
  }
  Node signed_value() {
    const Depth depth(*this);
    if (sign("-")) return node_of(NodeKind::negative, signed_value());
    Node base = part();
    return sign(Operator::power) ? chained(std::move(base), Operator::power, signed_value()) : base;
  }
  static Node chained(Node left, Operator sign, Node right) {
    Node chain = node_of(NodeKind::chain, std::move(left), std::move(right));
    chain.signs.push_back(sign);
    return chain;
  }
  template <class Operand>
  Node chain(Operand&& operand, std::initializer_list<Operator> signs) {
    const auto next = [&] { return std::find_if(signs.begin(), signs.end(), [&](Operator one) { return sign(one); }); };
    Node first = operand();
    const Operator* found = next();
    if (found == signs.end()) return first;
    Node chain = node_of(NodeKind::chain, std::move(first));
    for (; found != signs.end(); found = next()) {
      chain.signs.push_back(*found);
      chain.operands.push_back(operand());
    }
    return chain;
  }
  Node part() {
    Node whole = atom();
    if (!rest().starts_with('[')) return whole;
    Node part = node_of(NodeKind::part, std::move(whole));
    while (sign("[")) part.brackets.push_back(items());
    return part;
  }
  /// Indices and slices up to the closing bracket.
  std::vector<Item> items() {
    std::vector<Item> items;
    do items.push_back(item());
    while (sign(","));
    if (!sign("]")) refuse(here(), "] after the indices");
    return items;
  }
  Item item() {
    const auto bound = [&]() -> Bound {
      const std::string_view left = rest();
      if (left.starts_with(':') || left.starts_with(',') || left.starts_with(']')) return nullptr;
      return std::make_shared<const Node>(expression());
    };
    Item item{.start = bound()};
    item.is_index = !sign(":");
    if (item.is_index && !item.start) refuse(here(), "an index");
    if (item.is_index) return item;
    item.stop = bound();
    if (sign(":")) item.step = bound();
    return item;
  }
  Node atom() {
    if (sign("(")) {
      Node inside = expression();
      close();
      return inside;
    }
    const std::string_view left = rest();
    if (left.starts_with('"') || left.starts_with('\'')) return quoted(left);
    if (!left.empty() && (std::isdigit(static_cast<unsigned char>(left[0])) != 0 || left[0] == '.'))
      return number(left);
    return named(name_here());
  }
  Node quoted(std::string_view left) {
    const auto end = left.find(left[0], 1);
    if (end == std::string_view::npos)
      refuse(fmt::format("{} without a closing quote", shortened(left)), "a text in quotes");
    at_ += end + 1;
    return {.kind = NodeKind::text, .text = left.substr(1, end - 1)};
  }
  Node number(std::string_view left) {
    double value = 0;
    const auto [end, error] = read_number(left.data(), left.data() + left.size(), value);
    if (error != std::errc{}) refuse(fmt::format("\"{}\"", shortened(left)), "a number");
    at_ += static_cast<std::size_t>(end - left.data());
    return {.kind = NodeKind::number, .number = value};
  }
  Node named(std::string_view name) {
    if (name.empty()) refuse(here(), "a number, a tensor, a function, a name or a text in quotes");
    if (const auto layer = layer_named(name)) return tensor_of(*layer);
    const auto function = named_in<Function>(function_names, name);
    const auto tensor = tensor_named(name);
    const auto setting = named_in<Setting>(setting_names, name);
    if (!function && !tensor && !setting)
      refuse(fmt::format("\"{}\"", shortened(name)),
             fmt::format("a tensor, or one of {}, or a function: {}", fmt::join(setting_names, ", "),
                         fmt::join(function_names, ", ")));
    at_ += name.size();
    if (function) return call(*function);
    if (tensor) return {.kind = NodeKind::tensor, .tensor = *tensor};
    return {.kind = NodeKind::setting, .setting = *setting};
  }
  /// The layer that "L1", followed by a dot, names.
  std::optional<Index> layer_named(std::string_view name) const {
    if (!name.starts_with('L') || !text_.substr(at_ + name.size()).starts_with('.')) return std::nullopt;
    return number_from<Index>(name.substr(1));
  }
  /// The tensor of a layer, behind its prefix.
  Node tensor_of(Index layer) {
    const std::string whole = here();
    at_ += name_here().size() + 1;
    const std::string_view wanted = name_here();
    const auto tensor = tensor_named(wanted);
    if (!tensor || info(*tensor).is_of_model()) refuse(whole, "a tensor that each layer has, such as L1.weights");
    at_ += wanted.size();
    return {.kind = NodeKind::tensor, .tensor = *tensor, .layer = layer};
  }
  Node call(Function function) {
    const std::string_view name = name_of(function);
    if (!sign("(")) refuse(fmt::format("{} {}", name, here()), fmt::format("{}(...)", name));
    if (function == Function::part) return share();
    const bool elsewhere = function == Function::was || function == Function::yours;
    Node call{.kind = elsewhere ? NodeKind::elsewhere : NodeKind::call, .function = function};
    do call.operands.push_back(expression());
    while (sign(","));
    close();
    return call;
  }
  /// part(tensor[indices], "source") or part(tensor[indices], "source", "source")
  Node share() {
    const std::string allowed = "part(scores[0,0,2,1], \"P\", \"X\"), with the cell in brackets";
    Node share = atom();
    if (share.kind != NodeKind::tensor) refuse("part of " + here(), allowed);
    if (!sign("[")) refuse(here(), allowed);
    share.kind = NodeKind::share;
    share.brackets.push_back(items());
    while (sign(",")) share.operands.push_back(expression());
    close();
    if (const std::size_t sources = share.operands.size(); sources < 1 || sources > 2)
      refuse(fmt::format("part with {} sources", sources), "one or two");
    return share;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Node parse(std::string_view text) { return Parser(text).whole(); }

}  // namespace headlight::expressions
