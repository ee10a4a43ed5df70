// The tokens view in the centre: lines from the query tokens at the left to the keys that they attend to, at the right.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"
#include "app/views/tokens/attention_links.hpp"

namespace headlight {

struct TokensMemory {
  LinkFinder links;
  bool by_key = false;  ///< whether the token that was pointed at last is a key
};

void draw_tokens_view(ViewContext& context, Rect area);

}  // namespace headlight
