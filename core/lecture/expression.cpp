#include "core/lecture/expression.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/composition/parts.hpp"
#include "core/compute/matrix_product.hpp"
#include "core/model/array_part.hpp"
#include "core/model/shapes.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"

namespace headlight {

// --- The program -----------------------------------------------------------------------------------------------------

struct Expression::Program {
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

  /// Takes its operands off the end of the list of values, and puts its result there.
  struct Operation {
    enum class Kind : std::uint8_t {
      number,
      text,
      tensor,
      setting,
      index,  ///< the last value becomes an index of the next part
      slice,  ///< likewise the bounds of a slice; `bounds` tells which of start, stop and step are given
      part,   ///< the part of an array that the last `count` indices and slices describe
      negate,
      invert,  ///< "not"
      truth,   ///< 1 or 0, at the end of "and" and "or"
      binary,
      call,   ///< of the last `count` values
      share,  ///< part(): of a tensor at the last `count` indices and slices, by the texts behind them, one or two
      enter,  ///< was( or yours(: from here on the trace is another one; `count` values are between the brackets
      leave,
      jump,           ///< passes over the next `count` operations
      jump_if_false,  ///< the same where the last value, which is taken off, is 0
      and_then,       ///< the same, with 0 in its place
      or_else,        ///< the same where it is not 0, with 1 in its place
    };
    Kind kind = Kind::number;
    TensorId tensor = {};
    Index layer = 0;  ///< of the tensor, as the text names it
    Setting setting = {};
    Operator sign = {};
    Function function = {};
    std::uint8_t bounds = 0;
    std::size_t count = 0;
    std::size_t texts = 0;  ///< of a share
    double number = 0;
    std::string_view text = {};  ///< of a text; of a part the name of the tensor, or empty where it is another array
  };

  std::string text;  ///< the operations point into it
  std::vector<Operation> operations;
  std::vector<Reading> readings;
};

namespace {

using Operation = Expression::Program::Operation;
using Kind = Operation::Kind;
using Function = Expression::Program::Function;
using Setting = Expression::Program::Setting;
using Operator = Expression::Program::Operator;

constexpr std::array<std::string_view, 24> function_names{
    "max",  "min", "sum", "mean", "std",   "norm",  "entropy",   "argmax",  "argmin",    "dot",  "cos", "diagonal",
    "sqrt", "abs", "exp", "log",  "round", "token", "key_token", "feature", "head_name", "part", "was", "yours"};

constexpr std::array<std::string_view, 11> setting_names{"heads", "kv_heads",     "d_model",    "d_head",
                                                         "batch", "query_length", "key_length", "temperature",
                                                         "scale", "guess",        "answer"};

constexpr std::array<std::string_view, 14> operator_signs{"+",  "-",  "*",  "@",  "/",  "//", "%",
                                                          "**", "<=", ">=", "==", "!=", "<",  ">"};
constexpr std::array comparisons{Operator::less_equal, Operator::greater_equal, Operator::equal,
                                 Operator::not_equal,  Operator::less,          Operator::greater};

template <class Named, std::size_t n>
std::optional<Named> named_in(const std::array<std::string_view, n>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Named>(found - names.begin());
}
template <class Named, std::size_t n>
std::string_view name_in(const std::array<std::string_view, n>& names, Named named) {
  return names[static_cast<std::size_t>(named)];
}

[[noreturn]] void refuse(std::string found, std::string allowed) {
  throw InputError({"", "", std::move(found), std::move(allowed)});
}

// --- Reading ---------------------------------------------------------------------------------------------------------

constexpr int deepest = 60;

/// Reads an expression from left to right and writes its operations; each function takes one level of precedence.
class Parser {
 public:
  Parser(std::string_view text, std::vector<Operation>& operations) : text_(text), operations_(operations) {}

