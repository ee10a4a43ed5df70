#include <doctest/doctest.h>

#include <string>
#include <variant>

#include "app/platform/surfaces/offscreen.hpp"
#include "app/ui/text/html.hpp"
#include "app/ui/text/markdown.hpp"
#include "core/formats/lecture/live_text_reader.hpp"
#include "tests/app/sheet_app.hpp"

namespace headlight {
namespace {

TEST_CASE("markdown: blocks and spans") {
  const Markdown m =
      parse_markdown("One *two* **three** `four`\nsame line.\n\n- a\n- b\n  - c\n\n3. x\n4. y\n\n```\nl1\nl2\n```\n");
  REQUIRE(m.size() == 7);
  CHECK(m[0].kind == BlockKind::paragraph);
  REQUIRE(m[0].spans.size() == 7);
  CHECK(m[0].spans[1].kind == SpanKind::emphasis);
  CHECK(m[0].spans[3].kind == SpanKind::strong);
  CHECK(m[0].spans[5].kind == SpanKind::code);
  CHECK(m[0].spans[6].text == " same line.");
  CHECK(m[1].marker == "•");
  CHECK(m[3].depth == 1);
  CHECK(m[4].marker == "3.");
  CHECK(m[5].marker == "4.");
  CHECK(m[6].kind == BlockKind::code);
  CHECK(m[6].spans[0].text == "l1\nl2\n");
  CHECK(plain_text(m).starts_with("One two three four same line.\n• a\n• b\n"));
}

TEST_CASE("markdown: characters written as entities, and text that is no markup") {
  CHECK(plain_text(parse_markdown("Q &middot; K &lt; V &amp; 2 * 3 <b> &#8730; &#x3A3; &nonsense;")) ==
        "Q · K < V & 2 * 3 <b> √ Σ &nonsense;");
  CHECK(parse_markdown("").empty());
}

TEST_CASE("markdown: a mark in a link's target begins and ends no span outside of the link") {
  const Markdown inside = parse_markdown("*x [a](h$ ) b $ c*");
  REQUIRE(inside.size() == 1);
  for (const MarkdownSpan& span : inside[0].spans) CHECK(span.kind == SpanKind::emphasis);
  for (const char* text : {"[a](h$ ) b $ c", "[a](h$$ ) b $$ c", "[a](h_)b_ c", "[a](h**)b** c", "a ![)!\n]($)$ c"}) {
    CAPTURE(text);
    const Markdown line = parse_markdown(text);
    REQUIRE(line.size() == 1);
    CHECK(line[0].spans.back().kind == SpanKind::plain);
    CHECK(line[0].spans.back().link.empty());
    CHECK(line[0].spans.back().text.ends_with(" c"));
  }
  for (const char* text : {"_[a](h_)\n\nc", "- _[a](_)\n- c", "- _[a](_)\n  # h\n  c"}) {
    CAPTURE(text);
    const MarkdownBlock last = parse_markdown(text).back();
    REQUIRE(last.spans.size() == 1);
    CHECK(last.spans[0].text == "c");
    CHECK(last.spans[0].kind == SpanKind::plain);
  }
}

TEST_CASE("markdown: words of an item below its code, its heading or its list are a paragraph of their own") {
  for (const char* text : {"- a\n  ```\n  x\n  ```\n  c", "- a\n  # x\n  c", "- a\n  - x\n\n  c"}) {
    CAPTURE(text);
    const Markdown item = parse_markdown(text);
    REQUIRE(item.size() == 3);
    CHECK(item[2].kind == BlockKind::paragraph);
    CHECK(plain_text({item[2]}).starts_with("c"));
    CHECK(plain_text({item[1]}).find('c') == std::string::npos);
  }
}

TEST_CASE("html: a list is inside of the item that it belongs to") {
  CHECK(to_html(parse_markdown("- a\n- b\n  - c\n  - d\n- e")) ==
        "<ul>\n<li>a</li>\n<li>b<ul>\n<li>c</li>\n<li>d</li>\n</ul>\n</li>\n<li>e</li>\n</ul>\n");
  CHECK(to_html(parse_markdown("1. a\n   - b\n     1. c\n\nend")) ==
        "<ol>\n<li>a<ul>\n<li>b<ol>\n<li>c</li>\n</ol>\n</li>\n</ul>\n</li>\n</ol>\n<p>end</p>\n");
  CHECK(to_html(parse_markdown("- - a")) == "<ul>\n<li><ul>\n<li>a</li>\n</ul>\n</li>\n</ul>\n");
  const MarkdownBlock deep{BlockKind::list_item, "•", 2, {{"a"}}};
  CHECK(to_html({deep}) == "<ul>\n<li><ul>\n<li><ul>\n<li>a</li>\n</ul>\n</li>\n</ul>\n</li>\n</ul>\n");
}

TEST_CASE("html: a list that follows another one is its own") {
  const std::string bullets = "<ul>\n<li>a</li>\n</ul>\n", numbers = "<ol>\n<li>b</li>\n<li>c</li>\n</ol>\n";
  CHECK(to_html(parse_markdown("- a\n\n1. b\n2. c")) == bullets + numbers);
  CHECK(to_html(parse_markdown("1. b\n2. c\n\n- a")) == numbers + bullets);
  CHECK(to_html(parse_markdown("1. b\n2. c\n\n1) b\n2) c")) == numbers + numbers);
  CHECK(to_html(parse_markdown("3. b\n4. c")) == "<ol start=\"3\">\n<li>b</li>\n<li>c</li>\n</ol>\n");
  CHECK(to_html(parse_markdown("- x\n  - a\n  1. b\n  2. c")) == "<ul>\n<li>x" + bullets + numbers + "</li>\n</ul>\n");
}

TEST_CASE("html: links to web pages can be followed outside of the window, and others are their words") {
  const Markdown words =
      parse_markdown("See [the *first* paper](https://a.org/?b=1&c=\"<d>), [a row](select:X), [x](step:2).");
  CHECK(to_html(words) == "<p>See the <em>first</em> paper, a row, x.</p>\n");
  CHECK(to_html(words, WebLinks::open) ==
        "<p>See <a href=\"https://a.org/?b=1&amp;c=&quot;&lt;d&gt;\">the <em>first</em> paper</a>, a row, x.</p>\n");
  for (const char* target : {"javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "a.html", "//a.org"}) {
    const MarkdownBlock block{BlockKind::paragraph, "", 0, {{"x", SpanKind::plain, target}}};
    CHECK(to_html({block}, WebLinks::open) == "<p>x</p>\n");
  }
}

TEST_CASE("markdown: the height measured is the height drawn, and narrower is taller") {
  const Markdown story =
      parse_markdown("Each query is compared with every key, and the result is scaled.\n\n- one\n- two");
  float drawn = 0;
  float measured = 0;
  float narrow = 0;
  SheetApp app([&](FrameContext& frame) {
    const Canvas c = frame.ui.canvas();
    drawn = draw_markdown(c, {10, 10, 200, 300}, story);
    measured = markdown_height(c, 200, story);
    narrow = markdown_height(c, 100, story);
  });
  Offscreen surface(app, 300, 300);
  surface.frames(1);
  CHECK(drawn == measured);
  CHECK(drawn > 5 * 21);
  CHECK(narrow > measured);
}

TEST_CASE("markdown: a comma that stays with the bold word before it does not leave the line") {
  const Markdown story = parse_markdown("Its **loss**, or *cost*, is `log(6)`, as in **guesses**.");
  for (float width = 70; width < 200; ++width) {
    CAPTURE(width);
    SheetApp app([&](FrameContext& frame) { draw_markdown(frame.ui.canvas(), {10, 10, width, 300}, story); });
    Offscreen surface(app, 300, 300);
    for (const Drawn& drawn : surface.drawing().drawn)
      if (const auto* const text = std::get_if<TextShape>(&drawn.shape))
        CHECK(text->baseline.x + text->width <= 10 + width + 0.6f);
  }
}

TEST_CASE("canvas: lines are broken where they fit, and text is cut with an ellipsis") {
  SheetApp app([&](FrameContext& frame) {
    const Canvas c = frame.ui.canvas();
    const std::string text = "one two three\nfour incomprehensibilities five";
    const auto lines = c.wrapped(text, TextStyle::body, 100);
    std::string joined;
    for (std::string_view line : lines) {
      if (line.find(' ') != std::string_view::npos) CHECK(c.width(line, TextStyle::body) <= 100);
      joined += std::string(line) + "|";
    }
    CHECK(joined == "one two three|four|incomprehensi|bilities five|");
    const std::string chinese = "注意力机制把每个词的查询与所有词的键相比较，再用权重混合值。";
    std::string again;
    for (const std::string_view line : c.wrapped(chinese, TextStyle::body, 100)) {
      CHECK(c.width(line, TextStyle::body) <= 100);
      again += line;
    }
    CHECK(again == chinese);
    const Markdown story = parse_markdown("注意力机制把**每个词的查询**与所有词的键相比较，再用权重混合值。");
    CHECK(markdown_height(c, 100, story) >= 21 * 4);
    const std::string cut = c.ellipsized("incomprehensibilities", TextStyle::body, 60);
    CHECK(cut.ends_with("…"));
    CHECK(c.width(cut, TextStyle::body) <= 60);
    CHECK(c.ellipsized("short", TextStyle::body, 60) == "short");
    CHECK(c.wrapped("", TextStyle::body, 60).empty());
  });
  Offscreen surface(app, 300, 300);
  surface.frames(1);
}

}  // namespace
}  // namespace headlight
