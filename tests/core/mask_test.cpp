#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "core/model/mask.hpp"

using namespace headlight;

namespace {

Setup cross_setup(std::vector<MaskKind> kinds) {
  Setup setup;
  setup.attention.source = Source::cross;
  setup.sizes.batch = 2;
  setup.sizes.query_length = 5;
  setup.sizes.key_length = 7;
  setup.mask = {.kinds = std::move(kinds), .valid_lengths = {3, 0}, .window = 1, .blocked = {{4, 1}, {0, 0}, {0, 2}}};
  return setup;
}

}  // namespace

TEST_CASE("each mask kind hides what its rule says") {
  const Mask causal(cross_setup({MaskKind::causal}));
  CHECK(causal.visible(0, 2, 2));
  CHECK_FALSE(causal.visible(0, 2, 3));
  const Mask padding(cross_setup({MaskKind::padding}));
  CHECK(padding.visible(0, 4, 2));
  CHECK_FALSE(padding.visible(0, 4, 3));
  CHECK_FALSE(padding.visible(1, 4, 0));
  const Mask window(cross_setup({MaskKind::window}));
  CHECK(window.visible(0, 3, 4));
  CHECK_FALSE(window.visible(0, 3, 5));
  CHECK_FALSE(window.visible(0, 3, 1));
  const Mask custom(cross_setup({MaskKind::custom}));
  CHECK_FALSE(custom.visible(0, 0, 2));
  CHECK(custom.visible(0, 0, 1));
}

TEST_CASE("queries are the first positions or the last, as the mask is aligned") {
  Setup setup = cross_setup({MaskKind::causal});
  CHECK(Mask(setup).range(0, 0).end == 1);  // a setup of cross-attention means what it meant
  setup.mask.align = MaskAlign::bottom_right;
  for (Index query = 0; query < 5; ++query) CHECK(Mask(setup).range(0, query).end == query + 3);
  setup.mask.kinds = {MaskKind::window};
  CHECK(Mask(setup).range(0, 0).begin == 1);
  CHECK(Mask(setup).range(0, 0).end == 4);
  setup.sizes.key_length = 4;  // fewer keys than queries: no other place
  CHECK(Mask(setup).position(0) == 0);

  Setup cached;
  cached.sizes.past = 3;
  cached.sizes.query_length = 2;
  cached.mask.kinds = {MaskKind::causal};
  CHECK(Mask(cached).range(0, 0).end == 4);
  CHECK(Mask(cached).range(0, 1).end == 5);
  cached.mask.align = MaskAlign::top_left;
  CHECK(Mask(cached).range(0, 0).end == 1);
}

TEST_CASE("padding on the left leaves the last keys") {
  Setup setup = cross_setup({MaskKind::padding});
  setup.mask.padding_side = PaddingSide::left;
  const Mask mask(setup);
  CHECK_FALSE(mask.visible(0, 0, 3));
  CHECK(mask.visible(0, 0, 4));
  CHECK(mask.visible(0, 0, 6));
  CHECK(mask.is_blind(1, 0));
}

TEST_CASE("a row at once agrees with cell by cell, for every combination of kinds") {
  for (unsigned combination = 0; combination < 16; ++combination) {
    std::vector<MaskKind> kinds;
    for (unsigned kind = 0; kind < 4; ++kind) {
      if (combination >> kind & 1U) kinds.push_back(static_cast<MaskKind>(kind));
    }
    for (Index width : {Index{0}, Index{1}, Index{3}, Index{100}, std::numeric_limits<Index>::max()}) {
      Setup setup = cross_setup(kinds);
      setup.mask.window = width;
      if (combination % 3 > 0) setup.mask.align = MaskAlign::bottom_right;
      if (combination % 2 > 0) setup.mask.padding_side = PaddingSide::left;
      const Mask mask(setup);
      std::vector<unsigned char> row;
      for (Index batch = 0; batch < 2; ++batch) {
        for (Index query = 0; query < 5; ++query) {
          mask.visible_row(batch, query, row);
          REQUIRE(row.size() == 7);
          for (Index key = 0; key < 7; ++key) {
            CHECK((row[static_cast<std::size_t>(key)] == 1) == mask.visible(batch, query, key));
          }
          CHECK(mask.visible_keys(batch, query) == std::count(row.begin(), row.end(), 1));
        }
      }
    }
  }
}

TEST_CASE("queries that see no key are reported") {
  const auto blind = blind_queries(cross_setup({MaskKind::padding}));
  REQUIRE(blind.size() == 5);
  CHECK(blind.front() == BlindQuery{1, 0});
  CHECK(blind_queries(cross_setup({MaskKind::causal})).empty());
  CHECK(blind_queries(cross_setup({})).empty());
}