  void expression() {
    const Depth depth(*this);
    const std::size_t begin = operations_.size();
    disjunction();
    if (!word("if")) return;
    const std::size_t condition = operations_.size();
    disjunction();
    if (!word("else")) refuse(here(), "else after \"a if condition\"");
    // The condition is first, although the text has a value before it.
    write({.kind = Kind::jump_if_false, .count = condition - begin + 1});
    std::rotate(at(begin), at(condition), operations_.end());
    const std::size_t jump = operations_.size();
    write({.kind = Kind::jump});
    expression();
    operations_[jump].count = operations_.size() - jump - 1;
  }
  /// What is left behind the expression; all of it must be taken.
  std::string_view rest() {
    blanks();
    return text_.substr(at_);
  }
  std::string here() {
    const std::string_view left = rest();
    return left.empty() ? fmt::format("the end of \"{}\"", shortened(text_)) : fmt::format("\"{}\"", shortened(left));
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

  void write(const Operation& operation) { operations_.push_back(operation); }
  void write(Operator sign) { write({.kind = Kind::binary, .sign = sign}); }
  std::vector<Operation>::iterator at(std::size_t index) {
    return operations_.begin() + static_cast<std::ptrdiff_t>(index);
  }

  void blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool sign(std::string_view wanted) {
    if (!rest().starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }
  bool sign(Operator wanted) { return sign(name_in(operator_signs, wanted)); }
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

  void disjunction() {
    conjunction();
    while (word("or")) decide(Kind::or_else, [&] { conjunction(); });
  }
  void conjunction() {
    negation();
    while (word("and")) decide(Kind::and_then, [&] { negation(); });
  }
  /// The second operand counts only where the first does not decide.
  template <class Operand>
  void decide(Kind kind, Operand&& second) {
    const std::size_t decision = operations_.size();
    write({.kind = kind});
    second();
    write({.kind = Kind::truth});
    operations_[decision].count = operations_.size() - decision - 1;
  }
  void negation() {
    const Depth depth(*this);
    if (!word("not")) return comparison();
    negation();
    write({.kind = Kind::invert});
  }
  void comparison() {
    sum();
    for (Operator operation : comparisons) {
      if (!sign(operation)) continue;
      sum();
      return write(operation);
    }
  }
  void sum() {
    product();
    for (;;) {
      const bool adds = sign(Operator::add);
      if (!adds && !sign(Operator::subtract)) return;
      product();
      write(adds ? Operator::add : Operator::subtract);
    }
  }
  void product() {
    signed_value();
    while (const auto operation = factor()) {
      signed_value();
      write(*operation);
    }
  }
  std::optional<Operator> factor() {
    if (rest().starts_with("**")) return std::nullopt;
    for (Operator one :
         {Operator::divide_whole, Operator::multiply, Operator::matrix_product, Operator::divide, Operator::remainder})
      if (sign(one)) return one;
    return std::nullopt;
  }
  void signed_value() {
    const Depth depth(*this);
    if (sign("-")) {
      signed_value();
      return write({.kind = Kind::negate});
    }
    part();
    if (!sign(Operator::power)) return;
    signed_value();
    write(Operator::power);
  }
  void part() {
    const std::size_t begin = operations_.size();
    atom();
    const bool whole_tensor = operations_.size() == begin + 1 && operations_.back().kind == Kind::tensor;
    std::string_view what = whole_tensor ? name(operations_.back().tensor) : std::string_view{};
    while (sign("[")) {
      const std::size_t count = items();
      write({.kind = Kind::part, .count = count, .text = what});
      what = {};
    }
  }
  /// Indices and slices up to the closing bracket.
  std::size_t items() {
    std::size_t count = 0;
    do {
      item();
      ++count;
    } while (sign(","));
    if (!sign("]")) refuse(here(), "] after the indices");
    return count;
  }
  /// An index, or a slice.
  void item() {
    const auto bound = [&] {
      const std::string_view left = rest();
      if (left.starts_with(':') || left.starts_with(',') || left.starts_with(']')) return false;
      expression();
      return true;
    };
    std::uint8_t bounds = bound() ? 1 : 0;
    if (!sign(":")) {
      if (bounds == 0) refuse(here(), "an index");
      return write({.kind = Kind::index});
    }
    if (bound()) bounds |= 2;
    if (sign(":") && bound()) bounds |= 4;
    write({.kind = Kind::slice, .bounds = bounds});
  }
  void atom() {
    if (sign("(")) {
      expression();
      if (!sign(")")) refuse(here(), "a closing parenthesis");
      return;
    }
    const std::string_view left = rest();
    if (left.starts_with('"') || left.starts_with('\'')) return quoted(left);
    if (!left.empty() && (std::isdigit(static_cast<unsigned char>(left[0])) != 0 || left[0] == '.'))
      return number(left);
    named(name_here());
  }
  void quoted(std::string_view left) {
    const auto end = left.find(left[0], 1);
    if (end == std::string_view::npos)
      refuse(fmt::format("{} without a closing quote", shortened(left)), "a text in quotes");
    at_ += end + 1;
    write({.kind = Kind::text, .text = left.substr(1, end - 1)});
  }
  void number(std::string_view left) {
    double value = 0;
    const auto [end, error] = read_number(left.data(), left.data() + left.size(), value);
    if (error != std::errc{}) refuse(fmt::format("\"{}\"", shortened(left)), "a number");
    at_ += static_cast<std::size_t>(end - left.data());
    write({.kind = Kind::number, .number = value});
  }
  void named(std::string_view name) {
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
    if (function) call(*function);
    else if (tensor) write({.kind = Kind::tensor, .tensor = *tensor});
    else write({.kind = Kind::setting, .setting = *setting});
  }
  /// The layer that "L1", followed by a dot, names.
  std::optional<Index> layer_named(std::string_view name) const {
    if (!name.starts_with('L') || !text_.substr(at_ + name.size()).starts_with('.')) return std::nullopt;
    return number_from<Index>(name.substr(1));
  }
  /// The tensor of a layer, behind its prefix.
  void tensor_of(Index layer) {
    const std::string whole = here();
    at_ += name_here().size() + 1;
    const std::string_view wanted = name_here();
    const auto tensor = tensor_named(wanted);
    if (!tensor || info(*tensor).is_of_model()) refuse(whole, "a tensor that each layer has, such as L1.weights");
    at_ += wanted.size();
    write({.kind = Kind::tensor, .tensor = *tensor, .layer = layer});
  }
  /// part(tensor[indices], "source") or part(tensor[indices], "source", "source")
  void share() {
    const std::string allowed = "part(scores[0,0,2,1], \"P\", \"X\"), with the cell in brackets";
    const std::size_t begin = operations_.size();
    atom();
    if (operations_.size() != begin + 1 || operations_.back().kind != Kind::tensor)
      refuse("part of " + here(), allowed);
    Operation share = operations_.back();
    operations_.pop_back();
    if (!sign("[")) refuse(here(), allowed);
    share.kind = Kind::share;
    share.count = items();
    while (sign(",")) {
      expression();
      ++share.texts;
    }
    if (!sign(")")) refuse(here(), "a closing parenthesis");
    if (share.texts < 1 || share.texts > 2) refuse(fmt::format("part with {} sources", share.texts), "one or two");
    write(share);
  }
  void call(Function function) {
    const std::string_view name = name_in(function_names, function);
    if (!sign("(")) refuse(fmt::format("{} {}", name, here()), fmt::format("{}(...)", name));
    if (function == Function::part) return share();
    const bool changes_trace = function == Function::was || function == Function::yours;
    const std::size_t begin = operations_.size();
    if (changes_trace) write({.kind = Kind::enter, .function = function});
    std::size_t count = 0;
    do {
      expression();
      ++count;
    } while (sign(","));
    if (!sign(")")) refuse(here(), "a closing parenthesis");
    if (!changes_trace) return write({.kind = Kind::call, .function = function, .count = count});
    operations_[begin].count = count;
    write({.kind = Kind::leave});
  }

  std::string_view text_;
  std::vector<Operation>& operations_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

// --- Values ----------------------------------------------------------------------------------------------------------

/// Reads the numbers of an array in row-major order, or a single number again and again.
class NumberReader {
 public:
  explicit NumberReader(const Tensor& array) : array_(&array) {
    for (int axis = 0; axis < array.shape().rank(); ++axis) index_.push_back(0);
  }
  explicit NumberReader(double number) : number_(number) {}

  double next() {
    if (array_ == nullptr) return number_;
    const double number = array_->precision() == Precision::float32
                              ? static_cast<double>(array_->data<float>()[offset_])
                              : array_->data<double>()[offset_];
    for (int axis = index_.rank() - 1; axis >= 0; --axis) {
      offset_ += array_->strides()[axis];
      if (++index_[axis] < array_->shape()[axis]) break;
      offset_ -= array_->strides()[axis] * index_[axis];
      index_[axis] = 0;
    }
    return number;
  }

 private:
  const Tensor* array_ = nullptr;
  double number_ = 0;
  Shape index_;
  Index offset_ = 0;
};

NumberReader reader_of(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) return NumberReader(*number);
  return NumberReader(std::get<Tensor>(value));
}

template <class Body>
void for_each_number(const Tensor& array, Body&& body) {
  if (array.is_contiguous())
    return with_element_type(array.precision(), [&](auto zero) {
      const auto* const numbers = array.data<decltype(zero)>();
      for (Index i = 0; i < array.elements(); ++i) body(static_cast<double>(numbers[i]));
    });
  NumberReader numbers(array);
  for (Index left = array.elements(); left > 0; --left) body(numbers.next());
}

/// A new array of this shape. `next` gives its numbers in row-major order.
template <class Next>
Tensor computed(const Shape& shape, Next&& next) {
  Tensor array = Tensor::uninitialized(Precision::float64, shape);
  auto* const numbers = array.writable<double>();
  for (Index i = 0; i < shape.elements(); ++i) numbers[i] = next();
  return array;
}

/// An array without axes is a number.
Value value_of(Tensor array) {
  if (array.shape().rank() == 0) return array.at({});
  return array;
}

Shape shape_of(const Value& value) {
  const auto* array = std::get_if<Tensor>(&value);
  return array ? array->shape() : Shape{};
}

[[noreturn]] void refuse_text(const Value& text, std::string_view what, const char* allowed) {
  refuse(fmt::format("{} of the text \"{}\"", what, std::get<std::string>(text)), allowed);
}

double only_number(const Value& value, std::string_view what) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (std::holds_alternative<std::string>(value)) refuse_text(value, what, "a number");
  refuse(fmt::format("{} of an array of shape {}", what, shape_of(value).to_string()), "a number");
}

constexpr double largest_index = 1e15;

Index whole_number(const Value& value, std::string_view what) {
  const double number = only_number(value, what);
  if (number != std::floor(number) || std::abs(number) > largest_index)
    refuse(fmt::format("{} {}", what, number), "a whole number");
  return static_cast<Index>(number);
}

void require_numbers(const Value& value, std::string_view what) {
  if (std::holds_alternative<std::string>(value)) refuse_text(value, what, "numbers");
}

Tensor part_of(const Tensor& array, const ArrayPart& part, std::string_view what) {
  const auto ranges = ranges_of(part, array.shape());
  if (!ranges)
    refuse(fmt::format("{}{}", what, to_string(part)), fmt::format("indices inside {}", array.shape().to_string()));
  if (shape_of(*ranges).elements() == 0)
    refuse(fmt::format("{}{}", what, to_string(part)), "a part that holds a number");
  return window_on(array, *ranges);
}

/// The number or, of an array, each of its numbers.
template <class Change>
Value changed(const Value& value, Change&& change) {
  if (const auto* number = std::get_if<double>(&value)) return change(*number);
  const auto& array = std::get<Tensor>(value);
  return computed(array.shape(), [&, numbers = NumberReader(array)]() mutable { return change(numbers.next()); });
}

// --- Functions -------------------------------------------------------------------------------------------------------

/// Numbers and arrays in a row.
class Numbers {
 public:
  Numbers(std::span<const Value> values, std::string_view what) : values_(values) {
    for (const Value& value : values) require_numbers(value, what);
  }
  template <class Body>
  void each(Body&& body) const {
    for (const Value& value : values_) {
      if (const auto* number = std::get_if<double>(&value)) body(*number);
      else for_each_number(std::get<Tensor>(value), body);
    }
  }
  double count() const {
    Index all = 0;
    for (const Value& value : values_) all += shape_of(value).elements();
    return static_cast<double>(all);
  }
  template <class Term>
  double sum_of(Term&& term) const {
    double sum = 0;
    each([&](double number) { sum += term(number); });
    return sum;
  }
  double sum() const {
    return sum_of([](double number) { return number; });
  }
  /// The first number that no other is better than, and its index.
  template <class Better>
  std::pair<double, Index> best(Better&& better) const {
    double best = 0;
    Index index = 0;
    Index next = 0;
    each([&](double number) {
      if (next == 0 || better(number, best)) {
        best = number;
        index = next;
      }
      ++next;
    });
    return {best, index};
  }

