#include "core/formats/diagnose/report_text.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/diagnose/next_step.hpp"
#include "core/formats/script/draw_code.hpp"
#include "core/stages/table.hpp"
#include "core/text/characters.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : "inf";
}

Json tensor_json(const TensorVerdict& verdict) {
  return {{"name", name(verdict.tensor)},
          {"yours", verdict.yours},
          {"shape", std::vector<Index>(verdict.shape.begin(), verdict.shape.end())},
          {"max_abs", number(verdict.max_abs)},
          {"cells_off", verdict.cells_off},
          {"agrees", verdict.agrees},
          {"step_agrees", verdict.step_agrees}};
}

Json diagnosis_json(const Diagnosis& diagnosis, const Setup& setup) {
  std::vector<std::string_view> tensors;
  for (const TensorId id : diagnosis.at) tensors.push_back(name(id));
  return {{"tensor", name(diagnosis.tensor)}, {"tensors", tensors},
          {"mistake", diagnosis.mistake},     {"misfit", number(diagnosis.misfit)},
          {"explains", diagnosis.explains},   {"fix", fix_of(diagnosis, setup, framework_of(setup))}};
}

std::string tensors_at(const Diagnosis& diagnosis) {
  std::vector<std::string_view> names;
  for (const TensorId id : diagnosis.at) names.push_back(name(id));
  return names.empty() ? "draws" : fmt::format("{}", fmt::join(names, ", "));
}

std::string indented(const std::string& lines) { return "    " + replaced(lines, "\n", "\n    "); }

std::string words_of(const Diagnosis& diagnosis, const Setup& setup) {
  return fmt::format("{}: {} ({}, {:.1e} remains).\n{}\n", tensors_at(diagnosis), diagnosis.words, diagnosis.mistake,
                     diagnosis.misfit, indented(fix_of(diagnosis, setup, framework_of(setup))));
}

std::ptrdiff_t explaining(const CheckReport& report) {
  return std::ranges::count_if(report.diagnoses, &Diagnosis::explains);
}

std::ptrdiff_t explaining(const ModelReport& report) {
  return std::ranges::count_if(report.diagnoses, [](const ModelDiagnosis& each) { return each.what.explains; });
}

/// Of the layer in which the first difference is.
const CheckReport& first_layer(const ModelReport& report) {
  return std::ranges::find(report.layers, report.first_difference->layer, &LayerReport::layer)->report;
}

std::vector<std::string> names_in(const std::vector<TensorId>& tensors, const Setup& setup) {
  std::vector<std::string> names;
  for (const TensorId id : tensors) names.emplace_back(name_in_model(id, setup));
  return names;
}

/// What is said where none of these explains the difference: how many they are, and which comes closest.
std::string none_explains(const std::vector<const Diagnosis*>& tried) {
  if (tried.empty()) return "No known mistake explains it.\n";
  std::set<std::string_view> mistakes;
  for (const Diagnosis* const diagnosis : tried) mistakes.insert(diagnosis->mistake);
  const Diagnosis& closest = **std::ranges::min_element(tried, {}, &Diagnosis::misfit);
  const std::string best = std::isfinite(closest.misfit)
                               ? fmt::format("; {} comes closest, and leaves {:.2g}", closest.mistake, closest.misfit)
                               : std::string();
  if (mistakes.size() == 1) return fmt::format("The one known mistake that fits here doesn't explain it{}.\n", best);
  return fmt::format("None of {} known mistakes explains it{} (--json lists them).\n", mistakes.size(), best);
}

/// The same, and what to hand over next. Both are about the layer of the first difference.
std::string unexplained_text(const CheckReport& layer, const Setup& setup, const std::vector<const Diagnosis*>& tried) {
  const std::string next = next_step_text(layer, setup);
  return none_explains(tried) + (next.empty() ? "" : '\n' + next + '\n');
}

/// What is said where nothing differs: never of arrays that were not compared.
std::string agreement_text(const std::vector<std::string>& unrecognised) {
  if (unrecognised.empty()) return "Everything agrees.\n";
  if (unrecognised.size() == 1)
    return fmt::format("What was compared agrees, but {} was not compared.\n", unrecognised.front());
  return fmt::format("What was compared agrees, but {} were not compared.\n", first_names(unrecognised));
}

