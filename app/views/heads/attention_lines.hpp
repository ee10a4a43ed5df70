// Attention weights as lines from the queries on the left to the keys on the right. The larger a weight, the thicker
// its line. Its colour follows the chosen range.
#pragma once

#include <string>
#include <string_view>

#include "app/ui/drawing/canvas.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/heads/attention_links.hpp"
#include "app/views/tensors/picture_fit.hpp"

namespace headlight {

struct TokensMemory {
  LinkFinder links;
  bool by_key = false;  ///< whether the token that was pointed at last is a key
};

struct AttentionLinesOptions {
  Color ground;              ///< the background
  float widest_pitch = 76;   ///< between tokens
  float widest_span = 680;   ///< between queries and keys
  bool keeps_query = false;  ///< one query is always isolated: the selected one if nothing is hovered or pinned
};

/// Hovering a token highlights its lines and writes a share beside each token of the other side: how a query's
/// attention is divided, or how much each query attends to a key. A click pins it. Shares are means over the heads.
void draw_attention_lines(ViewContext& context, std::string_view id, const Rect& area, const AttentionLinks& links,
                          const AttentionLinesOptions& options);

/// How well the tokens and the lines between them can be seen in an area.
PictureFit fit_of_lines(ViewContext& context, const Rect& area, const AttentionLinks& links,
                        const AttentionLinesOptions& options);

/// "13%", "0.4%"
std::string percent_text(double share);

}  // namespace headlight