 private:
  std::span<const Value> values_;
};

/// The index of the one number that is better than all others.
template <class Better>
double only_best(const Numbers& numbers, std::string_view what, Better&& better) {
  const auto [best, index] = numbers.best(better);
  const double winner = best;  // a lambda of C++20 can't capture a structured binding in Clang
  const auto ties = numbers.sum_of([winner](double number) { return number == winner ? 1.0 : 0.0; });
  if (ties != 1)
    refuse(fmt::format("{} of numbers of which {} are the same", what, ties),
           "numbers with a single largest or smallest one");
  return static_cast<double>(index);
}

double spread(const Numbers& numbers) {
  const double mean = numbers.sum() / numbers.count();
  return std::sqrt(numbers.sum_of([&](double number) { return (number - mean) * (number - mean); }) / numbers.count());
}

double entropy(const Numbers& shares) {
  double bits = 0;
  shares.each([&](double share) { bits -= share > 0 ? share * std::log2(share) : 0; });
  return bits;
}

/// Functions that make one number of an array, or of several numbers.
double reduced(Function function, const Numbers& numbers, std::string_view what) {
  switch (function) {
    case Function::max: return numbers.best(std::greater<>()).first;
    case Function::min: return numbers.best(std::less<>()).first;
    case Function::sum: return numbers.sum();
    case Function::mean: return numbers.sum() / numbers.count();
    case Function::std: return spread(numbers);
    case Function::norm: return std::sqrt(numbers.sum_of([](double number) { return number * number; }));
    case Function::entropy: return entropy(numbers);
    case Function::argmax: return only_best(numbers, what, std::greater<>());
    default: return only_best(numbers, what, std::less<>());
  }
}

double of_each(Function function, double number) {
  switch (function) {
    case Function::sqrt:
      if (number < 0) refuse(fmt::format("sqrt({})", number), "the root of a number of at least 0");
      return std::sqrt(number);
    case Function::abs: return std::abs(number);
    case Function::exp: return std::exp(number);
    default:
      if (number <= 0) refuse(fmt::format("log({})", number), "the logarithm of a number above 0");
      return std::log(number);
  }
}

double divisor(Operator sign, double a, double b) {
  if (b == 0) refuse(fmt::format("{} {} 0", a, name_in(operator_signs, sign)), "another divisor than 0");
  return b;
}

double power(double a, double b) {
  if (a == 0 && b < 0) refuse(fmt::format("0 ** {}", b), "an exponent of 0 or more");
  if (a < 0 && std::isfinite(b) && b != std::floor(b)) refuse(fmt::format("({}) ** {}", a, b), "a whole exponent");
  return std::pow(a, b);
}

double of_two(Operator sign, double a, double b) {
  switch (sign) {
    case Operator::add: return a + b;
    case Operator::subtract: return a - b;
    case Operator::multiply: return a * b;
    case Operator::divide: return a / divisor(sign, a, b);
    case Operator::divide_whole: return std::floor(a / divisor(sign, a, b));
    case Operator::remainder: return a - b * std::floor(a / divisor(sign, a, b));
    case Operator::power: return power(a, b);
    case Operator::less_equal: return a <= b;
    case Operator::greater_equal: return a >= b;
    case Operator::equal: return a == b;
    case Operator::not_equal: return a != b;
    case Operator::less: return a < b;
    case Operator::matrix_product:  // of arrays alone
    case Operator::greater: break;
  }
  return a > b;
}

double dot(const Value& a, const Value& b) {
  NumberReader left = reader_of(a);
  NumberReader right = reader_of(b);
  double sum = 0;
  for (Index i = shape_of(a).elements(); i > 0; --i) {
    const double first = left.next();
    sum += first * right.next();
  }
  return sum;
}

Tensor in_double(const Tensor& array) {
  if (array.precision() == Precision::float64) return array.contiguous();
  return computed(array.shape(), [numbers = NumberReader(array)]() mutable { return numbers.next(); });
}

/// As in NumPy, of arrays with one or two axes: the last axis of the first meets the first axis of the second.
Value matrix_product(const Value& a, const Value& b, Work& work) {
  const Shape left = shape_of(a);
  const Shape right = shape_of(b);
  const bool fits = left.rank() >= 1 && left.rank() <= 2 && right.rank() >= 1 && right.rank() <= 2;
  if (!fits || left[left.rank() - 1] != right[0])
    refuse(fmt::format("@ of shapes {} and {}", left.to_string(), right.to_string()),
           "vectors or matrices, of which the first has as many columns as the second has rows");
  Shape shape;
  if (left.rank() == 2) shape.push_back(left[0]);
  if (right.rank() == 2) shape.push_back(right[1]);
  const Index rows = left.rank() == 2 ? left[0] : 1;
  const Index columns = right.rank() == 2 ? right[1] : 1;
  constexpr double at_once = 16;  // terms that a processor multiplies and adds while another operation takes one number
  work.take(static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(right[0]) / at_once);
  const Tensor first = in_double(std::get<Tensor>(a)), second = in_double(std::get<Tensor>(b));
  Tensor result = Tensor::uninitialized(Precision::float64, shape);
  multiply(MatrixView<double>(first.data<double>(), rows, right[0], AnyStride(right[0], 1)),
           MatrixView<double>(second.data<double>(), right[0], columns, AnyStride(columns, 1)),
           WritableMatrix<double>(result.writable<double>(), rows, columns, RowStride(columns)));
  return value_of(result);
}

Value of_two(Operator sign, const Value& a, const Value& b, Work& work) {
  const auto* const text = std::get_if<std::string>(&a);
  const auto* const other = std::get_if<std::string>(&b);
  if (text && other && (sign == Operator::equal || sign == Operator::not_equal))
    return (*text == *other) == (sign == Operator::equal) ? 1.0 : 0.0;
  const std::string_view what = name_in(operator_signs, sign);
  require_numbers(a, what);
  require_numbers(b, what);
  if (sign == Operator::matrix_product) return matrix_product(a, b, work);
  const Shape shape = shape_of(std::holds_alternative<Tensor>(a) ? a : b);
  if (std::holds_alternative<Tensor>(b) && shape_of(b) != shape)
    refuse(fmt::format("{} of shapes {} and {}", what, shape.to_string(), shape_of(b).to_string()),
           "equal shapes, or a number");
  NumberReader left = reader_of(a);
  NumberReader right = reader_of(b);
  const auto next = [&] {
    const double first = left.next();
    return of_two(sign, first, right.next());
  };
  if (shape.rank() == 0) return next();
  return computed(shape, next);
}

double product(Function function, const Value& a, const Value& b) {
  const std::string_view name = name_in(function_names, function);
  require_numbers(a, name);
  require_numbers(b, name);
  const Index length = shape_of(a).elements();
  if (length != shape_of(b).elements())
    refuse(fmt::format("{} of {} and {} numbers", name, length, shape_of(b).elements()), "two arrays of equal length");
  if (function == Function::dot) return dot(a, b);
  const double lengths = std::sqrt(dot(a, a) * dot(b, b));
  if (lengths == 0) refuse("cos of an array of zeros", "arrays with a direction");
  return dot(a, b) / lengths;
}

/// The diagonal of a matrix, or the one that is this many columns further to the right.
Value diagonal(std::span<const Value> values) {
  if (values.size() > 2) refuse(fmt::format("diagonal of {} values", values.size()), "diagonal(a) or diagonal(a, 1)");
  const Shape shape = shape_of(values[0]);
  const Index offset = values.size() == 2 ? whole_number(values[1], "diagonal at") : 0;
  const Index row = std::max<Index>(-offset, 0);
  const Index column = std::max<Index>(offset, 0);
  if (shape.rank() != 2 || row >= shape[0] || column >= shape[1])
    refuse(fmt::format("diagonal {} of an array of shape {}", offset, shape.to_string()), "a matrix that it crosses");
  const auto& matrix = std::get<Tensor>(values[0]);
  Index next = 0;
  return computed({std::min(shape[0] - row, shape[1] - column)}, [&] {
    const Index at = next++;
    return matrix.at({row + at, column + at});
  });
}

Value rounded(std::span<const Value> values) {
  if (values.size() > 2) refuse(fmt::format("round of {} values", values.size()), "round(x) or round(x, decimals)");
  const Index decimals = values.size() == 2 ? whole_number(values[1], "round to") : 0;
  const double unit = std::pow(10.0, static_cast<double>(decimals));
  require_numbers(values[0], "round");
  return changed(values[0], [&](double number) { return std::nearbyint(number * unit) / unit; });
}

void require_count(Function function, std::size_t found, std::size_t wanted) {
  if (found == wanted) return;
  const std::string_view name = name_in(function_names, function);
  refuse(fmt::format("{} of {} values", name, found), fmt::format("{} of {}", name, wanted == 1 ? "one" : "two"));
}

// --- Evaluating ------------------------------------------------------------------------------------------------------

/// Carries out the operations of a program one after the other.
class Evaluator {
 public:
  Evaluator(const Scope& scope, Work& work) : scope_(scope), work_(work), model_(&scope.model) {}

