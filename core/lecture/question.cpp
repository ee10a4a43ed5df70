#include "core/lecture/question.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/shapes.hpp"
#include "core/stages/explain.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

/// The most choices. A larger part of a tensor offers none, because nobody could choose among so many.
constexpr Index most_cells = 4096;

std::optional<AxisRanges> ranges_in(const TensorPart& part, const Setup& setup) {
  if (part.layer >= setup.sizes.layers) return std::nullopt;
  if (part.layer != setup.layer) return ranges_in(part, seen_at(setup, part.layer));
  if (!exists(part.tensor, setup)) return std::nullopt;
  return ranges_of(part.part, shape(part.tensor, setup));
}

std::optional<AxisRanges> ranges_in(const Question& question, const Setup& setup) {
  if (!is_pointed_at(question.kind) && question.kind != Question::Kind::draw) return std::nullopt;
  return ranges_in(TensorPart{question.tensor, question.among, question.layer}, setup);
}

/// A mask does not change the numbers that it lets through.
bool same_numbers(TensorId a, TensorId b) {
  const auto scores = [](TensorId tensor) { return tensor == TensorId::scores || tensor == TensorId::masked_scores; };
  return a == b || (scores(a) && scores(b));
}

/// The cells of a tensor in these ranges; none if they are too many.
std::vector<Cell> cells_in(TensorId tensor, const AxisRanges& ranges, Index layer) {
  std::vector<Cell> cells;
  if (shape_of(ranges).elements() > most_cells) return cells;
  std::vector<Shape> indices{Shape{}};
  for (const AxisRange& range : ranges) {
    std::vector<Shape> longer;
    for (const Shape& index : indices)
      for (Index i = 0; i < range.count; ++i) {
        longer.push_back(index);
        longer.back().push_back(range.first + i * range.step);
      }
    indices = std::move(longer);
  }
  for (const Shape& index : indices) cells.push_back({tensor, index, layer});
  return cells;
}

/// The axes along which the choices differ: all that the part keeps, or for rows the first of them.
std::vector<int> axes_of_choice(const Question& question, const AxisRanges& ranges) {
  const std::size_t most = question.kind == Question::Kind::row ? 1 : ranges.size();
  std::vector<int> axes;
  for (std::size_t axis = 0; axis < ranges.size() && axes.size() < most; ++axis)
    if (!ranges[axis].is_position) axes.push_back(static_cast<int>(axis));
  return axes;
}

/// Which of the choices the cell with this index belongs to.
std::size_t choice_among(const std::vector<int>& axes, const AxisRanges& ranges, const Shape& index) {
  Index choice = 0;
  for (int axis : axes) {
    const AxisRange& range = ranges[static_cast<std::size_t>(axis)];
    choice = choice * range.count + (index[axis] - range.first) / range.step;
  }
  return static_cast<std::size_t>(choice);
}

std::vector<Question::Choice> choices_among_cells(const Question& question, const Setup& setup) {
  const auto ranges = ranges_in(question, setup);
  if (!ranges) return {};
  const auto axes = axes_of_choice(question, *ranges);
  std::vector<Question::Choice> choices;
  for (const Cell& cell : cells_of(question, setup)) {
    if (choice_among(axes, *ranges, cell.index) != choices.size()) continue;
    std::vector<std::string> labels;
    std::vector<Index> indices;
    for (int axis : axes) {
      indices.push_back(cell.index[axis]);
      labels.push_back(label_on_axis(question.tensor, axis, indices.back(), setup).main());
    }
    choices.push_back({fmt::format("{}", fmt::join(labels, ", ")), fmt::format("{}", fmt::join(indices, ", "))});
  }
  return choices;
}

