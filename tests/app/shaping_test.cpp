// Text as glyphs: graphemes, directions, and faces of the program and of the system.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "app/shaping/line_breaks.hpp"
#include "app/shaping/shaping.hpp"
#include "app/shaping/system_fonts.hpp"
#include "app/ui/drawing/fonts.hpp"
#include "app/ui/field_graphemes.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

std::vector<std::string> all_graphemes(std::string_view text) {
  std::vector<std::string> all;
  while (!text.empty()) {
    all.emplace_back(text.substr(0, grapheme_length(text)));
    text.remove_prefix(all.back().size());
  }
  return all;
}

using Words = std::vector<std::string>;

ShapedText shaped(std::string_view text) {
  Shaper shaper;
  return shaper.shape(text, face_of(TextStyle::body), fallback_face());
}

TEST_CASE("shaping: a grapheme is what a person calls a character") {
  CHECK(all_graphemes("").empty());
  CHECK(all_graphemes("ab") == Words{"a", "b"});
  CHECK(all_graphemes("e\u0301e") == Words{"e\u0301", "e"});
  CHECK(all_graphemes("👩‍👩‍👧!") == Words{"👩‍👩‍👧", "!"});
  CHECK(all_graphemes("👍🏽👍") == Words{"👍🏽", "👍"});
  CHECK(all_graphemes("🇩🇪🇫🇷🇮") == Words{"🇩🇪", "🇫🇷", "🇮"});
  CHECK(all_graphemes("देवनागरी") == Words{"दे", "व", "ना", "ग", "री"});
  CHECK(all_graphemes("क्षि") == Words{"क्षि"});
  CHECK(all_graphemes("고양이") == Words{"고", "양", "이"});
  CHECK(all_graphemes("\u1112\u1161\u11ABa") == Words{"\u1112\u1161\u11AB", "a"});
  CHECK(all_graphemes("שָׁלוֹם").size() == 4);
  CHECK(all_graphemes("\u2764\uFE0Fx") == Words{"\u2764\uFE0F", "x"});
  CHECK(all_graphemes("\xFF\xC3") == Words{"\xFF", "\xC3"});
}

TEST_CASE("shaping: only text that is more than a row of glyphs is shaped") {
  for (const char* plain : {"", "weights", "√d_head ᵀ Σ → ✓", "é", "猫", "ねこ", "Ελλάδα", "Кот"})
    CHECK_FALSE(needs_shaping(plain));
  for (const char* other : {"e\u0301", "👩", "שלום", "شمس", "देव", "\u2764\uFE0F", "ที่"}) CHECK(needs_shaping(other));
}

