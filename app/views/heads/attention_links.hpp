// Finds the attention weights that are large enough for a line. It does so once for each request, and on another thread
// if there are many.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "app/session/session.hpp"
#include "app/views/base/later.hpp"
#include "core/model/trace.hpp"

namespace headlight {

struct AttentionLink {
  float weight = 0;
  std::int32_t head = 0;
  std::int32_t query = 0;
  std::int32_t key = 0;
};

/// The links to find. Equal requests have the same links.
struct LinkRequest {
  std::uint64_t version = 0;  ///< the trace's version
  TensorId tensor = TensorId::weights;
  Index batch = 0;
  std::vector<Index> heads;
  double threshold = 0;

  friend bool operator==(const LinkRequest&, const LinkRequest&) = default;
};

struct AttentionLinks {
  LinkRequest request;
  std::vector<AttentionLink>
      links;           ///< the largest ones, at most `most_links`, ordered from the smallest to the largest
  Index above = 0;     ///< how many weights reach the threshold, including those without a link
  double largest = 0;  ///< the largest weight of the requested heads
  bool ready = true;   ///< false during the search, while `links` is empty
};

/// The most lines that are drawn. More could not be distinguished, and drawing them in software takes longer than a
/// frame.
inline constexpr std::size_t most_links = 1000;

/// Finds the links of a trace. Of equal weights the first ones are kept. The result must not be used after a stop.
AttentionLinks find_links(Threads& threads, const Trace& trace, const LinkRequest& request,
                          const std::stop_token& stop = {});

/// Keeps the links of the latest request.
class LinkFinder {
 public:
  /// The links of the request in the session's trace; not `ready` during the search.
  const AttentionLinks& of(Session& session, const LinkRequest& request);
  /// The last result of of().
  const AttentionLinks& last() const { return *last_; }

 private:
  AttentionLinks none_;
  Later<LinkRequest, AttentionLinks> found_;
  const AttentionLinks* last_ = &none_;
};

}  // namespace headlight