/// The only one of the choices with this label or, where none has it, with these indices.
std::optional<std::size_t> only_one(const std::vector<Question::Choice>& choices, const std::string& name) {
  for (std::string Question::Choice::* word : {&Question::Choice::label, &Question::Choice::indices}) {
    const auto count = std::ranges::count(choices, name, word);
    if (count == 1) return static_cast<std::size_t>(std::ranges::find(choices, name, word) - choices.begin());
    if (count > 1) return std::nullopt;
  }
  return std::nullopt;
}

[[noreturn]] void refuse_answer(std::string found, std::string allowed) {
  throw InputError({"", "answer", std::move(found), std::move(allowed)});
}

}  // namespace

std::vector<Cell> cells_of(const Question& question, const Setup& setup) {
  const auto ranges = ranges_in(question, setup);
  return ranges ? cells_in(question.tensor, *ranges, question.layer) : std::vector<Cell>{};
}

namespace {

/// Adds the part if it is of the wanted tensor in the setup's layer.
void add_part(std::vector<AxisRanges>& parts, const TensorPart& part, TensorId wanted, const Setup& setup) {
  if (part.layer != setup.layer || !same_numbers(part.tensor, wanted)) return;
  const auto ranges = ranges_in(part, setup);
  if (ranges && shape_of(*ranges).elements() > 0) parts.push_back(*ranges);
}

/// What the reader chooses among.
TensorPart part_among(const Question& question) { return {question.tensor, question.among, question.layer}; }
bool is_about_cells(const Question& question) {
  return is_pointed_at(question.kind) || question.kind == Question::Kind::draw;
}

}  // namespace

std::vector<AxisRanges> hidden_parts_of(const Question& question, TensorId tensor, const Setup& setup) {
  std::vector<AxisRanges> parts;
  if (is_about_cells(question) && question.kind != Question::Kind::find)
    add_part(parts, part_among(question), tensor, setup);
  for (const TensorPart& part : question.hides) add_part(parts, part, tensor, setup);
  return parts;
}

std::vector<AxisRanges> marked_parts_of(const Question& question, TensorId tensor, const Setup& setup) {
  std::vector<AxisRanges> parts = hidden_parts_of(question, tensor, setup);
  if (question.kind == Question::Kind::find) add_part(parts, part_among(question), tensor, setup);
  return parts;
}

bool hides(const Question& question, const Cell& cell, const Setup& setup) {
  if (cell.layer != setup.layer) return hides(question, cell, seen_at(setup, cell.layer));
  return std::ranges::any_of(hidden_parts_of(question, cell.tensor, setup),
                             [&](const AxisRanges& part) { return has(part, cell.index); });
}

std::vector<Question::Choice> choices_of(const Question& question, const Scope& scope) {
  if (question.choices.empty()) return choices_among_cells(question, scope.setup());
  std::vector<Question::Choice> choices;
  for (const LiveText& choice : question.choices) choices.push_back({filled_label(choice, scope), ""});
  return choices;
}

std::vector<std::string> labels_of(const Question& question, const Scope& scope) {
  std::vector<std::string> labels;
  for (Question::Choice& choice : choices_of(question, scope)) labels.push_back(std::move(choice.label));
  return labels;
}

std::vector<std::size_t> order_of(const Question& question, std::size_t count) {
  if (question.order.size() == count) return question.order;
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

std::vector<std::size_t> shuffled_order(std::size_t count, std::string_view words) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char c : words) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  // The engine's numbers are the same with every compiler, those of the library's distributions are not.
  std::mt19937_64 numbers(hash);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[numbers() % i]);
  return order;
}

std::optional<std::size_t> choice_at(const Question& question, const Cell& cell, const Setup& setup) {
  const auto ranges = is_pointed_at(question.kind) ? ranges_in(question, setup) : std::nullopt;
  if (!ranges || cell.layer != question.layer || !same_numbers(cell.tensor, question.tensor) ||
      !has(*ranges, cell.index))
    return std::nullopt;
  return choice_among(axes_of_choice(question, *ranges), *ranges, cell.index);
}

