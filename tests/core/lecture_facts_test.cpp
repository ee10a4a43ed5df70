// The lectures' facts hold, and the numbers quoted in their text are those that the program computes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/engine/engine.hpp"
#include "core/lecture/check.hpp"
#include "core/lecture/live_text.hpp"
#include "core/lecture/question.hpp"
#include "core/text/markdown.hpp"
#include "tests/core/lectures.hpp"

namespace headlight {
namespace {

/// A number as a step's narration writes it, and the cell that it is about.
struct Quote {
  std::string_view lecture;
  std::string_view cell;
  std::string_view text;
  double factor = 1;  ///< from the cell's number to the quoted one; 100 for a percentage
};

std::size_t decimals_of(std::string_view number) {
  const auto point = number.find('.');
  return point == std::string_view::npos ? 0 : number.size() - point - 1;
}

constexpr Quote quotes[] = {
    {"numpy-from-scratch", "dot_products[0,1,2,0]", "22.1456"},
    {"numpy-from-scratch", "dot_products[0,1,0,2]", "22.2792"},
    {"numpy-from-scratch", "scores[0,1,2,0]", "11.0728"},
    {"numpy-from-scratch", "weights[0,1,2,0]", "25.4", 100},
    {"numpy-from-scratch", "weights[0,1,2,1]", "12.3", 100},
    {"numpy-from-scratch", "weights[0,1,2,2]", "61.5", 100},
    {"numpy-from-scratch", "weights[0,1,2,3]", "0.8", 100},
    {"numpy-from-scratch", "V_heads[0,1,0,0]", "2.139"},
    {"numpy-from-scratch", "V_heads[0,1,3,0]", "1.748"},
    {"numpy-from-scratch", "output[0,0,0]", "9.19301463"},
    {"behind-the-scenes", "Q[0,4,14]", "2.26"},
    {"behind-the-scenes", "Q[0,0,4]", "5.74"},
    {"behind-the-scenes", "dot_products[0,2,0,0]", "68.24"},
    {"behind-the-scenes", "scores[0,2,0,0]", "34.12"},
    {"behind-the-scenes", "scores[0,2,0,2]", "27.32"},
    {"behind-the-scenes", "scores[0,2,4,4]", "17.6"},
    {"behind-the-scenes", "scores[0,1,0,0]", "50.2"},
    {"behind-the-scenes", "weights[0,2,0,0]", "99.7", 100},
    {"behind-the-scenes", "weights[0,0,3,0]", "89.0", 100},
    {"behind-the-scenes", "V_heads[0,2,0,0]", "4.1089"},
    {"behind-the-scenes", "context[0,2,4,0]", "4.0919"},
    {"behind-the-scenes", "context[0,2,0,0]", "4.1073"},
    {"behind-the-scenes", "output[0,0,0]", "32.8207"},
    {"udl-12-2", "b_q[4]", "0.6401"},
    {"udl-12-2", "dot_products[0,0,0,4]", "46.25"},
    {"udl-12-2", "weights[0,0,0,4]", "99.45", 100},
    {"udl-12-2", "weights[0,1,1,1]", "93.9", 100},
    {"udl-12-2", "weights[0,0,5,0]", "50.3", 100},
    {"udl-12-2", "weights[0,0,5,4]", "45.4", 100},
    {"udl-12-2", "context[0,0,1,0]", "1.5975"},
    {"udl-12-2", "V_heads[0,0,5,0]", "1.5975"},
    {"valid-lengths", "scores[1,0,0,3]", "3038.1"},
    {"valid-lengths", "masked_scores[1,0,0,0]", "2895.1"},
    {"shapes", "weights[0,0,0,7]", "0.1956"},
};

TEST_CASE("every fact holds, or says why nobody can compare it") {
  for (const Lecture& each : all_lectures()) {
    CAPTURE(each.id);
    for (const FactResult& result : check(each)) {
      CAPTURE(result.part);
      CAPTURE(result.what);
      CAPTURE(result.detail);
      CHECK(result.verdict != FactResult::Verdict::differs);
      if (result.verdict == FactResult::Verdict::not_reproducible) CHECK_FALSE(result.detail.empty());
    }
  }
}

TEST_CASE("a fact that is off by one unit of its last digit, or by one in its shape, differs") {
  for (Lecture each : all_lectures()) {
    CAPTURE(each.id);
    for (Part& part : each.parts) {
      std::erase_if(part.facts, [](const Fact& fact) { return !can_be_compared(fact); });
      for (Fact& fact : part.facts) {
        if (fact.is_shape()) (*fact.printed_shape)[0] += 1;
        else fact.values.back() += std::pow(10.0, -fact.decimals);
      }
    }
    for (const FactResult& result : check(each)) {
      CAPTURE(result.what);
      CHECK(result.verdict == FactResult::Verdict::differs);
    }
  }
}

TEST_CASE("the numbers that lectures quote are those on the screen") {
  std::size_t checked = 0;
  for (const Lecture& each : all_lectures()) {
    const Setup& setup = each.parts.front().setup;
    const auto trace = compute_trace(setup);
    for (const Quote& quote : quotes) {
      if (quote.lecture != each.id) continue;
      CAPTURE(quote.cell);
      const double value = trace->value(parse_cell(quote.cell, setup)) * quote.factor;
      CHECK(fmt::format("{:.{}f}", value, decimals_of(quote.text)) == quote.text);
      ++checked;
    }
  }
  CHECK(checked == std::size(quotes));
}

TEST_CASE("the loss of another part that a question types is that part's") {
  // A question's words see two states; of three losses, the third is typed, in the words and in the answer.
  const auto lectures = all_lectures();
  const auto where = std::ranges::find(lectures, "where", &Lecture::id);
  REQUIRE(where != lectures.end());
  const auto alibi = std::ranges::find(where->parts, "alibi", &Part::id);
  REQUIRE(alibi != where->parts.end());
  const ModelTrace model = compute_model(alibi->setup);
  const Scope scope{model};
  const auto loss = read_live_text("{sum(loss) / (batch * (query_length - 1)):.2f}");
  const std::string typed = plain_text(filled(loss, scope));
  const auto step = std::ranges::find(where->steps, "Which one learns best?", &Step::title);
  REQUIRE(step != where->steps.end());
  CHECK(step->question->right.source.find("ALiBi " + typed) != std::string::npos);
  const auto types_it = [&](const Expression& size) { return size.text().starts_with(typed + " *"); };
  CHECK(std::ranges::any_of(step->question->sizes, types_it));
}

}  // namespace
}  // namespace headlight
