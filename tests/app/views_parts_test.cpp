// Parts of views that can be tested without drawing a picture.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "../core/setups.hpp"
#include "app/views/heads/attention_lines.hpp"
#include "app/views/heads/attention_links.hpp"
#include "app/views/heads/heads_layout.hpp"
#include "app/views/tensors/tensor_scale.hpp"
#include "core/engine/engine.hpp"
#include "tests/core/some_threads.hpp"

using namespace headlight;
using headlight::testing::some_threads;

TEST_CASE("cards of heads never overlap and never leave the width, whatever there is to show") {
  for (float width : {380.0f, 624.0f, 980.0f, 1700.0f}) {
    for (float height : {180.0f, 420.0f, 900.0f}) {
      for (Index heads : {1, 2, 3, 8, 16, 32}) {
        for (Index tokens : {1, 4, 10, 64, 512}) {
          const CardContent content{heads, tokens, tokens, 4};
          const CardGrid grid = card_grid(width, height, 90, content);
          CAPTURE(width);
          CAPTURE(height);
          CAPTURE(heads);
          CAPTURE(tokens);
          CHECK(grid.per_row * grid.card_rows >= heads);
          CHECK(grid.per_row <= heads);
          for (Index place = 0; place < heads; ++place) {
            const Rect cells = grid.cells({0, 0}, place);
            CHECK(cells.w > 0);
            CHECK(cells.h > 0);
            CHECK(cells.x >= 90);
            CHECK(cells.right() <= width + 0.5f);
            CHECK(cells.bottom() + 4 * measure_row <= grid.height());
            if (place > 0)
              CHECK(cells.outset(card_padding).intersected(grid.cells({0, 0}, place - 1).outset(card_padding)).empty());
          }
        }
      }
    }
  }
}

TEST_CASE("no place among the cards stays empty: rows differ by one card at most, and all stand in the middle") {
  for (Index heads = 1; heads <= 16; ++heads)
    for (float width : {624.0f, 980.0f}) {
      CAPTURE(heads);
      CAPTURE(width);
      const CardGrid grid = card_grid(width, 600, 90, {heads, 6, 6, 0});
      std::map<float, std::vector<Rect>> rows;
      for (Index place = 0; place < heads; ++place) {
        const Rect cells = grid.cells({0, 0}, place);
        CHECK(grid.begins_row(place) == rows[cells.y].empty());
        rows[cells.y].push_back(cells);
      }
      REQUIRE(rows.size() == static_cast<std::size_t>(grid.card_rows));
      const std::size_t most = rows.begin()->second.size();
      CHECK(most == static_cast<std::size_t>(grid.per_row));
      const float middle = (rows.begin()->second.front().x + rows.begin()->second.back().right()) / 2;
      for (const auto& [y, row] : rows) {
        CHECK(row.size() + 1 >= most);
        CHECK(row.size() <= most);
        CHECK((row.front().x + row.back().right()) / 2 == doctest::Approx(middle));
      }
    }
}

TEST_CASE("bare cells become smaller rather than leave the window, and those with bars below stay readable") {
  const CardContent four{4, 5, 5, 0};
  const CardGrid row = card_grid(620, 330, 90, four);
  CHECK(row.per_row == 4);
  CHECK(row.height() <= 330);
  const CardGrid scrolled = card_grid(620, 330, 90, {16, 64, 64, 4});
  CHECK(scrolled.height() > 330);
  CHECK(scrolled.cells_w >= 132);
}

TEST_CASE("cells that are read are wider than high where their numbers need it") {
  for (Index heads : {1, 2}) {
    const CardGrid grid = card_grid(900, 320, 90, {heads, 9, 9, 0});
    CHECK(grid.height() <= 320);
    CHECK(grid.cells_w >= 9 * 34);
  }
}

TEST_CASE("links are the weights that reach the threshold, from the smallest to the largest") {
  const auto trace = compute_trace(testing::small_setup());
  const LinkRequest request{trace->version, TensorId::weights, 0, {1}, 0.2};
  const AttentionLinks found = find_links(some_threads(), *trace, request);
  Index expected = 0;
  double largest = 0;
  for (Index query = 0; query < 4; ++query) {
    for (Index key = 0; key < 4; ++key) {
      const double weight = trace->value({TensorId::weights, {0, 1, query, key}});
      largest = std::max(largest, weight);
      if (weight >= 0.2) ++expected;
    }
  }
  CHECK(found.above == expected);
  CHECK(found.links.size() == static_cast<std::size_t>(expected));
  CHECK(found.largest == largest);
  CHECK(std::is_sorted(found.links.begin(), found.links.end(),
                       [](const auto& a, const auto& b) { return a.weight < b.weight; }));
  for (const AttentionLink& link : found.links)
    CHECK(static_cast<double>(link.weight) ==
          doctest::Approx(trace->value({TensorId::weights, {0, link.head, link.query, link.key}})));
}

TEST_CASE("of too many links the largest are kept, and all are counted") {
  Setup setup = testing::small_setup();
  setup.sizes.query_length = 64;
  const auto trace = compute_trace(setup);
  const LinkRequest request{trace->version, TensorId::weights, 0, {0, 1}, 0};
  const AttentionLinks found = find_links(some_threads(), *trace, request);
  CHECK(found.links.size() == most_links);
  CHECK(found.above > static_cast<Index>(most_links));
  Index larger = 0;
  for (Index head = 0; head < 2; ++head)
    for (Index query = 0; query < 64; ++query)
      for (Index key = 0; key < 64; ++key)
        if (static_cast<float>(trace->value({TensorId::weights, {0, head, query, key}})) > found.links.front().weight)
          ++larger;
  CHECK(larger < static_cast<Index>(most_links));
}

TEST_CASE("shares are written as a person says them") {
  CHECK(percent_text(1) == "100%");
  CHECK(percent_text(0.131) == "13%");
  CHECK(percent_text(0.0312) == "3.1%");
  CHECK(percent_text(0.00004) == "<0.1%");
  CHECK(percent_text(0) == "0%");
}

TEST_CASE("what colours need to know is forgotten of the tensor that was used longest ago") {
  constexpr int more_than_are_kept = 300;
  StatisticsCache cache;
  const auto trace = compute_trace(testing::small_setup());
  const Tensor in_use = cache.multiples_of(some_threads(), *trace, TensorId::weights);
  const Tensor left = cache.multiples_of(some_threads(), *trace, TensorId::weights);
  CHECK(left.shares_block(in_use));
  std::vector<std::shared_ptr<const Trace>> others;
  for (int i = 0; i < more_than_are_kept; ++i) {
    others.push_back(compute_trace(testing::small_setup()));
    cache.of(some_threads(), (*others.back())[TensorId::scores]);
    REQUIRE(cache.multiples_of(some_threads(), *trace, TensorId::weights).shares_block(in_use));
  }
}