bool asks_for(const Question& question, const Cell& cell, const Setup& setup) {
  if (cell.layer != setup.layer) return asks_for(question, cell, seen_at(setup, cell.layer));
  if (choice_at(question, cell, setup)) return true;
  if (question.kind == Question::Kind::draw && hides(question, cell, setup)) return true;
  if (!exists(cell.tensor, setup)) return false;
  const Shape whole = shape(cell.tensor, setup);
  const auto reads = [&](const Expression& expression) {
    return std::ranges::any_of(expression.readings(), [&](const Expression::Reading& reading) {
      if (reading.tensor != cell.tensor || layer_with(reading.tensor, reading.layer, setup) != cell.layer) return false;
      const auto ranges = ranges_of(reading.part, whole);
      return ranges && has(*ranges, cell.index);
    });
  };
  return reads(question.answer) || std::ranges::any_of(question.sizes, reads);
}

namespace {

constexpr std::size_t share_steps = 50;  ///< in a whole row

std::vector<std::size_t> digits_of(double number, std::size_t count, std::size_t base) {
  std::vector<std::size_t> digits(count);
  constexpr double largest = 0x1p63;  // far above any row that can be drawn; what is larger has no digits of its own
  auto left = number > 0 ? static_cast<std::uint64_t>(std::min(number, largest)) : 0;
  for (std::size_t place = count; place-- > 0; left /= base) digits[place] = left % base;
  return digits;
}

double number_of(const std::vector<std::size_t>& digits, std::size_t base) {
  double number = 0;
  for (const std::size_t digit : digits) number = number * static_cast<double>(base) + static_cast<double>(digit);
  return number;
}

}  // namespace

std::vector<std::size_t> arrangement_of(double guess, std::size_t count) { return digits_of(guess, count, count); }

double guess_of(const std::vector<std::size_t>& arrangement) { return number_of(arrangement, arrangement.size()); }

std::vector<double> row_of(double guess, std::size_t count) {
  std::vector<double> shares;
  for (const std::size_t steps : digits_of(guess, count, share_steps + 1))
    shares.push_back(static_cast<double>(steps) / share_steps);
  return shares;
}

double guess_of_row(const std::vector<double>& shares) {
  std::vector<std::size_t> steps;
  std::size_t all = 0;
  for (const double share : shares) {
    steps.push_back(static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * share_steps + 1e-9));
    all += steps.back();
  }
  // What rounding down has left over goes to those that lost most.
  std::vector<std::size_t> by_loss = order_of({}, shares.size());
  std::ranges::stable_sort(by_loss, std::ranges::greater{},
                           [&](std::size_t i) { return shares[i] * share_steps - static_cast<double>(steps[i]); });
  for (std::size_t i = 0; all < share_steps && !steps.empty(); ++i, ++all) ++steps[by_loss[i % steps.size()]];
  return number_of(steps, share_steps + 1);
}

std::vector<double> with_share(std::vector<double> shares, std::size_t which, double share) {
  share = std::clamp(share, 0.0, 1.0);
  const double others = 1 - shares[which];
  const auto count = static_cast<double>(shares.size() - 1);
  for (double& other : shares) other = others > 1e-9 ? other * (1 - share) / others : (1 - share) / count;
  shares[which] = share;
  return shares;
}

std::vector<double> row_to_draw(const Question& question, const ModelTrace& model) {
  std::vector<double> row;
  for (const Cell& cell : cells_of(question, model.first().setup)) row.push_back(model.value(cell));
  return row;
}