std::string verdict_text(const CheckReport& report) {
  if (!report.first_difference) return agreement_text(report.unrecognised);
  const auto first = std::ranges::find(report.tensors, *report.first_difference, &TensorVerdict::tensor);
  return fmt::format("The first difference is in {} (yours: {}).\n", name(first->tensor), first->yours);
}

std::string names_of(const std::vector<TensorId>& tensors) {
  std::vector<std::string_view> names;
  for (const TensorId id : tensors) names.push_back(name(id));
  return listed(names);
}

/// "mine has the numbers of concat or output, and is taken for output: --name mine=concat says otherwise"
std::string doubt_text(const Doubt& doubt) {
  const std::string fits = fmt::format("{} has the {} of {}", doubt.yours,
                                       doubt.by == KnownBy::value ? "numbers" : "shape", names_of(doubt.candidates));
  if (!doubt.taken_for)
    return fmt::format("{}: which is it? (--name '{}={}')\n", fits, doubt.yours, name(doubt.candidates.front()));
  const auto is_other = [&](TensorId id) { return id != doubt.taken_for && info(id).kind == TensorKind::computed; };
  const auto found = std::ranges::find_if(doubt.candidates, is_other);
  const TensorId other = found == doubt.candidates.end() ? doubt.candidates.front() : *found;
  return fmt::format("{}, and is taken for {}. If it is another, say so (--name '{}={}')\n", fits,
                     name(*doubt.taken_for), doubt.yours, name(other));
}

}  // namespace

Framework framework_of(const Setup& setup) {
  return setup.random.generator == GeneratorKind::torch ? Framework::torch : Framework::numpy;
}

