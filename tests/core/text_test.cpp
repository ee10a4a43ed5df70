#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/model/problem.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"
#include "core/text/word_pieces.hpp"

using namespace headlight;

TEST_CASE("text: a character of UTF-8 is as long as it is, and everything else is none") {
  for (const char* text : {"a", "\x7F", "\u00E9", "\u07FF", "\u0800", "\uD7FF", "\uFFFF", "\U00010000", "\U0010FFFF"}) {
    const std::string_view character = text;
    CHECK(utf8_sequence(character) == character.size());
    CHECK(utf8_sequence(std::string(character) + "more") == character.size());
    CHECK(utf8_length(characters_of(character).at(0)) == character.size());
    for (std::size_t cut = 1; cut < character.size(); ++cut) CHECK(utf8_sequence(character.substr(0, cut)) == 0);
  }
  // Invalid UTF-8: a continuation byte alone, overlong forms, a surrogate, a code point beyond Unicode, bytes that
  // UTF-8 never has, and sequences cut short.
  for (const char* text : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xED\xA0\x80",
                           "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xC3(", "\xE2\x82("})
    CHECK(utf8_sequence(text) == 0);
  CHECK(utf8_sequence("") == 0);
  CHECK(utf8_sequence(std::string_view("\0", 1)) == 1);
}

TEST_CASE("text: characters come out whole, without the bytes that are none") {
  CHECK(characters_of("a\u00E9\u20AC\U0001F600") == std::vector<char32_t>{U'a', U'\u00E9', U'\u20AC', U'\U0001F600'});
  CHECK(characters_of("a\xFF\xE2\x82"
                      "b\xC3") == std::vector<char32_t>{U'a', U'b'});
  CHECK(character_count("a\u00E9\u20AC\U0001F600") == 4);
  CHECK(first_bytes("a\u20ACb", 4) == "a\u20AC");
  CHECK(first_bytes("a\u20ACb", 3) == "a");
  CHECK(first_bytes("a\u20ACb", 0).empty());
  CHECK(first_bytes("ab", 9) == "ab");
  CHECK(shortened("a\u20ACb", 3) == "a…");
  CHECK(shortened("a\u20ACb", 5) == "a\u20ACb");
}

TEST_CASE("text: of more than twenty names the first are listed") {
  std::vector<std::string> names(20, "a");
  names.front() = "first";
  CHECK(first_names({}).empty());
  CHECK(first_names(std::span(names).first(2)) == "first, a");
  CHECK(first_names(names).ends_with("a, a"));
  names.emplace_back("last");
  CHECK(first_names(names).starts_with("first, a"));
  CHECK(first_names(names).ends_with("a, a, and 1 more"));
}

TEST_CASE("text: a problem that found a whole file is told in a line of some length") {
  const std::string long_one(1 << 20, '[');
  for (const Problem& each : {Problem{long_one, "k", "f", "a"}, Problem{"s", long_one, "f", "a"},
                              Problem{"s", "k", long_one, "a"}, Problem{"s", "k", "f", long_one}}) {
    CHECK(each.message().size() < 1100);
    CHECK(each.message().ends_with(each.allowed.size() == 1 ? "a" : "[…"));
    const InputError error(each);
    CHECK(std::string_view(error.what()) == each.message());
    CHECK(error.problems().front().message() == each.message());
    for (const std::string& part : {error.problems().front().source, error.problems().front().key,
                                    error.problems().front().found, error.problems().front().allowed})
      CHECK(part.size() < 1100);
  }
  const Problem short_one{"s", "k", std::string(1000, 'x'), "a"};
  CHECK(InputError(short_one).problems().front() == short_one);
}

TEST_CASE("text: what a terminal would obey is escaped, and all else stays") {
  CHECK(printable("a\x1B[31m\r\n\tb\x7F") == "a\\u001B[31m\\u000D\\u000A\\u0009b\\u007F");
  CHECK(printable_lines("a\tb\n\x1B") == "a\tb\n\\u001B");
  CHECK(printable(std::string_view("\0", 1)) == "\\u0000");
  CHECK(printable("\xC2\x80\xC2\x9B"
                  "2J\xC2\x9F\xC2\xA0") == "\\u0080\\u009B2J\\u009F\xC2\xA0");
  for (const char32_t mark :
       std::initializer_list<char32_t>{0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2066, 0x2069})
    CHECK(printable(utf8_of(mark)) == fmt::format("\\u{:04X}", static_cast<unsigned>(mark)));
  for (const std::string_view shown : {"é∆−😀", "שלום", "شَمس", "👩‍👩‍👧", "a\u00ADb", "\\u001B"})
    CHECK(printable(shown) == shown);
  CHECK(printable("\x9B[2J\xC3(\xE2\x82") == "\\x9B[2J\\xC3(\\xE2\\x82");
}

TEST_CASE("text: a number is the whole text, or none") {
  CHECK(number_from<std::int64_t>("-12") == -12);
  CHECK(number_from<double>("0.5") == 0.5);
  for (const char* text : {"", " 1", "1 ", "1x", "x", "99999999999999999999"})
    CHECK_FALSE(number_from<std::int64_t>(text).has_value());
  CHECK_FALSE(number_from<std::size_t>("-1").has_value());
}

