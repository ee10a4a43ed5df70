// Words bent for a sentence.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/text/wording.hpp"

using namespace headlight;

TEST_CASE("wording: lists, counts, whose something is, and clauses as sentences") {
  using Words = std::vector<std::string>;
  CHECK(listed(Words{}).empty());
  CHECK(listed(Words{"a"}) == "a");
  CHECK(listed(Words{"a", "b"}) == "a or b");
  CHECK(listed(Words{"a", "b", "c"}, " and ") == "a, b and c");
  CHECK(counted(1, "query", "queries") == "1 query");
  CHECK(counted(0U, "query", "queries") == "0 queries");
  CHECK(possessive("bank") == "bank’s");
  CHECK(possessive("bites") == "bites’");
  CHECK(is_plural("weights"));
  CHECK_FALSE(is_plural("loss"));
  CHECK_FALSE(is_plural("norm_bias"));
  CHECK(as_sentence("the scale is missing") == "The scale is missing.");
  CHECK(as_sentence("It ends.") == "It ends.");
  CHECK(as_sentence("").empty());
}