std::string fix_of(const Diagnosis& diagnosis, const Setup& setup, Framework framework) {
  const Code code{setup, framework};
  if (!diagnosis.draws.empty()) {
    std::string lines = draw_paragraphs(code);
    while (lines.ends_with('\n')) lines.pop_back();
    return lines;
  }
  const std::string& own = framework == Framework::torch ? diagnosis.fix_torch : diagnosis.fix_numpy;
  if (!own.empty()) return own;
  std::vector<std::string> lines;
  for (const TensorId id : diagnosis.mended.empty() ? diagnosis.at : diagnosis.mended) {
    for (const CodeLine& line : stage_of(id).code(code)) lines.push_back(line.code);
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::string next_step_text(const CheckReport& report, const Setup& setup) {
  const NextStep next = next_step(report, setup);
  if (next.in_this_step)
    return fmt::format("Everything before {} agrees, so the difference begins in its own step.",
                       name_in_model(*report.first_difference, setup));
  if (next.hand_over.empty()) return {};
  const std::vector<std::string> names = names_in(next.hand_over, setup);
  if (names.size() == 1)
    return fmt::format("Next, hand over your {} as well: it shows whether the difference begins before it or after.",
                       names.front());
  return fmt::format("Next, hand over your {} as well: they show whether the difference begins before them or after.",
                     listed(names, " and "));
}

std::string report_json(const CheckReport& report, const Setup& setup) {
  Json json{{"agrees", report.agrees}, {"first_difference", nullptr}};
  if (report.first_difference) json["first_difference"] = name(*report.first_difference);
  json["tensors"] = Json::array();
  for (const TensorVerdict& verdict : report.tensors) json["tensors"].push_back(tensor_json(verdict));
  json["diagnoses"] = Json::array();
  for (const Diagnosis& diagnosis : report.diagnoses) json["diagnoses"].push_back(diagnosis_json(diagnosis, setup));
  json["unrecognised"] = report.unrecognised;
  json["notes"] = report.notes;
  json["hand_over"] = Json::array();
  if (explaining(report) == 0) json["hand_over"] = names_in(next_step(report, setup).hand_over, setup);
  return printable_lines(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string report_text(const CheckReport& report, const Setup& setup) {
  std::string text = verdict_text(report);
  const auto found = explaining(report);
  if (found > 0) text += found == 1 ? "\nThis explains it:\n\n" : "\nThese explain it:\n\n";
  for (const Diagnosis& diagnosis : report.diagnoses)
    if (diagnosis.explains) text += words_of(diagnosis, setup);
  if (!report.agrees && found == 0) {
    std::vector<const Diagnosis*> tried;
    for (const Diagnosis& diagnosis : report.diagnoses) tried.push_back(&diagnosis);
    text += unexplained_text(report, setup, tried);
  }
  if (!report.notes.empty()) text += '\n';
  for (const std::string& note : report.notes) text += fmt::format("Note: {}.\n", note);
  if (!report.doubts.empty()) text += '\n';
  for (const Doubt& doubt : report.doubts) text += doubt_text(doubt);
  std::vector<std::string> unknown = report.unrecognised;
  std::erase_if(unknown, [&](const std::string& yours) { return report.doubt_about(yours) != nullptr; });
  if (!unknown.empty())
    text += fmt::format("\nNot recognised: {} (--name THEIRS=OURS says which tensor one is)\n", first_names(unknown));
  return text;
}

namespace {

std::string place_in(const Setup& setup, const LayerTensor& place) {
  return std::string(name_in_model(place.tensor, seen_at(setup, place.layer)));
}

std::vector<std::string> places_in(const Setup& setup, const ModelDiagnosis& diagnosis) {
  std::vector<std::string> names;
  for (const LayerTensor& place : diagnosis.at) names.push_back(place_in(setup, place));
  return names;
}

std::string fix_in(const ModelDiagnosis& diagnosis, const Setup& setup) {
  return fix_of(diagnosis.what, seen_at(setup, diagnosis.layer), framework_of(setup));
}

std::string words_of(const ModelDiagnosis& diagnosis, const Setup& setup) {
  const std::vector<std::string> places = places_in(setup, diagnosis);
  return fmt::format("{}: {} ({}, {:.1e} remains).\n{}\n",
                     places.empty() ? "draws" : fmt::format("{}", fmt::join(places, ", ")), diagnosis.what.words,
                     diagnosis.what.mistake, diagnosis.what.misfit, indented(fix_in(diagnosis, setup)));
}

}  // namespace

std::string report_json(const ModelReport& report, const Setup& setup) {
  Json json{{"agrees", report.agrees}, {"first_difference", nullptr}};
  if (report.first_difference) json["first_difference"] = place_in(setup, *report.first_difference);
  json["tensors"] = Json::array();
  for (const LayerReport& layer : report.layers) {
    for (const TensorVerdict& verdict : layer.report.tensors) {
      json["tensors"].push_back(tensor_json(verdict));
      json["tensors"].back()["name"] = place_in(setup, {layer.layer, verdict.tensor});
    }
  }
  json["diagnoses"] = Json::array();
  for (const ModelDiagnosis& diagnosis : report.diagnoses) {
    const std::vector<std::string> places = places_in(setup, diagnosis);
    json["diagnoses"].push_back({{"tensor", place_in(setup, {diagnosis.layer, diagnosis.what.tensor})},
                                 {"tensors", places},
                                 {"mistake", diagnosis.what.mistake},
                                 {"misfit", number(diagnosis.what.misfit)},
                                 {"explains", diagnosis.what.explains},
                                 {"fix", fix_in(diagnosis, setup)}});
  }
  json["unrecognised"] = report.unrecognised;
  json["notes"] = report.notes;
  json["hand_over"] = Json::array();
  if (report.first_difference && explaining(report) == 0) {
    const Setup seen = seen_at(setup, report.first_difference->layer);
    json["hand_over"] = names_in(next_step(first_layer(report), seen).hand_over, seen);
  }
  return printable_lines(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string report_text(const ModelReport& report, const Setup& setup) {
  std::string text = agreement_text(report.unrecognised);
  if (report.first_difference)
    text = fmt::format("The first difference is in {}.\n", place_in(setup, *report.first_difference));
  const auto found = explaining(report);
  if (found > 0) text += found == 1 ? "\nThis explains it:\n\n" : "\nThese explain it:\n\n";
  for (const ModelDiagnosis& diagnosis : report.diagnoses)
    if (diagnosis.what.explains) text += words_of(diagnosis, setup);
  if (!report.agrees && found == 0) {
    std::vector<const Diagnosis*> tried;
    for (const ModelDiagnosis& diagnosis : report.diagnoses) tried.push_back(&diagnosis.what);
    text += unexplained_text(first_layer(report), seen_at(setup, report.first_difference->layer), tried);
  }
  if (!report.notes.empty()) text += '\n';
  for (const std::string& note : report.notes) text += fmt::format("Note: {}.\n", note);
  if (!report.unrecognised.empty())
    text += fmt::format("\nNot recognised: {} (--name THEIRS=OURS says which tensor one is)\n",
                        first_names(report.unrecognised));
  return text;
}

}  // namespace headlight
