#include "app/figures/handout/handout_pages.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "app/export/pdf.hpp"
#include "app/platform/app.hpp"
#include "app/platform/surfaces/offscreen.hpp"
#include "app/ui/ui.hpp"

namespace headlight {
namespace {

constexpr double pixels_per_centimetre = 96 / 2.54;
constexpr float side = 64;  ///< the margins, in design pixels
constexpr float top = 56;
constexpr float bottom = 72;
constexpr float code_line = 17;
constexpr float highest_picture = 0.34f;   ///< as a share of the page
constexpr float smallest_picture = 0.68f;  ///< as a share of its size, where that brings it onto the page of its words
constexpr MarkdownType small{TextStyle::control, TextStyle::control_strong, TextStyle::code, 19};

/// Something that stands on a page as a whole.
struct Block {
  float above = 0;  ///< the gap to what stands above it on the same page
  float height = 0;
  float least = 0;  ///< a picture may shrink to this height
  std::function<void(const Canvas& canvas, const Rect& place)> draw;
  bool with_next = false;  ///< stands on the same page as the next block
  bool ends_page = false;  ///< the next block begins a page
  const PrintedPicture* picture = nullptr;
  std::string mark = {};  ///< what the document's outline calls it
};

/// Draws below `top`, or only measures; returns the height.
using Setting = std::function<float(const Canvas& canvas, const Rect& place, bool draw)>;

/// The blocks of a handout, for a page with this much room. Refers to the handout.
class Composer {
 public:
  Composer(const Canvas& canvas, float width, float height) : canvas_(canvas), width_(width), height_(height) {}

  std::vector<Block> compose(const Handout& handout) {
    line_of_type(0, handout.title, TextStyle::title, 28, handout.title);
    if (!handout.source.empty()) line_of_type(4, handout.source, TextStyle::control, 19);
    blocks_.back().with_next = true;
    words(14, handout.goals);
    words(14, handout.reading, small);
    for (std::size_t i = 0; i < handout.steps.size(); ++i) add(handout.steps[i], i + 1);
    answers(handout);
    return std::move(blocks_);
  }

 private:
  /// A block higher than a page is cut between lines of this height.
  void add(float above, float line, const Setting& setting) {
    const float whole = setting(canvas_, {0, 0, width_, 0}, false);
    const float most = std::max(line, std::floor(height_ / line) * line);
    for (float from = 0; from < whole; from += most) {
      const bool cut = whole > height_;
      blocks_.push_back({.above = from > 0 ? 0 : above,
                         .height = cut ? std::min(most, whole - from) : whole,
                         .least = cut ? std::min(most, whole - from) : whole,
                         .draw = [setting, from, cut](const Canvas& canvas, const Rect& place) {
                           if (cut) canvas.push_clip(place);
                           setting(canvas, place.moved(0, -from), true);
                           if (cut) canvas.pop_clip();
                         }});
      if (!cut) break;
    }
  }

  void words(float above, const Markdown& markdown, const MarkdownType& type = {}, float left = 0) {
    bool in_list = false;
    for (const MarkdownBlock& block : markdown) {
      const bool item = block.kind == BlockKind::list_item;
      const float gap = &block == &markdown.front() ? above : item && in_list ? 2.0f : 10.0f;
      in_list = item;
      add(gap, type.line_height, [only = Markdown{block}, type, left](const Canvas& canvas, Rect place, bool draw) {
        place.cut_left(left);
        return draw_markdown(canvas, place, only, draw, type);
      });
      blocks_.back().with_next = block.kind == BlockKind::heading;
    }
  }

  void line_of_type(float above, const std::string& text, TextStyle style, float line, const std::string& mark = {}) {
    add(above, line, [text, style, line](const Canvas& canvas, const Rect& place, bool draw) {
      const auto lines = canvas.wrapped(text, style, place.w);
      for (std::size_t i = 0; draw && i < lines.size(); ++i)
        canvas.text({place.x, place.y + line * static_cast<float>(i) + 0.78f * line}, lines[i], style,
                    canvas.theme().text);
      return line * static_cast<float>(lines.size());
    });
    blocks_.back().mark = mark;
  }

  void heading(std::size_t number, const std::string& title, const std::string& mark) {
    line_of_type(number == 1 ? 30 : 34, fmt::format("{}   {}", number, title), TextStyle::formula_strong, 26, mark);
    blocks_.back().with_next = true;
  }