  Value run(const std::vector<Operation>& operations) {
    for (std::size_t at = 0; at < operations.size(); ++at) at += carry_out(operations[at]);
    return taken();
  }

 private:
  /// Returns how many of the operations behind it are passed over.
  std::size_t carry_out(const Operation& operation) {
    switch (operation.kind) {
      case Kind::number: put(operation.number); break;
      case Kind::text: put(std::string(operation.text)); break;
      case Kind::tensor: put(value_of(tensor(operation))); break;
      case Kind::setting: put(setting(operation.setting)); break;
      case Kind::index: items_.push_back({true, index(), {}, {}}); break;
      case Kind::slice: items_.push_back(slice(operation.bounds)); break;
      case Kind::part: put(part(operation)); break;
      case Kind::negate: {
        const Value value = taken();
        take_for(value);
        put(negated(value));
        break;
      }
      case Kind::invert: put(is_true() ? 0.0 : 1.0); break;
      case Kind::truth: put(is_true() ? 1.0 : 0.0); break;
      case Kind::binary: {
        const Value b = taken();
        const Value a = taken();
        take_for(a);
        take_for(b);
        put(of_two(operation.sign, a, b, work_));
        break;
      }
      case Kind::call: put(called(operation)); break;
      case Kind::enter: enter(operation); break;
      case Kind::share: put(shared(operation)); break;
      case Kind::leave:
        model_ = &scope_.model;
        yours_ = nullptr;
        break;
      case Kind::jump: return operation.count;
      case Kind::jump_if_false: return is_true() ? 0 : operation.count;
      case Kind::and_then: return is_true() ? 0 : decided(0, operation);
      case Kind::or_else: return is_true() ? decided(1, operation) : 0;
    }
    return 0;
  }

