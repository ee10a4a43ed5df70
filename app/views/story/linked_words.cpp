#include "app/views/story/linked_words.hpp"

#include <utility>
#include <vector>

#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/view_memory.hpp"

namespace headlight {
namespace {

void follow(ViewContext& context, const std::string& target) {
  if (const auto link = parse_link(target))
    context.memory.get<FrameMemory>().after_frame = [link = *link](Session& session) { Lesson(session).follow(link); };
}

void draw_button(ViewContext& context, const LinkBox& box) {
  const auto link = parse_link(box.target);
  const bool set = link && is_set(context.session, *link);
  const char* const tooltip = set ? "Undo it" : "Click to try it, click again to undo it";
  const ButtonOptions options{.selected = set, .tooltip = link && link->kind == Link::Kind::reset ? "" : tooltip};
  if (button(context.ui, "button", box.rect, set ? "✓ " + box.words : box.words, options)) follow(context, box.target);
}

bool same_link(const LinkBox& a, const LinkBox& b) { return a.link == b.link && a.target == b.target; }

/// A link's words on one line are one piece, with the gaps between them.
std::vector<LinkBox> joined_on_lines(std::vector<LinkBox> links) {
  std::vector<LinkBox> joined;
  for (LinkBox& box : links) {
    const bool goes_on = !joined.empty() && !box.is_button && !joined.back().is_button &&
                         same_link(joined.back(), box) && joined.back().rect.y == box.rect.y;
    if (goes_on) joined.back().rect = joined.back().rect.joined(box.rect);
    else joined.push_back(std::move(box));
  }
  return joined;
}

void draw_link(ViewContext& context, const LinkBox& box, bool first) {
  const Item item = context.ui.item("link", box.rect, {.focusable = first});
  context.ui.say_control(item, box.words, box.is_button ? "button" : "link");
  const Canvas canvas = context.ui.canvas();
  if (item.hovered) canvas.fill({box.rect.x, box.rect.bottom() - 3, box.rect.w, 2}, canvas.theme().text);
  if (item.focused) canvas.focus_ring(box.rect.inset(3));
  if (item.clicked) follow(context, box.target);
}

}  // namespace

float linked_words(const Canvas& canvas, ViewContext* context, const Rect& area, const Markdown& markdown,
                   const MarkdownType& type) {
  std::vector<LinkBox> links;
  const float height = draw_markdown(canvas, area, markdown, context != nullptr, type, &links);
  if (context == nullptr) return height;
  links = joined_on_lines(std::move(links));
  for (std::size_t i = 0; i < links.size(); ++i) {
    context->ui.push_id(static_cast<int>(i));
    const bool first = i == 0 || !same_link(links[i], links[i - 1]);
    if (links[i].is_button) draw_button(*context, links[i]);
    else draw_link(*context, links[i], first);
    context->ui.pop_id();
  }
  return height;
}

}  // namespace headlight