  void add(const PrintedStep& step, std::size_t number) {
    heading(number, step.title, fmt::format("{}. {}", number, step.title));
    const std::size_t first = blocks_.size();
    words(6, step.words);
    picture(step.picture);
    for (std::size_t i = first; i + 1 < blocks_.size() || (i < blocks_.size() && !step.code.empty()); ++i)
      blocks_[i].with_next = true;
    if (!step.code.empty()) code(step.code);
    if (step.question) {
      blocks_.back().with_next = true;
      question(*step.question);
    }
    if (!step.notes.empty()) notes(step.notes);
    // What follows may show what is asked.
    blocks_.back().ends_page = step.question.has_value();
  }

  void picture(const PrintedPicture& picture) {
    const auto wide = static_cast<float>(picture.size.width);
    const auto high = static_cast<float>(picture.size.height);
    const float scale = std::min({1.0f, width_ / wide, highest_picture * height_ / high});
    const float height = scale * high;
    blocks_.push_back(
        {.above = 14, .height = height, .least = smallest_picture * height, .draw = {}, .picture = &picture});
  }

  void code(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    add(12, code_line, [text](const Canvas& canvas, const Rect& place, bool draw) {
      const auto lines = canvas.wrapped(text, TextStyle::code, place.w - 14);
      const float height = code_line * static_cast<float>(lines.size());
      if (draw) canvas.fill({place.x, place.y, 2, height}, canvas.theme().outline);
      for (std::size_t i = 0; draw && i < lines.size(); ++i)
        canvas.text({place.x + 14, place.y + code_line * static_cast<float>(i) + 13}, lines[i], TextStyle::code,
                    canvas.theme().text);
      return height;
    });
  }

  static float choices(const Canvas& canvas, const Rect& place, const std::vector<std::string>& labels, bool draw) {
    constexpr float row = 24;
    constexpr float box = 11;
    float y = place.y;
    for (const std::string& label : labels) {
      if (draw) canvas.stroke({place.x, y + 6, box, box}, canvas.theme().text, 1, 1);
      const auto lines = canvas.wrapped(label, TextStyle::body, place.w - 22);
      for (const std::string_view line : lines) {
        if (draw) canvas.text({place.x + 22, y + 16}, line, TextStyle::body, canvas.theme().text);
        y += row;
      }
    }
    return y - place.y;
  }

  static float blank(const Canvas& canvas, const Rect& place, bool draw) {
    if (draw) {
      const float label = canvas.text({place.x, place.y + 16}, "Your answer", TextStyle::body, canvas.theme().text2);
      canvas.line({place.x + label + 10, place.y + 18}, {place.x + label + 170, place.y + 18}, canvas.theme().text);
    }
    return 24;
  }

  void question(const PrintedQuestion& question) {
    add(14, 21, [&question](const Canvas& canvas, const Rect& place, bool draw) {
      constexpr float padding = 12;
      Rect inner = place.inset(padding, 0);
      inner.y += padding;
      const auto below = [&](float height) { inner.y += height; };
      below(draw_markdown(canvas, inner, question.asked.ask, draw) + 6);
      below(question.choices.empty() ? blank(canvas, inner, draw) : choices(canvas, inner, question.choices, draw));
      if (!question.asked.hint.empty()) {
        Markdown hint = question.asked.hint;
        hint.front().spans.insert(hint.front().spans.begin(), {"Hint: ", SpanKind::strong});
        below(6);
        below(draw_markdown(canvas, inner, hint, draw, small));
      }
      const float height = inner.y + padding - place.y;
      if (draw) canvas.stroke({place.x, place.y, place.w, height}, canvas.theme().text, 1.25f, 8);
      return height;
    });
  }

  void notes(const Markdown& markdown) {
    add(12, small.line_height, [&markdown](const Canvas& canvas, const Rect& place, bool draw) {
      Rect inner = place;
      inner.cut_left(14);
      if (draw) canvas.text({inner.x, inner.y + 13}, "For the speaker", TextStyle::control_strong, canvas.theme().text);
      inner.y += small.line_height;
      const float height = small.line_height + draw_markdown(canvas, inner, markdown, draw, small);
      for (const float x : {0.0f, 4.0f})
        if (draw) canvas.fill({place.x + x, place.y, 1, height}, canvas.theme().outline);
      return height;
    });
  }

  void answers(const Handout& handout) {
    if (std::ranges::none_of(handout.steps, [](const PrintedStep& step) { return step.question.has_value(); })) return;
    line_of_type(44, "Answers", TextStyle::title, 28, "Answers");
    blocks_.back().with_next = true;
    for (std::size_t i = 0; i < handout.steps.size(); ++i) {
      if (!handout.steps[i].question) continue;
      const AskedQuestion& answered = handout.steps[i].question->answered;
      line_of_type(18, fmt::format("{}   {}", i + 1, handout.steps[i].title), TextStyle::heading, 22);
      blocks_.back().with_next = true;
      line_of_type(2, words_of_answer(answered), TextStyle::body_strong, 21);
      blocks_.back().with_next = !answered.why.empty();
      words(2, answered.why);
    }
  }

