#include "core/lecture/question.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/lecture/live_text.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

/// A part of a tensor that has grown beyond what a person can choose from offers nothing.
constexpr Index most_cells = 4096;

std::optional<AxisRanges> ranges_in(const Question& question, const Setup& setup) {
  if (question.kind != Question::Kind::cell && question.kind != Question::Kind::row) return std::nullopt;
  if (!exists(question.tensor, setup)) return std::nullopt;
  const Shape extents = shape(question.tensor, setup);
  return ranges_of(question.among, std::span(extents.begin(), extents.end()));
}

/// A mask changes no number that it lets pass.
bool same_numbers(TensorId a, TensorId b) {
  const auto scores = [](TensorId tensor) { return tensor == TensorId::scores || tensor == TensorId::masked_scores; };
  return a == b || (scores(a) && scores(b));
}

/// The axes along which the choices differ: all that the part keeps, or for rows the first of them.
std::vector<int> axes_of_choice(const Question& question, const AxisRanges& ranges) {
  const std::size_t most = question.kind == Question::Kind::row ? 1 : ranges.size();
  std::vector<int> axes;
  for (std::size_t axis = 0; axis < ranges.size() && axes.size() < most; ++axis)
    if (!ranges[axis].is_position) axes.push_back(static_cast<int>(axis));
  return axes;
}

std::string axis_label(Axis axis, Index place, const Setup& setup) {
  switch (axis) {
    case Axis::query: return setup.query_label(place);
    case Axis::key: return setup.key_label(place);
    case Axis::head: return setup.head_label(place);
    case Axis::d_model:
    case Axis::other_d_model: return setup.feature_label(place);
    default: return fmt::format("{}", place);
  }
}

/// Which of the choices the cell with this index belongs to.
std::size_t place_among(const std::vector<int>& axes, const AxisRanges& ranges, const Shape& index) {
  Index place = 0;
  for (int axis : axes) {
    const AxisRange& range = ranges[static_cast<std::size_t>(axis)];
    place = place * range.count + (index[axis] - range.first) / range.step;
  }
  return static_cast<std::size_t>(place);
}

std::vector<std::string> labels_of_cells(const Question& question, const Setup& setup) {
  const auto ranges = ranges_in(question, setup);
  if (!ranges) return {};
  const auto axes = axes_of_choice(question, *ranges);
  std::vector<std::string> labels;
  for (const Cell& cell : cells_of(question, setup)) {
    if (place_among(axes, *ranges, cell.index) != labels.size()) continue;
    std::vector<std::string> words;
    for (int axis : axes)
      words.push_back(axis_label(info(question.tensor).axes[static_cast<std::size_t>(axis)], cell.index[axis], setup));
    labels.push_back(fmt::format("{}", fmt::join(words, ", ")));
  }
  return labels;
}

[[noreturn]] void refuse(std::string found, std::string allowed) {
  throw InputError({"", "answer", std::move(found), std::move(allowed)});
}

}  // namespace

std::vector<Cell> cells_of(const Question& question, const Setup& setup) {
  const auto ranges = ranges_in(question, setup);
  std::vector<Cell> cells;
  if (!ranges || shape_of(*ranges).elements() > most_cells) return cells;
  std::vector<Shape> indices{Shape{}};
  for (const AxisRange& range : *ranges) {
    std::vector<Shape> longer;
    for (const Shape& index : indices)
      for (Index i = 0; i < range.count; ++i) {
        longer.push_back(index);
        longer.back().push_back(range.first + i * range.step);
      }
    indices = std::move(longer);
  }
  for (const Shape& index : indices) cells.push_back({question.tensor, index});
  return cells;
}

std::vector<std::string> labels_of(const Question& question, const Scope& scope) {
  if (question.kind != Question::Kind::choice) return labels_of_cells(question, scope.trace.setup);
  std::vector<std::string> labels;
  for (const std::string& choice : question.choices) labels.push_back(filled_plain(choice, scope));
  return labels;
}

std::optional<std::size_t> place_of(const Question& question, const Cell& cell, const Setup& setup) {
  const auto ranges = ranges_in(question, setup);
  if (!ranges || !same_numbers(cell.tensor, question.tensor) || cell.index.rank() != static_cast<int>(ranges->size()))
    return std::nullopt;
  for (int axis = 0; axis < cell.index.rank(); ++axis)
    if (!(*ranges)[static_cast<std::size_t>(axis)].has(cell.index[axis])) return std::nullopt;
  return place_among(axes_of_choice(question, *ranges), *ranges, cell.index);
}

double answer_of(const Question& question, const Scope& scope) {
  const Value value = Expression(question.answer).value(scope);
  if (question.kind == Question::Kind::number) {
    if (!value.is_number() || !std::isfinite(value.number()))
      refuse(fmt::format("{} is no number", question.answer), "one finite number");
    return value.number();
  }
  const auto labels = labels_of(question, scope);
  if (value.text) {
    if (std::count(labels.begin(), labels.end(), *value.text) != 1)
      refuse(fmt::format("\"{}\"", *value.text), fmt::format("one of \"{}\"", fmt::join(labels, "\", \"")));
    return static_cast<double>(std::find(labels.begin(), labels.end(), *value.text) - labels.begin());
  }
  const bool is_place = value.is_number() && value.number() == std::floor(value.number()) && value.number() >= 0 &&
                        value.number() < static_cast<double>(labels.size());
  if (!is_place) {
    const std::string found = value.is_number() ? fmt::format("{}", value.number()) : "an array";
    refuse(fmt::format("{} is {}", question.answer, found),
           labels.empty() ? std::string("something to choose from")
                          : fmt::format("the place of one of {}: 0 to {}", labels.size(), labels.size() - 1));
  }
  return value.number();
}

bool is_right(const Question& question, double guess, double answer) {
  return question.is_chosen() ? guess == answer : std::abs(guess - answer) <= question.within * (1 + 1e-9);
}

std::string words_for_wrong(const Question& question, double guess, const Scope& scope) {
  // A choice with live numbers goes by its text in the file.
  const auto labels =
      question.kind == Question::Kind::choice ? question.choices : labels_of_cells(question, scope.trace.setup);
  std::string label;
  if (const auto place = static_cast<std::size_t>(std::max(guess, 0.0)); question.is_chosen() && place < labels.size())
    label = labels[place];
  const auto find = [&](const std::string& choice) {
    return std::find_if(question.wrong.begin(), question.wrong.end(),
                        [&](const Question::Wrong& wrong) { return wrong.choice == choice; });
  };
  auto found = label.empty() ? question.wrong.end() : find(label);
  if (found == question.wrong.end()) found = find("");
  return found == question.wrong.end() ? "" : found->words;
}

}  // namespace headlight
