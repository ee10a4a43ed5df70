// Which range the colours of a tensor take.
#include <doctest/doctest.h>

#include <vector>

#include "app/session/actions/actions.hpp"
#include "app/session/display/display_entries.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"

using namespace headlight;

namespace {

Setup with_keys(Index keys) {
  Setup setup;
  setup.sizes.query_length = keys;
  setup.tokens.clear();
  return setup;
}

}  // namespace

TEST_CASE("weights start from 0 to 1 up to 16 keys, and by even attention beyond") {
  CHECK(range_kind_of(RangeKind::automatic, TensorId::weights, with_keys(16)) == RangeKind::unit);
  CHECK(range_kind_of(RangeKind::automatic, TensorId::weights, with_keys(17)) == RangeKind::even);
  CHECK(range_kind_of(RangeKind::automatic, TensorId::dropped_weights, with_keys(17)) == RangeKind::even);
  CHECK(range_kind_of(RangeKind::unit, TensorId::weights, with_keys(64)) == RangeKind::unit);
}

TEST_CASE("a tensor that holds no weights has none of their ranges") {
  for (const RangeKind kind : {RangeKind::unit, RangeKind::even, RangeKind::top})
    CHECK(range_kind_of(kind, TensorId::scores, with_keys(64)) == RangeKind::automatic);
  CHECK(range_kind_of(RangeKind::min_max, TensorId::scores, with_keys(64)) == RangeKind::min_max);
}

TEST_CASE("probabilities of a task go from 0 to 1, and are no multiples of an even share") {
  for (const RangeKind kind : {RangeKind::automatic, RangeKind::unit, RangeKind::even})
    CHECK(range_kind_of(kind, TensorId::probabilities, with_keys(64)) == RangeKind::unit);
  CHECK(range_kind_of(RangeKind::top, TensorId::probabilities, with_keys(64)) == RangeKind::top);
  CHECK(range_kind_of(RangeKind::automatic, gradient_of(TensorId::probabilities), with_keys(4)) ==
        RangeKind::automatic);
}

TEST_CASE("one key goes through all ranges but the one that needs numbers, and begins again") {
  for (const TensorId tensor : {TensorId::weights, TensorId::probabilities, TensorId::scores}) {
    std::vector<RangeKind> seen;
    RangeKind kind = range_kind_of(RangeKind::automatic, tensor, with_keys(4));
    do {
      seen.push_back(kind);
      kind = next_range(kind, tensor, with_keys(4));
    } while (kind != seen.front() && seen.size() < 10);
    CHECK(seen.size() == offered_ranges(tensor).size() - 1);
    CHECK(next_range(RangeKind::fixed, tensor, with_keys(4)) == offered_ranges(tensor).front());
  }
}

TEST_CASE("the palette offers the ranges that the tensor in view can have") {
  Session session;
  Selecting(session).select_tensor(TensorId::scores);
  CHECK_FALSE(action_named("range.even")->enabled(session));
  CHECK(action_named("range.shared")->enabled(session));
  Selecting(session).select_tensor(TensorId::weights);
  CHECK(action_named("range.even")->enabled(session));
  CHECK_FALSE(action_named("range.shared")->enabled(session));
  run(*action_named("range.even"), session);
  CHECK(session.display().heatmap(TensorId::weights).range == RangeKind::even);
  Selecting(session).select_tensor(TensorId::X);
  session.show(View::tokens);
  run(*action_named("range.unit"), session);
  CHECK(session.display().heatmap(TensorId::weights).range == RangeKind::unit);
}