  void take_for(const Value& operand) { work_.take(static_cast<double>(shape_of(operand).elements())); }
  void put(Value value) { values_.push_back(std::move(value)); }
  Value taken() {
    Value last = std::move(values_.back());
    values_.pop_back();
    return last;
  }
  bool is_true() { return only_number(taken(), "the truth") != 0; }
  Index index() { return whole_number(taken(), "the index"); }
  std::size_t decided(double result, const Operation& operation) {
    put(result);
    return operation.count;
  }

  /// The trace of a layer; of work with a mistake there is only layer 0.
  const Trace* trace_at(Index layer) const {
    if (yours_ != nullptr) return layer == 0 ? yours_ : nullptr;
    return layer >= 0 && layer < std::ssize(model_->layers) ? &model_->at(layer) : nullptr;
  }
  const Setup& setup() const { return trace_at(0)->setup; }
  Index layer_of(const Operation& tensor) const { return layer_with(tensor.tensor, tensor.layer, setup()); }

  const Tensor& tensor(const Operation& operation) const {
    const Trace* const trace = trace_at(layer_of(operation));
    if (trace == nullptr || !trace->has(operation.tensor))
      refuse(layer_prefix(operation.layer) + std::string(name(operation.tensor)), "a tensor that this setup has");
    return (*trace)[operation.tensor];
  }

