// The weights that are large enough for a line, searched once for each request, on another thread if there are many.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "app/session/session.hpp"
#include "app/views/tensors/later.hpp"
#include "core/model/trace.hpp"

namespace headlight {

struct AttentionLink {
  float weight = 0;
  std::int32_t head = 0;
  std::int32_t query = 0;
  std::int32_t key = 0;
};

/// Which links are wanted. Two requests that compare equal have the same links.
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
  double largest = 0;                ///< the largest weight of the requested heads
  bool ready = true;                 ///< false while the search is running; there are no links yet
};

/// More lines than this are neither readable nor quick.
inline constexpr std::size_t most_links = 1500;

/// Of weights of the same size the first ones are kept. Of no use where it was stopped.
AttentionLinks find_links(Threads& threads, const Trace& trace, const LinkRequest& request,
                          const std::stop_token& stop = {});

/// Keeps the links of the latest request.
class LinkFinder {
 public:
  /// In the session's trace.
  const AttentionLinks& of(Session& session, const LinkRequest& request);
  /// What of() gave last.
  const AttentionLinks& last() const { return *last_; }

 private:
  AttentionLinks none_;
  Later<LinkRequest, AttentionLinks> found_;
  const AttentionLinks* last_ = &none_;
};

}  // namespace headlight