TEST_CASE("text: a float never reads as a whole number, and reads back as it was") {
  CHECK(float_text(2) == "2.0");
  CHECK(float_text(-0.0) == "-0.0");
  CHECK(float_text(1e-5) == "1e-05");
  CHECK(float_text(0.1) == "0.1");
  CHECK(float_text(1e300) == "1e+300");
}

TEST_CASE("text: what it begins and ends with is trimmed, and nothing inside") {
  CHECK(trimmed("  a b\t ", " \t") == "a b");
  CHECK(trimmed("\ta ", " ") == "\ta");
  CHECK(trimmed("   ", " ").empty());
  CHECK(trimmed("", " ").empty());
}

TEST_CASE("a number is read as people type it") {
  for (const char* text : {"1.916", "1,916", " 1.916 ", "+1,916"}) CHECK(typed_number(text) == 1.916);
  for (const char* text : {"-0.5", "-,5", "\u22120.5", "\u22120,5", "-5e-1"}) CHECK(typed_number(text) == -0.5);
  for (const char* text : {"", ".", "-", "--1", "1.2.3", "1,2,3", "1.916,5", "1 2", "1x", "inf", "nan", "1e999"})
    CHECK_FALSE(typed_number(text));
}

TEST_CASE("a number that is written another way is offered as it was meant") {
  CHECK(number_meant_by("1.916,5") == "; did you mean 1916.5?");
  CHECK(number_meant_by("1,916.5") == "; did you mean 1916.5?");
  CHECK(number_meant_by("1 916,5") == "; did you mean 1916.5?");
  CHECK(number_meant_by("\u22121'000'000") == "; did you mean -1000000?");
  CHECK(number_meant_by("1,916") == "; did you mean 1.916?");
  CHECK(number_meant_by("no number").empty());
  CHECK(number_meant_by("1.5x").empty());
}

TEST_CASE("digits in groups of three are one number, and other groups are none that anybody meant") {
  CHECK(grouped_number("1,234,567.5") == 1234567.5);
  CHECK(grouped_number("-12.345") == -12345);
  CHECK(grouped_number(" 1 916 ") == 1916);
  CHECK(grouped_number("1'916e3") == 1916e3);
  for (const char* text : {"", "1916", "87,1,2", "1.2.3", "1,23,456", "1,2345", "1234,567", ",123", "1,234 567",
                           "1,234.5.6", "1e 234", "1, 234", "1,,234"}) {
    CAPTURE(std::string(text));
    CHECK_FALSE(grouped_number(text));
    CHECK((number_meant_by(text).empty() || typed_number(text)));
  }
}

TEST_CASE("a text that is not a number is quoted, with what was meant or what is allowed") {
  CHECK(why_not_a_number("1.234,5") == "\"1.234,5\" is not a number; did you mean 1234.5?");
  CHECK(why_not_a_number("1,234.5") == "\"1,234.5\" is not a number; did you mean 1234.5?");
  for (const std::string text : {"87,1,2", "1.2.3", "1e5e", "--5", "0x10", "\u0663", "\u00bd", "ninety"}) {
    CAPTURE(text);
    CHECK_FALSE(typed_number(text));
    CHECK_FALSE(begins_number(text));
    CHECK(why_not_a_number(text) ==
          "\"" + text + "\" is not a number; allowed: digits with one point or comma, as in 0.5 or 1e-3");
  }
  CHECK(typed_number(" 5 ") == 5);
  CHECK(why_not_a_number(std::string(200, 'x')).size() < 120);
  for (const char* text : {"", " ", "-", "\u2212", "+", ".", ",", "-.", "-,", "1e", "1e-", "2,5e+", "-.5e"}) {
    CAPTURE(std::string(text));
    CHECK(begins_number(text));
    CHECK_FALSE(typed_number(text));
  }
  for (const char* text : {"1", "1e-3", "1e--", "e", "1e.", "1,2."}) CHECK_FALSE(begins_number(text));
}

TEST_CASE("a number in a formula has no e") {
  CHECK(formula_number(0.5) == "0.5");
  CHECK(formula_number(1000) == "1000");
  CHECK(formula_number(1e6) == "10⁶");
  CHECK(formula_number(2.5e-5) == "2.5·10⁻⁵");
  CHECK(formula_number(-1e12) == "-1·10¹²");
}

TEST_CASE("tokens are read without the marks of their tokenizers") {
  const auto read = [](const std::vector<std::string>& tokens) {
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < tokens.size(); ++i) labels.push_back(readable_token(tokens, i));
    return labels;
  };
  using Words = std::vector<std::string>;
  CHECK(read({"The", "Ġkeys", "ing", "Ċ", "ĠcafÃ©", "Ġcafé", "Ġ"}) ==
        Words{"The", "keys", "·ing", "↵", "café", "café", "Ġ"});
  CHECK(read({"<s>", "▁The", "▁key", "s", "<0x0A>", "▁", "</s>"}) ==
        Words{"<s>", "The", "key", "·s", "↵", "▁", "</s>"});
  CHECK(read({"[CLS]", "play", "##ing", "##", "[SEP]"}) == Words{"[CLS]", "play", "·ing", "##", "[SEP]"});
  CHECK(read({"The", "keys", "é", ""}) == Words{"The", "keys", "é", ""});
  const Words marked{"The", "Ġkeys", "ing"};
  CHECK(written_token(marked, 0).empty());
  CHECK(written_token(marked, 1) == "Ġkeys");
  CHECK(written_token(marked, 2) == "ing");
  CHECK(written_token(marked, 3).empty());
}