TEST_CASE("shaping: a letter with very many accents is one cluster, and the letters beside it are theirs") {
  std::string text = "xa";
  for (int i = 0; i < 5'000; ++i) text += "\u0301";
  const std::size_t end = text.size();
  text += "y";
  const ShapedText line = shaped(text);
  REQUIRE(line.glyphs.size() >= 3);
  CHECK(line.glyphs.front().begin == 0);
  CHECK(line.glyphs.front().end == 1);
  CHECK(line.glyphs.back().begin == end);
  CHECK(line.glyphs.back().end == end + 1);
  for (std::size_t i = 1; i + 1 < line.glyphs.size(); ++i) {
    CHECK(line.glyphs[i].begin == 1);
    CHECK(line.glyphs[i].end == end);
  }
}

TEST_CASE("shaping: an emoji of several symbols is one sign, whatever fonts there are") {
  for (const std::string emoji :
       {"👩‍👩‍👧", "👍🏽", "🏳️‍🌈", "👩🏽‍💻", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"}) {
    CAPTURE(emoji);
    const ShapedText line = shaped(emoji + "a");
    int seen = 0;
    for (const ShapedGlyph& glyph : line.glyphs) {
      seen += glyph.advance > 0 ? 1 : 0;
      CHECK((glyph.begin == 0 || glyph.begin == emoji.size()));
      if (glyph.begin == 0) CHECK(glyph.end == emoji.size());
    }
    CHECK(seen == 2);  // with the letter behind it
  }
  // One letter of a flag would be another country.
  const ShapedText flag = shaped("🇩🇪"), letter = shaped("🇩");
  REQUIRE_FALSE(flag.glyphs.empty());
  CHECK((flag.glyphs.size() == 2 || flag.glyphs.front().glyph != letter.glyphs.front().glyph));
}

/// Remembers the texts that it has glyphs for.
struct FakeDrawer : GlyphDrawer {
  Words texts;
  unsigned glyph_of(std::string_view text) override {
    texts.emplace_back(text);
    return static_cast<unsigned>(texts.size());
  }
  float advance_in_em(unsigned glyph) override { return static_cast<float>(texts[glyph - 1].size()); }
  DrawnGlyph draw(unsigned, float) override { return {}; }
};

TEST_CASE("shaping: a face without a file draws graphemes, and letters from right to left together") {
  FakeDrawer drawer;
  FontFace drawn;
  drawn.drawer = &drawer;
  const auto texts_of = [&](std::string_view text) {
    drawer.texts.clear();
    const ShapedText line = Shaper().shape(text, drawn, fallback_face());
    Words texts;
    for (const ShapedGlyph& glyph : line.glyphs) {
      CHECK(glyph.advance == static_cast<float>(glyph.end - glyph.begin));
      CHECK(text.substr(glyph.begin, glyph.end - glyph.begin) == drawer.texts[glyph.glyph - 1]);
      texts.push_back(drawer.texts[glyph.glyph - 1]);
    }
    return texts;
  };
  CHECK(texts_of("नमस्ते👩‍👩‍👧🇩🇪") == Words{"न", "म", "स्ते", "👩‍👩‍👧", "🇩🇪"});
  CHECK(texts_of("شمس") == Words{"شمس"});
  std::string endless;
  for (int i = 0; i < 40; ++i) endless += "س";
  const Words parts = texts_of(endless);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0] + parts[1] == endless);
  CHECK(parts[0].size() < parts[1].size());  // the end is on the left
}

TEST_CASE("shaping: a line may end between characters of scripts without spaces, but not before a comma") {
  const auto pieces = [](std::string_view word) {
    std::string joined;
    while (!word.empty()) {
      const std::size_t length = unbroken_length(word);
      joined += std::string(word.substr(0, length)) + "|";
      word.remove_prefix(length);
    }
    return joined;
  };
  CHECK(pieces("") == "");
  CHECK(pieces("word-by-word") == "word-by-word|");
  CHECK(pieces("Ελλάδα") == "Ελλάδα|");
  CHECK(pieces("注意力机制，又称") == "注|意|力|机|制，|又|称|");
  CHECK(pieces("「猫」とチャット。") == "「猫」|と|チャッ|ト。|");
  CHECK(pieces("用softmax算50%。") == "用|softmax|算|50%。|");
  CHECK(pieces("주의 집중") == "주의 집중|");
  CHECK(pieces("ที่นี่") == "ที่|นี่|");
  CHECK(pieces("การเรียนรู้ของเครื่อง") == "การ|เรียน|รู้|ของ|เครื่อง|");  // words, not letters
  CHECK(pieces("ភាសាខ្មែរគឺ") == "ភាសាខ្មែរ|គឺ|");
  CHECK(pieces("မြန်မာဘာသာစကား") == "မြန်မာဘာသာ|စကား|");
  CHECK(pieces("ພາສາລາວ") == "ພາສາ|ລາວ|");
  CHECK(pieces("naïve…") == "naïve…|");
  CHECK(may_break_between("重み", "は"));
  CHECK_FALSE(may_break_between("重み", "、"));
  CHECK_FALSE(may_break_between("weights", ","));
  CHECK_FALSE(may_break_between("", "は"));
  CHECK(may_break_between("การ", "เรียน"));
  CHECK_FALSE(may_break_between("เรี", "ยน"));
}

TEST_CASE("shaping: Hebrew and Arabic run from right to left, numbers in them from left to right") {
  const std::string hebrew = "שלום";
  const ShapedText word = shaped(hebrew);
  REQUIRE(word.glyphs.size() == 4);
  CHECK(word.right_to_left);
  for (std::size_t i = 0; i < 4; ++i) CHECK(word.glyphs[i].begin == 2 * (3 - i));

  const std::string mixed = "head שלום 12";
  const ShapedText line = shaped(mixed);
  CHECK_FALSE(line.right_to_left);
  std::string seen;
  for (const ShapedGlyph& glyph : line.glyphs) seen += mixed.substr(glyph.begin, glyph.end - glyph.begin);
  CHECK(seen == "head 12 םולש");
}