  ArrayPart taken_items(std::size_t count) {
    const auto first = items_.end() - static_cast<std::ptrdiff_t>(count);
    ArrayPart items(first, items_.end());
    items_.erase(first, items_.end());
    return items;
  }

  /// What one or two sources give to a score or a logit, or to all of a head.
  Value shared(const Operation& operation) {
    std::vector<std::string> sources;
    for (std::size_t i = 0; i < operation.texts; ++i) {
      const Value text = taken();
      if (!std::holds_alternative<std::string>(text)) refuse("part by a number", "the name of a source in quotes");
      sources.insert(sources.begin(), std::get<std::string>(text));
    }
    const Tensor& whole = tensor(operation);
    const std::string_view what = name(operation.tensor);
    ArrayPart items = taken_items(operation.count);
    const auto heads = static_cast<std::size_t>(std::max(0, whole.shape().rank() - 2));
    if (yours_ != nullptr) refuse("part(...) of work with a mistake", "part() outside of yours()");
    if (items.size() < heads || !std::all_of(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(heads),
                                             [](const PartItem& item) { return item.is_position; }))
      refuse(fmt::format("part of {}{}", what, to_string(items)),
             fmt::format("{} in brackets first", heads == 2 ? "a batch item and a head" : "a batch item"));
    const auto ranges = ranges_of(items, whole.shape());
    if (!ranges)
      refuse(fmt::format("{}{}", what, to_string(items)), fmt::format("indices inside {}", whole.shape().to_string()));
    Cell cell{operation.tensor, {}, layer_of(operation)};
    for (int axis = 0; axis < whole.shape().rank(); ++axis)
      cell.index.push_back(axis < static_cast<int>(heads) ? (*ranges)[static_cast<std::size_t>(axis)].first : 0);
    work_.take(static_cast<double>(whole.shape().back(0) * whole.shape().back(1)));
    const Tensor part = part_of_all(*model_, cell, sources.front(), sources.size() > 1 ? sources.back() : "");
    items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(heads));
    return value_of(items.empty() ? part : part_of(part, items, what));
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
      refuse(std::string(name_in(setting_names, setting)),
             "guess and answer only in the text that follows a question's answer");
    return *known;
  }

