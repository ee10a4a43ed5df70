#include <cmath>
#include <limits>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/formats/explanation_json.hpp"

using namespace headlight;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Explanation example() {
  const Cell cell{TensorId::weights, {0, 1, 2, 0}};
  const Cell score{TensorId::masked_scores, {0, 1, 2, 0}};
  Explanation explanation;
  explanation.cell = cell;
  explanation.value = 0.1 + 0.2;
  explanation.formula = "a formula";
  explanation.numbers = "1 · 2 = 2";
  explanation.terms = {{"d0", 5e-324, {{"exp", -infinity, score}, {"1/√4", std::nan(""), std::nullopt}}}};
  explanation.softmax_row = {{score, -infinity, 0, 0.1}};
  explanation.note = "hidden by the \"causal\" mask";
  explanation.goes_into = {{{TensorId::context, {0, 1, 2, 0}}, {1, 1, 1, 4}, "context[0,1,2,:]"}};
  return explanation;
}

}  // namespace

TEST_CASE("an explanation is written as JSON, numbers to the last bit") {
  const auto json = nlohmann::json::parse(explanation_json(example()));
  CHECK(json["cell"] == "weights[0,1,2,0]");
  CHECK(json["tensor"] == "weights");
  CHECK(json["index"] == nlohmann::json({0, 1, 2, 0}));
  CHECK(json["value"].get<double>() == 0.1 + 0.2);
  CHECK(json["formula"] == "a formula");
  CHECK(json["numbers"] == "1 · 2 = 2");
  CHECK(json["note"] == "hidden by the \"causal\" mask");

  const auto& term = json["terms"][0];
  CHECK(term["label"] == "d0");
  CHECK(term["value"].get<double>() == 5e-324);
  CHECK(term["factors"][0]["value"] == "-inf");
  CHECK(term["factors"][0]["cell"] == "masked_scores[0,1,2,0]");
  CHECK(term["factors"][1]["value"] == "nan");
  CHECK_FALSE(term["factors"][1].contains("cell"));

  CHECK(json["softmax_row"][0]["score"] == "masked_scores[0,1,2,0]");
  CHECK(json["softmax_row"][0]["score_value"] == "-inf");
  CHECK(json["softmax_row"][0]["exponential"] == 0.0);
  CHECK(json["softmax_row"][0]["weight"] == 0.1);
  CHECK(json["goes_into"][0]["label"] == "context[0,1,2,:]");
  CHECK(json["goes_into"][0]["first"] == "context[0,1,2,0]");
  CHECK(json["goes_into"][0]["counts"] == nlohmann::json({1, 1, 1, 4}));
}

TEST_CASE("what is no number has no sign") {
  Explanation explanation = example();
  explanation.value = -std::nan("");
  CHECK(explanation_text(explanation).starts_with("weights[0,1,2,0] = nan\n"));
}

TEST_CASE("an explanation without lists has empty ones") {
  const auto json = nlohmann::json::parse(explanation_json(Explanation{.cell = {TensorId::b_q, {3}},
                                                                       .value = 2,
                                                                       .formula = {},
                                                                       .numbers = {},
                                                                       .terms = {},
                                                                       .softmax_row = {},
                                                                       .note = {},
                                                                       .goes_into = {}}));
  for (const char* list : {"terms", "softmax_row", "goes_into"}) {
    CHECK(json[list].is_array());
    CHECK(json[list].empty());
  }
  CHECK(json["index"] == nlohmann::json::array({3}));
}

TEST_CASE("labels that are no UTF-8 do not break the JSON") {
  Explanation explanation = example();
  explanation.terms[0].label = "caf\xE9";
  CHECK_NOTHROW(std::ignore = nlohmann::json::parse(explanation_json(explanation)));
}

TEST_CASE("an explanation reads in a terminal") {
  CHECK(explanation_text(example()) == R"(weights[0,1,2,0] = 0.3

  a formula
  1 · 2 = 2
  hidden by the "causal" mask

terms
  d0  4.940656458e-324  exp = -inf · 1/√4 = nan

the softmax row
  masked_scores[0,1,2,0]  -inf  exp(score − max) = 0  weight = 0.1

goes into
  context[0,1,2,:]
)");
}
