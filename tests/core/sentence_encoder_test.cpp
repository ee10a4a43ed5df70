// The trained layer: its pieces, its setup in files and assignments, and what contradicts it. Its numbers are compared
// with NumPy's in tests/library/trained.py.
#include "core/trained/sentence_encoder.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "core/engine/engine.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/formats/setup/setup_overrides.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/keys.hpp"
#include "core/setup/validity.hpp"
#include "core/stages/explain.hpp"
#include "core/text/characters.hpp"

using namespace headlight;

namespace {

constexpr std::string_view document = R"(version = 1
[model]
name = "sentence-encoder"
layer = 0
text = "The keys to the cabinet are on the table."
)";

std::vector<std::string> labels(std::string_view text) {
  std::vector<std::string> found;
  for (const Piece& piece : sentence_encoder::split(text)) found.push_back(sentence_encoder::label_of(piece));
  return found;
}

std::vector<Problem> problems_of_setup(const std::string& text) {
  try {
    parse_setup(text, "model.toml");
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

Setup model(std::string text) {
  return with_model({}, {.name = ModelName::sentence_encoder, .layer = 0, .text = std::move(text)});
}

}  // namespace

TEST_CASE("characters that no piece has are one unknown piece, however many they are") {
  std::string many;
  for (int i = 0; i < 100'000; ++i) many += "☃";
  const auto pieces = sentence_encoder::split("The " + many + " key");
  REQUIRE(pieces.size() == 4);
  CHECK(pieces[2] == Piece{sentence_encoder::unknown_row, many});
  const auto problems = problems_of_setup(replaced(std::string(document), "The keys", many));
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].key == "model.text");
  CHECK(problems[0].allowed == "at most 4096 bytes, and 128 pieces, in a text");
}

TEST_CASE("words are pieces, parts of words are joined to what is before them") {
  CHECK(labels("The keys to the table.") == std::vector<std::string>{"The", "key", "·s", "to", "the", "table", "·."});
  CHECK(labels("").size() == 1);
  CHECK(labels("a \xF0\x9F\x98\x80\xF0\x9F\x98\x80").back() == "·\xF0\x9F\x98\x80\xF0\x9F\x98\x80");
  CHECK(sentence_encoder::split("a \xF0\x9F\x98\x80\xF0\x9F\x98\x80").back().row == sentence_encoder::unknown_row);
}

TEST_CASE("a setup with a trained layer has its sizes, tokens and numbers, and is written without them") {
  const Setup setup = parse_setup(document, "model.toml");
  CHECK(setup == model("The keys to the cabinet are on the table."));
  CHECK(setup.sizes.d_model == 256);
  CHECK(setup.d_out() == 512);
  CHECK(setup.sizes.query_length == 11);
  CHECK(setup.tokens[2] == "·s");
  CHECK(problems(setup).empty());
  const std::string written = write_setup(setup);
  CHECK(written.find("cabinet") != std::string::npos);
  CHECK(written.find("W_q") == std::string::npos);
  CHECK(written.size() < 2000);
  CHECK(parse_setup(written, "again") == setup);
}

TEST_CASE("what is given beside a trained layer stays: parts of its tensors, masks, temperature") {
  const Setup setup = parse_setup(std::string(document) +
                                      "[mask]\nkinds = [\"causal\"]\n[attention]\ntemperature = 2\n"
                                      "[values]\n\"X[0,3,7]\" = 0.5\n",
                                  "model.toml");
  CHECK(setup.mask.has(MaskKind::causal));
  CHECK(compute_trace(setup)->value({TensorId::X, Shape{0, 3, 7}}) == 0.5);
  CHECK(parse_setup(write_setup(setup), "again") == setup);
  CHECK(with_text(setup, 0, "Another sentence.").values.parts().empty());  // another piece is there now
}

TEST_CASE("several texts are a padded batch") {
  const Setup setup = parse_setup(
      "version = 1\n[model]\nname = \"sentence-encoder\"\ntext = [\"The key.\", \"The keys to the cabinet\"]\n", "two");
  CHECK(setup.sizes.batch == 2);
  CHECK(setup.mask.has(MaskKind::padding));
  CHECK(setup.mask.valid_lengths == std::vector<Index>{3, 6});
  CHECK(setup.tokens.empty());
  const auto computed = compute_trace(setup);
  const Trace& trace = *computed;
  CHECK(trace.value({TensorId::weights, Shape{0, 1, 2, 4}}) == 0);
  CHECK(explain(trace, {TensorId::X, Shape{0, 4, 0}}).note.find("padding mask") != std::string::npos);
  CHECK(parse_setup(write_setup(setup), "again") == setup);
}