TEST_CASE("shaping: Arabic letters join, and lam and alef become one glyph") {
  const ShapedText alone = shaped("ش"), joined = shaped("شش");
  REQUIRE(joined.glyphs.size() == 2);
  CHECK(joined.glyphs[0].glyph != alone.glyphs[0].glyph);
  CHECK(joined.glyphs[0].glyph != joined.glyphs[1].glyph);
  CHECK(shaped("لا").glyphs.size() == 1);
}

TEST_CASE("shaping: a letter and its accent are drawn as one, in the face of the letter") {
  const ShapedText made = shaped("e\u0301"), whole = shaped("é\u200B");
  REQUIRE_FALSE(made.glyphs.empty());
  CHECK(made.glyphs.front().glyph == whole.glyphs.front().glyph);
  CHECK(made.glyphs.front().face == &face_of(TextStyle::body));
  CHECK(made.width() == doctest::Approx(shaped("é").width()));
}

TEST_CASE("shaping: a caret has a place before each grapheme, and a place has its grapheme") {
  for (const std::string text : {"head", "שלום", "ab שלום 12 cd", "शब्द", "e\u0301 👩‍👩‍👧"}) {
    CAPTURE(text);
    const ShapedText line = shaped(text);
    for (std::size_t byte = 0; byte < text.size(); byte += grapheme_length(std::string_view(text).substr(byte))) {
      const float offset = line.caret_offset(byte, text.size());
      CHECK(offset >= 0);
      CHECK(offset <= line.width() + 1e-5f);
      const std::size_t after = byte + grapheme_length(std::string_view(text).substr(byte));
      const float other = line.caret_offset(after, text.size());
      // At the edge of two directions a place has two graphemes.
      const bool is_mixed = text.starts_with("ab");
      if (!is_mixed && after < text.size()) CHECK(line.byte_at(offset + (other - offset) * 0.2f, text.size()) == byte);
    }
  }
  CHECK(shaped("שלום").caret_offset(0, 8) == doctest::Approx(shaped("שלום").width()));
  CHECK(shaped("שלום").caret_offset(8, 8) == 0);
  CHECK(shaped("שלום").byte_at(100, 8) == 0);
}

TEST_CASE("field graphemes: ImGui gets one character for each, and what it gives back is the text") {
  FieldGraphemes graphemes;
  for (const std::string text :
       {"plain", "é", "猫 ねこ", "e\u0301👩‍👩‍👧 शब्द", "שלום", "\uE000", "\uE001 private"}) {
    CAPTURE(text);
    const std::string encoded = graphemes.encoded(text);
    CHECK(graphemes.decoded(encoded) == text);
    CHECK(graphemes.encoded(graphemes.decoded(encoded)) == encoded);
    CHECK(character_count(encoded) == all_graphemes(text).size());
  }
  CHECK(graphemes.encoded("abc") == "abc");
  CHECK(graphemes.encoded("猫") == "猫");
  // An emoji that is typed comes in two halves.
  CHECK(graphemes.decoded("a\xED\xA0\xBD\xED\xB1\xA9") == "a👩");
  const std::string text = "ae\u0301👩b";
  CHECK(graphemes.characters_before(text, 4) == 2);
  CHECK(graphemes.byte_behind(text, 2) == 4);
  CHECK(graphemes.byte_behind(text, 3) == 8);
  CHECK(graphemes.byte_behind(text, 99) == text.size());
}

TEST_CASE("shaping: what the program's fonts do not have comes from the system, or is one sign") {
  for (const char32_t character : {U'猫', U'ね', U'고', U'द', U'\U0001F469'}) {
    const FontFace* const face = system_face_with(character);
    if (!face) continue;  // this machine has no such font
    CAPTURE(static_cast<unsigned>(character));
    CHECK_FALSE(face->file.empty());
    CHECK(system_face_with(character) == face);
  }
  CHECK(system_face_with(U'\U000F1234') == nullptr);  // private use
  const std::string unknown = "\U000F1234";
  REQUIRE(shaped(unknown).glyphs.size() == 1);
  CHECK(shaped(unknown).glyphs.front().glyph == shaped("\uFFFD\u200B").glyphs.front().glyph);
  CHECK(shaped(unknown).glyphs.front().end == unknown.size());
}

}  // namespace
}  // namespace headlight