  const Canvas& canvas_;
  float width_;
  float height_;
  std::vector<Block> blocks_;
};

struct PlacedBlock {
  const Block* block = nullptr;
  float y = 0;  ///< below the page's top margin
};
using PlacedPage = std::vector<PlacedBlock>;

/// Fills page after page. Blocks that belong together move on to the next page together, unless a smaller picture keeps
/// them on this one.
std::vector<PlacedPage> paginated(std::vector<Block>& blocks, float height) {
  std::vector<PlacedPage> pages(1);
  float y = 0;
  for (std::size_t i = 0; i < blocks.size();) {
    std::size_t end = i + 1;
    float needed = blocks[i].above + blocks[i].height;
    float least = blocks[i].above + blocks[i].least;
    for (; end < blocks.size() && blocks[end - 1].with_next; ++end) {
      const Block& next = blocks[end];
      if (least + next.above + next.least > height) break;  // more belongs together than a page holds
      needed += next.above + next.height;
      least += next.above + next.least;
    }
    if (y > 0 && y + least > height) {
      pages.emplace_back();
      y = 0;
    }
    if (const float room = height - y; needed > room && least <= room)
      for (std::size_t each = i; each < end; ++each)
        blocks[each].height += (blocks[each].least - blocks[each].height) * (needed - room) / (needed - least);
    for (; i < end; ++i) {
      if (y > 0) y += blocks[i].above;
      pages.back().push_back({&blocks[i], y});
      y += blocks[i].height;
    }
    if (!blocks[end - 1].ends_page || end == blocks.size()) continue;
    pages.emplace_back();
    y = 0;
  }
  return pages;
}

/// Draws one page at a time.
class PagesApp : public App {
 public:
  PagesApp(const Handout& handout, float width, float height) : handout_(handout), width_(width), height_(height) {}

  SurfaceLook look() const override { return {ThemeName::light, 1, true, true}; }

  void frame(FrameContext& frame) override {
    const Canvas canvas = frame.ui.canvas();
    if (pages_.empty()) {
      blocks_ = Composer(canvas, width_ - 2 * side, height_ - top - bottom).compose(handout_);
      pages_ = paginated(blocks_, height_ - top - bottom);
    }
    for (const PlacedBlock& placed : pages_[page_])
      if (placed.block->draw) placed.block->draw(canvas, rect_of(placed));
    const Rect foot{side, height_ - bottom + 24, width_ - 2 * side, 20};
    canvas.text_in(foot, handout_.title, TextStyle::caption, canvas.theme().text2);
    canvas.text_in(foot, fmt::format("{} / {}", page_ + 1, pages_.size()), TextStyle::caption, canvas.theme().text2,
                   Align::right);
  }

  std::size_t count() const { return pages_.size(); }
  void turn_to(std::size_t page) { page_ = page; }

  /// What else is on the page that is turned to.
  DocumentPage page(DisplayList drawn) const {
    DocumentPage page{std::move(drawn), {}, {}};
    for (const PlacedBlock& placed : pages_[page_]) {
      if (placed.block->picture) page.others.push_back({&placed.block->picture->shapes, rect_of(placed)});
      if (!placed.block->mark.empty()) page.marks.push_back(placed.block->mark);
    }
    return page;
  }

 private:
  Rect rect_of(const PlacedBlock& placed) const {
    Rect place{side, top + placed.y, width_ - 2 * side, placed.block->height};
    if (const PrintedPicture* const picture = placed.block->picture)
      place.w = static_cast<float>(picture->size.width / picture->size.height) * place.h;
    return place;
  }

  const Handout& handout_;
  float width_;
  float height_;
  std::vector<Block> blocks_;
  std::vector<PlacedPage> pages_;
  std::size_t page_ = 0;
};

}  // namespace

std::string to_pdf(const Handout& handout, Paper paper) {
  const PageSize size{info(paper).width, info(paper).height, LengthUnit::centimetres};
  const auto pixels = [](double centimetres) {
    return static_cast<int>(std::floor(centimetres * pixels_per_centimetre));
  };
  const int width = pixels(size.width);
  const int height = pixels(size.height);
  PagesApp app(handout, static_cast<float>(width), static_cast<float>(height));
  Offscreen surface(app, width, height);
  surface.frames(1);
  std::vector<DocumentPage> pages;
  for (std::size_t i = 0; i < app.count(); ++i) {
    app.turn_to(i);
    pages.push_back(app.page(surface.drawing()));
  }
  return to_pdf(pages, {size, handout.title});
}

}  // namespace headlight