std::vector<double> wrong_guesses(const Question& question, const Scope& scope) {
  const double answer = *scope.answer;
  std::vector<double> guesses;
  if (question.kind == Question::Kind::number)
    return {answer - 2 * question.within - 1, answer + 2 * question.within + 1};
  const std::size_t choices = labels_of(question, scope).size();
  for (std::size_t choice = 0; choice < choices; ++choice) {
    auto guess = static_cast<double>(choice);
    if (question.kind == Question::Kind::draw)
      guess = guess_of_row(with_share(std::vector<double>(choices), choice, 1));
    if (question.kind == Question::Kind::order) {
      std::vector<std::size_t> arrangement = arrangement_of(answer, choices);
      std::ranges::rotate(arrangement.begin(), std::ranges::find(arrangement, choice), arrangement.end());
      if (arrangement.front() == arrangement_of(answer, choices).front())
        std::swap(arrangement[choices - 1], arrangement[choices - 2]);
      guess = guess_of(arrangement);
    }
    if (!is_right(question, guess, answer)) guesses.push_back(guess);
  }
  return guesses;
}

std::string words_of_choice(const Question& question, double choice, const Scope& scope) {
  const std::vector<std::string> labels = labels_of(question, scope);
  if (question.kind == Question::Kind::order) {
    std::vector<std::string> words;
    for (const std::size_t item : arrangement_of(choice, labels.size())) words.push_back(labels[item]);
    return fmt::format("{}", fmt::join(words, ", "));
  }
  if (question.kind == Question::Kind::draw) {
    std::vector<std::string> words;
    const std::vector<double> shares = row_of(choice, labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i)
      words.push_back(fmt::format("{} {:.0f} %", labels[i], 100 * shares[i]));
    return fmt::format("{}", fmt::join(words, ", "));
  }
  const auto index = static_cast<std::size_t>(std::max(choice, 0.0));
  return index < labels.size() ? labels[index] : std::string();
}

namespace {

/// The arrangement from the smallest to the largest.
double order_by_size(const Question& question, const Scope& scope) {
  std::vector<double> sizes;
  for (const Expression& size : question.sizes) sizes.push_back(size.number(scope));
  std::vector<std::size_t> arrangement = order_of({}, sizes.size());
  std::ranges::sort(arrangement, {}, [&](std::size_t item) { return sizes[item]; });
  for (std::size_t place = 0; place < arrangement.size(); ++place) {
    const std::size_t item = arrangement[place];
    const bool is_tie = place > 0 && sizes[item] == sizes[arrangement[place - 1]];
    if (std::isfinite(sizes[item]) && !is_tie) continue;
    refuse_answer(fmt::format("{} is {}", question.sizes[item].text(), sizes[item]),
                  is_tie ? "numbers that all differ" : "a finite number");
  }
  return guess_of(arrangement);
}

double shares_in(const Question& question, const ModelTrace& model) {
  const std::vector<double> row = row_to_draw(question, model);
  const double all = std::accumulate(row.begin(), row.end(), 0.0);
  if (!(std::abs(all - 1) < 0.01))
    refuse_answer(fmt::format("shares of {:.4g} together", all), "a row that adds up to 1");
  return guess_of_row(row);
}

}  // namespace

double answer_of(const Question& question, const Scope& scope) {
  if (question.kind == Question::Kind::order) return order_by_size(question, scope);
  if (question.kind == Question::Kind::draw) return shares_in(question, scope.model);
  const Value value = question.answer.value(scope);
  const auto* const number = std::get_if<double>(&value);
  if (question.kind == Question::Kind::number) {
    if (!number || !std::isfinite(*number))
      refuse_answer(fmt::format("{} is not a number", question.answer.text()), "one finite number");
    return *number;
  }
  const auto choices = choices_of(question, scope);
  if (const auto* text = std::get_if<std::string>(&value)) {
    if (const auto choice = only_one(choices, *text)) return static_cast<double>(*choice);
    refuse_answer(fmt::format("\"{}\"", *text),
                  fmt::format("one of \"{}\"", fmt::join(labels_of(question, scope), "\", \"")));
  }
  const bool is_index =
      number && *number == std::floor(*number) && *number >= 0 && *number < static_cast<double>(choices.size());
  if (!is_index) {
    const std::string found = number ? fmt::format("{}", *number) : "an array";
    refuse_answer(fmt::format("{} is {}", question.answer.text(), found),
                  choices.empty() ? std::string("something to choose from")
                                  : fmt::format("the place of one of {}: 0 to {}", choices.size(), choices.size() - 1));
  }
  return *number;
}

