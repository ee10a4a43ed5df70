// The reader of drawings itself: it must see what is wrong in scenes that are made wrong.
#include <doctest/doctest.h>

#include "legibility.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

constexpr Rect page{0, 0, 400, 300};

Drawn text(Point baseline, std::string words, float width, Rect clip = page, TextStyle style = TextStyle::body) {
  return {clip, TextShape{baseline, width, std::move(words), style, Script::normal, Align::left, {}}};
}

DisplayList scene(std::vector<Drawn> drawn) {
  DisplayList list;
  list.width = page.w;
  list.height = page.h;
  list.drawn = std::move(drawn);
  return list;
}

}  // namespace

TEST_CASE("texts beside and below each other are fine") {
  CHECK(text_complaints(scene({text({10, 40}, "Every", 40), text({54, 40}, "query", 40), text({10, 61}, "meets", 40)}),
                        page, 12)
            .empty());
}

TEST_CASE("texts on each other are seen, across and down") {
  CHECK(text_complaints(scene({text({10, 40}, "Every", 40), text({40, 40}, "query", 40)}), page, 12).size() == 1);
  CHECK(text_complaints(scene({text({10, 40}, "Every", 40), text({10, 46}, "query", 40)}), page, 12).size() == 1);
}

TEST_CASE("a text that leaves its clip or the surface is seen") {
  CHECK(text_complaints(scene({text({10, 40}, "Every", 40, {0, 0, 45, 300})}), page, 12).size() == 1);
  CHECK(text_complaints(scene({text({10, 40}, "Every", 40, {0, 33, 400, 300})}), page, 12).size() == 1);
  CHECK(text_complaints(scene({text({380, 40}, "Every", 40)}), page, 12).size() == 1);
}

TEST_CASE("a shortened text and a small one are seen") {
  CHECK(text_complaints(scene({text({10, 40}, "Every que…", 60)}), page, 12).size() == 1);
  CHECK(text_complaints(scene({text({10, 40}, "q2", 14, page, TextStyle::code)}), page, 13).size() == 1);
}

TEST_CASE("words count as shown in their order, whatever the lines, but not where they are cut") {
  const auto shown = scene({text({10, 40}, "Every", 40), text({54, 40}, "query", 40), text({10, 61}, "meets", 40)});
  CHECK(shows_text(shown, page, "Every query\nmeets"));
  CHECK_FALSE(shows_text(shown, page, "Every query meets every key"));
  CHECK_FALSE(shows_text(shown, {0, 0, 400, 45}, "Every query meets"));
  CHECK_FALSE(shows_text(scene({text({10, 40}, "Every", 40, {0, 35, 400, 300})}), page, "Every"));
}

TEST_CASE("cells without a number are counted, and hatched ones need none") {
  const Rect first{10, 10, 40, 20};
  const Rect second{52, 10, 40, 20};
  const Drawn cells{page, CellsShape{{{first, {}}, {second, {}}}, 3}};
  const Drawn hatch{page, HatchShape{{{94, 10, 40, 20}}, 3, 8, 1, {}, {}}};
  const Rect picture{10, 10, 124, 20};
  const CellCount half = count_cells(scene({cells, hatch, text({20, 25}, "0.5", 20)}), picture);
  CHECK(half.rows == 1);
  CHECK(half.columns == 3);
  CHECK(half.without_number == 1);
  CHECK(count_cells(scene({cells, text({20, 25}, "0.5", 20), text({62, 25}, "0.7", 20)}), picture).without_number == 0);
  CHECK(half.with_exponent == 0);
  CHECK(count_cells(scene({cells, text({20, 25}, "1e4", 20), text({62, 25}, "−2e−7", 20)}), picture).with_exponent ==
        2);
}