TEST_CASE("what contradicts a trained layer is refused by name") {
  const auto refused = [](const std::string& more, const std::string& key) {
    CAPTURE(more);
    const auto found = problems_of_setup(std::string(document) + more);
    REQUIRE(!found.empty());
    CHECK(found.front().key == key);
  };
  refused("[sizes]\nheads = 8\n", "sizes.heads");
  refused("[sizes]\nd_model = 12\n", "sizes.d_model");
  refused("[norm]\nkind = \"rms\"\n", "norm.kind");
  refused("[position]\nencoding = \"rotary\"\n", "position.encoding");
  refused("[values]\nb_o = 0.5\n", "values.b_o");
  refused("[model.more]\n", "model.more");
  CHECK(problems_of_setup(std::string(document) + "[sizes]\nheads = 4\nd_model = 256\n").empty());
  CHECK(problems_of_setup("version = 1\n[model]\nname = \"bert\"\ntext = \"a\"\n").front().key == "model.name");
  CHECK(problems_of_setup("version = 1\n[model]\nname = \"sentence-encoder\"\nlayer = 1\ntext = \"a\"\n").front().key ==
        "model.layer");
  std::string many = "a";
  for (int i = 0; i < 128; ++i) many += " a";
  const auto found = problems_of_setup("version = 1\n[model]\nname = \"sentence-encoder\"\ntext = \"" + many + "\"\n");
  REQUIRE(found.size() == 1);
  CHECK(found.front().message() == "model.toml:4: model.text: found 129 pieces; allowed: at most 128 pieces in a text");
}

TEST_CASE("assignments choose a trained layer and its text") {
  const Setup chosen =
      with_overrides(Setup{}, {"model.name=sentence-encoder", "model.text=The keys to the cabinet are on the table."});
  CHECK(chosen == model("The keys to the cabinet are on the table."));
  CHECK(with_overrides(chosen, {"model.text=The key."}) == model("The key."));
  const Setup plain{};
  CHECK(with_overrides(plain, overrides_between(plain, chosen)) == chosen);
  CHECK(with_overrides(chosen, overrides_between(chosen, model("The key."))) == model("The key."));
}

TEST_CASE("assignments of two texts hide the padding, and what is no model leaves everything as it is") {
  const Setup two = with_overrides(
      Setup{}, {"model.name=sentence-encoder", "model.text=[\"The key.\", \"The keys to the cabinet\"]"});
  CHECK(two.mask.has(MaskKind::padding));
  CHECK(two.mask.valid_lengths == std::vector<Index>{3, 6});
  const Setup drawn = with_overrides(Setup{}, {"random.draws=[\"seed 3\", \"X normal\"]", "sizes.heads=4"});
  CHECK(with_overrides(drawn, {"model={}"}) == drawn);
}

TEST_CASE("without its trained layer a setup draws its numbers") {
  const Setup setup = model("The key.");
  const Setup plain = with_model(setup, {});
  CHECK(problems(plain).empty());
  CHECK(plain.values.empty());
  CHECK(plain.tokens == setup.tokens);
  CHECK(is_decided(*setup_key("sizes.heads"), setup));
  CHECK(!is_decided(*setup_key("sizes.heads"), plain));
  CHECK(can_change(*setup_key("attention.temperature"), setup));
}

TEST_CASE("every number of a trained layer says what it is") {
  const auto computed = compute_trace(model("The keys"));
  const Trace& trace = *computed;
  const auto note = [&](const Cell& cell) { return explain(trace, cell).note; };
  CHECK(note({TensorId::X, Shape{0, 2, 12}}) == "row 7 of 8,000 is that of the piece \"s\"");
  CHECK(explain(trace, {TensorId::P, Shape{1, 3}}).formula == "P[i,k] = sin(i · t_k)");
  CHECK(explain(trace, {TensorId::P, Shape{1, 131}}).formula == "P[i,128+k] = cos(i · t_k)");
  CHECK(note({TensorId::W_q, Shape{0, 0}}).find("Universal Sentence Encoder Lite") != std::string::npos);
  Setup edited = trace.setup;
  edited = with_number(edited, {TensorId::X, Shape{0, 2, 12}}, 4);
  CHECK(explain(*compute_trace(edited), {TensorId::X, Shape{0, 2, 12}}).formula == "X[0,2,12] is given, not drawn");
}