bool is_right(const Question& question, double guess, double answer) {
  if (question.kind == Question::Kind::draw) {
    constexpr double rounding = 0.5 / share_steps;
    const std::vector<double> drawn = row_of(guess, most_drawn), row = row_of(answer, most_drawn);
    const auto is_near = [&](double a, double b) { return std::abs(a - b) <= question.within + rounding; };
    return std::ranges::equal(drawn, row, is_near);
  }
  if (question.kind != Question::Kind::number) return guess == answer;
  return std::abs(guess - answer) <= question.within * (1 + 1e-9);
}

std::string words_of_number(const Question& question, double answer) {
  if (question.format) return to_string(answer, *question.format);
  if (question.within == 0) return to_string(answer, {.kind = answer == std::round(answer) ? 'd' : 'g'});
  // So few decimals that rounding stays within what a guess may be off.
  const double decimals = std::ceil(-std::log10(2 * question.within) - 1e-9);
  return to_string(answer, {.kind = 'f', .decimals = static_cast<int>(std::clamp(decimals, 0.0, 12.0))});
}

std::string words_of_typed(const Question& question, double guess) {
  return question.is_percentage() ? fmt::format("{:.10g} %", 100 * guess) : fmt::format("{:.10g}", guess);
}

std::optional<double> typed_guess(const Question& question, std::string_view typed) {
  // A number that is shown has a narrow space before its percent sign; a person types any, or none.
  for (const std::string_view end : {"%", "\u202f", "\u00a0", " "})
    if (typed.ends_with(end)) typed.remove_suffix(end.size());
  // Where the answer has commas between thousands, "1,916" is no decimal number.
  const bool has_thousands = question.format && question.format->thousands && typed.find(',') != std::string_view::npos;
  const auto grouped = has_thousands ? grouped_number(typed) : std::nullopt;
  const auto number = grouped ? grouped : typed_number(typed);
  return number && question.is_percentage() ? *number / 100 : number;
}

bool gives_away(const Question& question, const LiveText& words, const Scope& scope) {
  const auto is_answer = [&](double number) {
    return is_right(question, number, *scope.answer) || is_right(question, 100 * number, *scope.answer);
  };
  return std::ranges::any_of(words.numbers, [&](const LiveText::Hole& hole) {
    if (question.kind != Question::Kind::number) return hole.inside.find("answer") != std::string::npos;
    try {
      const Value value = hole.number.expression.value(scope);
      const auto* const number = std::get_if<double>(&value);
      return number != nullptr && is_answer(*number);
    } catch (const InputError&) {
      return false;
    }
  });
}

const LiveText& words_for_wrong(const Question& question, double guess, const Setup& setup) {
  static const LiveText none;
  std::vector<std::string> names;  // the first that has words is used
  if (question.kind != Question::Kind::number) {
    auto chosen = static_cast<std::size_t>(std::max(guess, 0.0));
    if (question.kind == Question::Kind::order) chosen = arrangement_of(guess, question.choices.size()).front();
    if (question.kind == Question::Kind::draw) {
      const std::vector<double> drawn = row_of(guess, choices_among_cells(question, setup).size());
      chosen = static_cast<std::size_t>(std::ranges::max_element(drawn) - drawn.begin());
    }
    // A choice with live numbers is named by its text in the file.
    if (chosen < question.choices.size()) names = {question.choices[chosen].source};
    const auto among = choices_among_cells(question, setup);
    if (chosen < among.size()) names = {among[chosen].label, among[chosen].indices};
  }
  names.emplace_back();
  for (const std::string& name : names) {
    const auto found = std::ranges::find(question.wrong, name, &Question::Wrong::choice);
    if (found != question.wrong.end()) return found->words;
  }
  return none;
}

}  // namespace headlight
