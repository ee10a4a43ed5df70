#include "core/formats/lecture/step_readers.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/model/array_part.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/explain.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

/// One axis of the matrix: its name in messages, which axis of the tensor it is, and how many places it has.
struct MatrixAxis {
  std::string_view entries;
  int axis = 0;
  Index count = 1;
};

/// The rows of a tensor with a single axis are one row without words.
std::optional<MatrixAxis> rows_of(TensorId tensor, const Setup& setup) {
  const int rank = info(tensor).rank;
  if (rank < 2) return std::nullopt;
  return MatrixAxis{"row", rank - 2, shape(tensor, setup).back(1)};
}

MatrixAxis columns_of(TensorId tensor, const Setup& setup) {
  return {"column", info(tensor).rank - 1, shape(tensor, setup).back(0)};
}

/// "1:3", or a single row as a number.
std::optional<ArrayPart> part_of(const TomlValue& value) {
  if (const auto* text = value.as<std::string>()) return parse_array_part(fmt::format("[{}]", *text));
  if (const auto* row = value.as<std::int64_t>()) return ArrayPart{{true, *row, {}, {}}};
  return std::nullopt;
}

std::optional<RowRange> read_rows(TomlReader& reader, const CheckedSetup& checked, const Cell& look_at) {
  const TomlValue* const value = reader.value("rows");
  if (value == nullptr || !checked.valid) return std::nullopt;
  const auto rows = rows_of(look_at.tensor, checked.setup);
  const Index count = rows ? rows->count : 1;
  const auto part = part_of(*value);
  const std::array extents{count};
  const auto ranges = part && part->size() == 1 ? ranges_of(*part, extents) : std::nullopt;
  const bool fits = ranges && ranges->front().count > 0 && ranges->front().step == 1;
  if (!fits) {
    reader.add("rows", describe(*value),
               fmt::format("rows that follow each other, as \"1:3\", or one row, as 2; {} has {}", name(look_at.tensor),
                           counted(count, "row", "rows")));
    return std::nullopt;
  }
  const RowRange range{ranges->front().first, ranges->front().count};
  const Index selected = rows ? look_at.index[rows->axis] : 0;
  if (!range.has(selected)) {
    reader.add("rows",
               fmt::format("{}, without row {} of the step's cell {}", describe(*value), selected, to_string(look_at)),
               fmt::format("rows with row {}", selected));
    return std::nullopt;
  }
  return range;
}

std::optional<int> read_decimals(TomlReader& reader) {
  std::optional<Index> decimals;
  reader.read("decimals", decimals);
  if (!decimals) return std::nullopt;
  if (*decimals >= 0 && *decimals <= most_chosen_decimals) return static_cast<int>(*decimals);
  reader.add("decimals", fmt::format("{}", *decimals),
             fmt::format("a whole number from 0 to {}", most_chosen_decimals));
  return std::nullopt;
}

AxisWords read_axis_words(TomlReader& labels, std::string_view key, const std::optional<MatrixAxis>& axis,
                          const CheckedSetup& checked, TensorId tensor) {
  const TomlValue* const value = labels.value(key);
  if (value == nullptr || !checked.valid) return {};
  const std::string allowed =
      axis ? fmt::format("\"words\", \"positions\", or a list of {}", counted(axis->count, "text", "texts"))
           : fmt::format("nothing, because {} has a single row", name(tensor));
  if (!axis) {
    labels.add(key, describe(*value), allowed);
    return {};
  }
  if (const auto* word = value->as<std::string>()) {
    if (*word == "positions") return {AxisWords::Kind::positions};
    const bool has_words = !label_on_axis(tensor, axis->axis, 0, checked.setup).token.empty();
    if (*word == "words" && has_words) return {AxisWords::Kind::words};
    labels.add(key, fmt::format("\"{}\"{}", *word, *word == "words" ? ", but the setup names none" : ""), allowed);
    return {};
  }
  AxisWords words{AxisWords::Kind::own};
  const auto* const list = value->as<TomlList>();
  for (const TomlValue& entry : list ? *list : TomlList{})
    if (const auto* text = entry.as<std::string>()) words.own.push_back(*text);
  if (list && words.own.size() == list->size() && static_cast<Index>(list->size()) == axis->count) return words;
  labels.add(key, describe(*value), allowed);
  return {};
}

}  // namespace

MatrixChoices matrix_choices_from(TomlReader& reader, const CheckedSetup& checked, const Cell& look_at) {
  MatrixChoices choices;
  choices.rows = read_rows(reader, checked, look_at);
  choices.decimals = read_decimals(reader);
  reader.read("alone", choices.alone);
  reader.read("marks_changed", choices.marks_changed);
  if (!reader.has("labels")) return choices;
  TomlReader labels = reader.table("labels");
  const auto rows = checked.valid ? rows_of(look_at.tensor, checked.setup) : std::nullopt;
  const auto columns = checked.valid ? std::optional(columns_of(look_at.tensor, checked.setup)) : std::nullopt;
  choices.row_words = read_axis_words(labels, "rows", rows, checked, look_at.tensor);
  choices.column_words = read_axis_words(labels, "columns", columns, checked, look_at.tensor);
  labels.finish();
  return choices;
}

}  // namespace headlight
