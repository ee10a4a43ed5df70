// The weights that are large enough for a line.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace.hpp"

namespace headlight {

struct AttentionLink {
  float weight = 0;
  std::int32_t head = 0;
  std::int32_t query = 0;
  std::int32_t key = 0;
};

/// What is asked for. Two requests that compare equal have the same links.
struct LinkRequest {
  std::uint64_t version = 0;  ///< of the trace
  TensorId tensor = TensorId::weights;
  Index batch = 0;
  std::vector<Index> heads;
  double threshold = 0;

  friend bool operator==(const LinkRequest&, const LinkRequest&) = default;
};

struct AttentionLinks {
  LinkRequest request;
  std::vector<AttentionLink> links;  ///< from the smallest to the largest; at most `most_links`, the largest ones
  Index above = 0;                   ///< weights that reach the threshold, drawn or not
  double largest = 0;                ///< over the heads that were asked for
};

/// More lines than this are neither readable nor quick.
inline constexpr std::size_t most_links = 1500;

AttentionLinks find_links(const Trace& trace, const LinkRequest& request);

}  // namespace headlight