  PartItem slice(std::uint8_t bounds) {
    const auto bound = [&](std::uint8_t bit) -> std::optional<Index> {
      if ((bounds & bit) == 0) return std::nullopt;
      return index();
    };
    PartItem slice;
    slice.step = bound(4);  // the last bound is taken first
    slice.stop = bound(2);
    slice.start = bound(1);
    if (slice.step == 0) refuse("a slice with a step of 0", "another step");
    return slice;
  }

  Value part(const Operation& operation) {
    const ArrayPart items = taken_items(operation.count);
    const Value whole = taken();
    require_numbers(whole, "a part");
    const std::string_view what = operation.text.empty() ? "an array" : operation.text;
    if (const auto* array = std::get_if<Tensor>(&whole)) return value_of(part_of(*array, items, what));
    refuse(fmt::format("{}{}", what, to_string(items)), "indices inside ()");
  }

  static Value negated(const Value& value) {
    require_numbers(value, "minus");
    return changed(value, [](double number) { return -number; });
  }

  /// Switches to the state before, or to the work with a mistake. Inside of either, was() and yours() mean nothing.
  void enter(const Operation& operation) {
    require_count(operation.function, operation.count, 1);
    const bool is_inside = model_ != &scope_.model || yours_ != nullptr;
    const bool was = operation.function == Function::was;
    if (is_inside || (was ? scope_.before == nullptr : scope_.yours == nullptr))
      refuse(was ? "was(...) without a state before" : "yours(...) without work to check",
             was ? "was() in a step that compares" : "yours() in a step with a mistake");
    if (was) model_ = scope_.before;
    else yours_ = scope_.yours;
  }

  Value called(const Operation& operation) {
    const std::span values = std::span(values_).last(operation.count);
    for (const Value& value : values) take_for(value);
    Value result = result_of(operation.function, values);
    values_.resize(values_.size() - operation.count);
    return result;
  }

  Value result_of(Function function, std::span<const Value> values) const {
    const std::string_view what = name_in(function_names, function);
    switch (function) {
      case Function::dot:
      case Function::cos: require_count(function, values.size(), 2); return product(function, values[0], values[1]);
      case Function::diagonal: return diagonal(values);
      case Function::round: return rounded(values);
      case Function::token:
      case Function::key_token:
      case Function::feature:
      case Function::head_name:
        require_count(function, values.size(), 1);
        return label(function, whole_number(values[0], what));
      case Function::sqrt:
      case Function::abs:
      case Function::exp:
      case Function::log:
        require_count(function, values.size(), 1);
        require_numbers(values[0], what);
        return changed(values[0], [&](double number) { return of_each(function, number); });
      default: return reduced(function, Numbers(values, what), what);
    }
  }

  std::string label(Function function, Index index) const {
    const Setup& setup = this->setup();
    const auto checked = [&](Index count) {
      const std::string_view name = name_in(function_names, function);
      if (index < 0 || index >= count)
        refuse(fmt::format("{}({})", name, index), fmt::format("{}(0) to {}({})", name, name, count - 1));
      return index;
    };
    if (function == Function::token) return setup.token_label(checked(setup.token_count()));
    if (function == Function::key_token) return setup.key_label(checked(setup.key_length()));
    if (function == Function::feature) return setup.feature_label(checked(setup.sizes.d_model));
    return setup.head_label(checked(setup.sizes.heads));
  }

