#include "core/formats/explanation_json.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/composition/parts_table.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "nan";
  return value < 0 ? "-inf" : "inf";
}

Json indices(const Shape& shape) { return Json(std::vector<Index>(shape.begin(), shape.end())); }

/// The array of `convert(value)` for all values.
template <class Values, class Convert>
Json array_of(const Values& values, Convert&& convert) {
  Json array = Json::array();
  for (const auto& value : values) array.push_back(convert(value));
  return array;
}

Json factor_json(const Factor& factor) {
  Json json{{"label", factor.name()}, {"value", number(factor.value)}};
  if (factor.cell) json["cell"] = to_string(*factor.cell);
  return json;
}

Json term_json(const Term& term) {
  return {{"label", term.label}, {"value", number(term.value)}, {"factors", array_of(term.factors, factor_json)}};
}

Json softmax_json(const SoftmaxEntry& entry) {
  return {{"score", to_string(entry.score)},
          {"score_value", number(entry.score_value)},
          {"exponential", number(entry.exponential)},
          {"weight", number(entry.weight)}};
}

Json goes_into_json(const GoesInto& into) {
  return {{"label", into.label}, {"first", to_string(into.first)}, {"counts", indices(into.counts)}};
}

/// Ten significant digits: enough to tell any two float32 numbers apart, and no more than a person compares. The sign
/// of what is no number means nothing.
std::string digits(double value) { return std::isnan(value) ? "nan" : fmt::format("{:.10g}", value); }

using Rows = std::vector<std::vector<std::string>>;

/// The rows with aligned columns, under a heading; empty if there are no rows.
std::string table(const std::string& heading, const Rows& rows) {
  if (rows.empty()) return {};
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], character_count(row[i]));
  }
  std::string text = fmt::format("\n{}\n", heading);
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i)
      line += ' ' + row[i] + std::string(widths[i] - character_count(row[i]) + 1, ' ');
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

std::string factors_text(const Term& term) {
  std::string text;
  for (const Factor& factor : term.factors) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : " · ", factor.name(), digits(factor.value));
  }
  return text;
}

Rows term_rows(const Explanation& explanation) {
  Rows rows;
  for (const Term& term : explanation.terms) rows.push_back({term.label, digits(term.value), factors_text(term)});
  return rows;
}

Rows softmax_rows(const Explanation& explanation) {
  Rows rows;
  for (const SoftmaxEntry& entry : explanation.softmax_row) {
    rows.push_back({to_string(entry.score), digits(entry.score_value),
                    "exp(score − max) = " + digits(entry.exponential), "weight = " + digits(entry.weight)});
  }
  return rows;
}

Rows goes_into_rows(const Explanation& explanation) {
  Rows rows;
  for (const GoesInto& into : explanation.goes_into) rows.push_back({into.label});
  return rows;
}

}  // namespace

std::string explanation_json(const Explanation& explanation) {
  Json json{{"cell", to_string(explanation.cell)},
            {"tensor", name(explanation.cell.tensor)},
            {"index", indices(explanation.cell.index)},
            {"value", number(explanation.value)},
            {"formula", explanation.formula},
            {"numbers", explanation.numbers},
            {"terms", array_of(explanation.terms, term_json)},
            {"softmax_row", array_of(explanation.softmax_row, softmax_json)},
            {"note", explanation.note},
            {"goes_into", array_of(explanation.goes_into, goes_into_json)}};
  if (explanation.sink > 0) json["sink"] = number(explanation.sink);
  return printable_lines(json.dump(2, ' ', false, Json::error_handler_t::replace)) + '\n';
}

std::string parts_json(const Parts& parts, const Cell& cell, double value, const Setup& setup) {
  const auto named = [&](const StreamSource& source) { return to_string(source, setup); };
  Json rows = Json::array();
  for (std::size_t row = 0; row < parts.rows.size(); ++row) {
    Json numbers = Json::array();
    for (Index column = 0; column < parts.numbers.shape()[1]; ++column)
      numbers.push_back(number(parts.at(row, static_cast<std::size_t>(column))));
    rows.push_back(std::move(numbers));
  }
  Json json{{"cell", to_string(cell)},
            {"value", number(value)},
            {"rows", array_of(parts.rows, named)},
            {"columns", array_of(parts.columns, named)},
            {"numbers", std::move(rows)}};
  if (parts.position_bias) json["position_bias"] = number(*parts.position_bias);
  json["rest"] = number(parts.rest);
  return printable_lines(json.dump(2, ' ', false, Json::error_handler_t::replace)) + '\n';
}

std::string parts_text(const Parts& parts, const Cell& cell, double value, const Setup& setup) {
  const PartsTable table_of_parts = table_of(parts, std::max(parts.rows.size(), parts.columns.size()));
  const bool is_score = !parts.columns.empty();
  Rows rows;
  if (is_score) {
    rows.emplace_back(1);
    for (const TableSource& column : table_of_parts.columns) rows.back().push_back(label_of(column, 0, setup));
    rows.back().emplace_back("sum");
  }
  for (std::size_t row = 0; row < table_of_parts.rows.size(); ++row) {
    rows.push_back({label_of(table_of_parts.rows[row], 0, setup)});
    for (std::size_t column = 0; column < table_of_parts.columns.size(); ++column)
      rows.back().push_back(digits(table_of_parts.at(row, column)));
    if (is_score) rows.back().push_back(digits(table_of_parts.row_sums[row]));
  }
  rows.push_back({"sum"});
  if (is_score)
    for (const double sum : table_of_parts.column_sums) rows.back().push_back(digits(sum));
  rows.back().push_back(digits(table_of_parts.sum));
  if (parts.position_bias) rows.push_back({"ALiBi", digits(*parts.position_bias)});
  rows.push_back({"rounding", digits(parts.rest)});
  return fmt::format("{} = {}\n{}", to_string(cell), digits(value),
                     table(is_score ? "by source: the query's part down, the key's part across" : "by source", rows));
}

std::string explanation_text(const Explanation& explanation) {
  std::string text = fmt::format("{} = {}\n", to_string(explanation.cell), digits(explanation.value));
  if (!explanation.formula.empty()) text += fmt::format("\n  {}\n", explanation.formula);
  if (!explanation.numbers.empty()) text += fmt::format("  {}\n", explanation.numbers);
  if (!explanation.note.empty()) text += fmt::format("  {}\n", explanation.note);
  text += table("terms", term_rows(explanation));
  text += table("the softmax row", softmax_rows(explanation));
  text += table("goes into", goes_into_rows(explanation));
  return text;
}

}  // namespace headlight
