#include "app/commands/commands.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "app/commands/streams.hpp"
#include "app/commands/table.hpp"
#include "core/diagnose/model_check.hpp"
#include "core/formats/diagnose/given_arrays.hpp"
#include "core/formats/diagnose/report_text.hpp"
#include "core/model/problem.hpp"

namespace headlight {
namespace {

/// "mine=scores"; their name may contain "=" too.
Naming parse_names(const std::vector<std::string>& texts) {
  Naming names;
  for (const std::string& text : texts) {
    const auto equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      throw InputError({"--name", "", text, "THEIRS=OURS, as in att=weights"});
    names.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return names;
}

void require_tolerance(const char* option, double value) {
  if (!(value >= 0) || std::isinf(value))
    throw InputError({option, "", fmt::format("{}", value), "a number from 0 up"});
}

std::string step_words(const CheckReport& report, const TensorVerdict& verdict) {
  std::string mark = verdict.step_agrees ? "✓" : "✗";
  if (report.first_difference == verdict.tensor) return mark + " first difference";
  if (verdict.agrees) return mark;
  return mark + (verdict.step_agrees ? " follows from it" : " differs again");
}

std::string_view word_of(KnownBy by) {
  switch (by) {
    case KnownBy::hand: return "--name";
    case KnownBy::name: return "name";
    case KnownBy::value: return "numbers";
    case KnownBy::shape: return "shape";
  }
  return {};
}

std::vector<std::string> row(const CheckReport& report, const TensorVerdict& verdict, const std::string& name) {
  return {verdict.agrees ? "✓" : "✗",
          verdict.yours,
          name,
          std::string(word_of(verdict.by)),
          verdict.shape.to_string(),
          fmt::format("{:.1e}", verdict.max_abs),
          fmt::format("{}/{}", verdict.cells_off, verdict.shape.elements()),
          verdict.agrees && verdict.by_rounding ? "✓ rounding" : step_words(report, verdict)};
}

std::string table_of(const std::vector<std::vector<std::string>>& rows) {
  return table({"", "yours", "ours", "known by", "shape", "max |Δ|", "cells off", "step on its own"}, rows) + "\n";
}

std::string text_of(const CheckReport& report, const Setup& setup) {
  std::vector<std::vector<std::string>> rows;
  for (const TensorVerdict& verdict : report.tensors)
    rows.push_back(row(report, verdict, std::string(name(verdict.tensor))));
  return table_of(rows) + report_text(report, setup);
}

std::string text_of(const ModelReport& report, const Setup& setup) {
  std::vector<std::vector<std::string>> rows;
  std::string on_theirs;
  for (const LayerReport& layer : report.layers) {
    for (const TensorVerdict& verdict : layer.report.tensors)
      rows.push_back(row(layer.report, verdict, name_in_model(verdict.tensor, seen_at(setup, layer.layer))));
    if (layer.on_theirs)
      on_theirs +=
          fmt::format("Layer {} is compared with what our layer makes of what yours below it gave.\n", layer.layer);
  }
  return table_of(rows) + on_theirs + report_text(report, setup);
}

bool says(const CheckReport& report, TensorId tensor) {
  return std::ranges::find(report.tensors, tensor, &TensorVerdict::tensor) != report.tensors.end();
}
bool says(const ModelReport& report, TensorId tensor) {
  return std::ranges::any_of(report.layers, [&](const LayerReport& layer) { return says(layer.report, tensor); });
}

/// Where a task's own tensor is missing, what agrees is no more than what its template computes.
template <class Report>
std::string missing_of_task(const What& what, const Report& report) {
  const std::optional<Practice> practice = practice_of(what);
  if (!practice || says(report, practice->to)) return {};
  return fmt::format("The task of this step asks for {}, and there is none in it yet.\n", name(practice->to));
}

}  // namespace

int diagnose_arrays(const What& what, const DiagnoseArguments& arguments) {
  require_tolerance("--atol", arguments.tolerance.absolute);
  require_tolerance("--rtol", arguments.tolerance.relative);
  const DiagnoseOptions options{parse_names(arguments.names), arguments.tolerance};
  const Setup setup = setup_of(what);
  const std::vector<GivenArray> arrays = read_given_arrays(arguments.mine, what.memory_limit);
  const auto say = [&](const auto& report) {
    print_words(arguments.json ? report_json(report, setup) + "\n"
                               : text_of(report, setup) + missing_of_task(what, report));
    return report.agrees ? done : check_failed;
  };
  const ModelTrace model = model_trace_of(what);
  const std::string source = arguments.mine.string();
  if (setup.block.residual) return say(diagnose_model(model, arrays, options, source, what.threads));
  return say(diagnose(model.first(), arrays, options, source, what.threads));
}

}  // namespace headlight