  const Scope& scope_;
  Work& work_;
  const ModelTrace* model_;       ///< that tensors and labels are taken from now
  const Trace* yours_ = nullptr;  ///< and inside of yours() instead of it
  std::vector<Value> values_;     ///< the results that no operation has taken yet
  ArrayPart items_;               ///< the indices and slices of parts that are still being read
};

// --- What is read ----------------------------------------------------------------------------------------------------

/// The part that the operations behind a tensor take of it; all of it where they compute their indices.
ArrayPart part_behind(std::span<const Operation> operations) {
  ArrayPart items;
  std::vector<Index> numbers;
  const auto taken = [&]() -> std::optional<Index> {
    if (numbers.empty()) return std::nullopt;
    const Index last = numbers.back();
    numbers.pop_back();
    return last;
  };
  for (const Operation& operation : operations) {
    if (operation.kind == Kind::part) return items;
    if (operation.kind == Kind::number && std::abs(operation.number) <= largest_index)
      numbers.push_back(static_cast<Index>(operation.number));
    else if (operation.kind == Kind::negate && !numbers.empty()) numbers.back() = -numbers.back();
    else if (operation.kind == Kind::index) items.push_back({true, taken(), {}, {}});
    else if (operation.kind == Kind::slice) {
      PartItem slice;
      if (operation.bounds & 4U) slice.step = taken();
      if (operation.bounds & 2U) slice.stop = taken();
      if (operation.bounds & 1U) slice.start = taken();
      items.push_back(slice);
    } else break;
  }
  return {};
}

/// What the operations read in the present state.
std::vector<Expression::Reading> readings_of(std::span<const Operation> operations) {
  std::vector<Expression::Reading> found;
  bool elsewhere = false;
  for (std::size_t at = 0; at < operations.size(); ++at) {
    if (operations[at].kind == Kind::enter) elsewhere = true;
    if (operations[at].kind == Kind::leave) elsewhere = false;
    if (operations[at].kind == Kind::tensor && !elsewhere)
      found.push_back({operations[at].tensor, part_behind(operations.subspan(at + 1)), operations[at].layer});
    if (operations[at].kind == Kind::share && !elsewhere)
      found.push_back({operations[at].tensor, {}, operations[at].layer});
  }
  return found;
}

}  // namespace

void Work::take(double steps) {
  left_ -= steps;
  if (left_ < 0)
    refuse(
        "more than the numbers of a step may compute",
        fmt::format("operations on up to {} numbers in all, and products with up to 16 times as many terms", steps_));
}

LiveFormat parse_live_format(std::string_view text) {
  static constexpr const char* allowed =
      ".2f, .1%, .3e, .4g or d, with + in front for a sign, and then a comma to separate thousands";
  const auto wrong = [&]() { refuse(fmt::format("the format \"{}\"", text), allowed); };
  LiveFormat format;
  std::string_view left = text;
  if (left.starts_with('+')) {
    format.sign = true;
    left.remove_prefix(1);
  }
  if (left.starts_with(',')) {
    format.thousands = true;
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

Expression::Expression(std::string_view text) {
  auto program = std::make_shared<Program>(Program{std::string(text), {}, {}});
  Parser parser(program->text, program->operations);
  parser.expression();
  if (!parser.rest().empty()) refuse(parser.here(), "the end of the expression");
  program->readings = readings_of(program->operations);
  program_ = std::move(program);
}

const std::string& Expression::text() const { return program_->text; }

const std::vector<Expression::Reading>& Expression::readings() const { return program_->readings; }

bool Expression::reads_yours() const {
  return std::ranges::any_of(program_->operations, [](const Program::Operation& operation) {
    return operation.kind == Program::Operation::Kind::enter && operation.function == Program::Function::yours;
  });
}

Value Expression::value(const Scope& scope, Work& work) const {
  return Evaluator(scope, work).run(program_->operations);
}
Value Expression::value(const Scope& scope) const {
  Work own;
  return value(scope, scope.work != nullptr ? *scope.work : own);
}

double Expression::number(const Scope& scope) const { return only_number(value(scope), text()); }

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
  if (end < text.size()) live.format = parse_live_format(text.substr(end + 1));
  return live;
}

std::string LiveNumber::words(const Scope& scope) const {
  Work own;
  return words(scope, scope.work != nullptr ? *scope.work : own);
}

std::string LiveNumber::words(const Scope& scope, Work& work) const {
  const Value value = expression.value(scope, work);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
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
  if (format.thousands) {
    const std::size_t whole = std::min(text.find_first_not_of("0123456789"), text.size());
    for (std::size_t left = whole; left > 3; left -= 3) text.insert(left - 3, ",");
  }
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  return (number < 0 && !zero ? "−" : format.sign ? "+" : "") + text;
}

}  // namespace headlight
