// The command that lets a model write.
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/commands/commands.hpp"
#include "app/commands/streams.hpp"
#include "core/formats/files.hpp"
#include "core/generate/sampling.hpp"
#include "core/setup/checks.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

void require(bool holds, const char* option, const std::string& found, const char* allowed) {
  if (!holds) throw InputError({option, "", found, allowed});
}

void require_fitting(const GenerateArguments& arguments, const Setup& setup) {
  require_writer(setup);
  require(arguments.count > 0, "--count", fmt::format("{}", arguments.count), "a whole number from 1 on");
  require(std::isfinite(arguments.temperature) && arguments.temperature >= 0, "--temperature",
          fmt::format("{}", arguments.temperature), "a number from 0 on");
  require(arguments.top_k >= 0, "--top-k", fmt::format("{}", arguments.top_k), "a whole number from 0 on; 0 is all");
  if (arguments.length)
    require(*arguments.length > 0, "--length", fmt::format("{}", *arguments.length), "a whole number from 1 on");
  require(takes_seed(setup.random.generator, arguments.seed), "--seed", fmt::format("{}", arguments.seed),
          "a seed of random.generator: from 0 to 4294967295 with numpy, at least 0 with numpy_rng, any with torch");
}

std::vector<std::int64_t> prompt_of(const std::string& text, const Setup& setup) {
  require_text(text, "--prompt");
  TaskText::Spelled spelled = setup.task.corpus().spelled(text);
  if (spelled.unknown)
    throw InputError(
        {"--prompt", "", fmt::format("\"{}\"", *spelled.unknown), "characters that occur in the task's text"});
  return std::move(spelled.symbols);
}

std::string text_of(const std::vector<std::int64_t>& symbols, const TaskText& text) {
  std::string written;
  for (const std::int64_t symbol : symbols) written += text.character(symbol);
  return written;
}

const char* words_of(Written::End end) {
  switch (end) {
    case Written::End::line_break: return "line break";
    case Written::End::length: return "length";
    case Written::End::window: break;
  }
  return "window";
}

nlohmann::ordered_json json_of(const Written& written, const std::string& prompt, const TaskText& text) {
  nlohmann::ordered_json characters = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < written.chances.size(); ++i)
    characters.push_back({{"character", i < written.symbols.size() ? text.character(written.symbols[i]) : "\n"},
                          {"chance", written.chances[i]}});
  return {
      {"text", prompt + text_of(written.symbols, text)}, {"end", words_of(written.end)}, {"characters", characters}};
}

/// A line for each text.
void print_lines(Author& author, const GenerateArguments& arguments, const TaskText& text) {
  for (std::int64_t n = 0; n < arguments.count; ++n)
    print(printable(arguments.prompt + text_of(author.next().symbols, text)) + '\n');
}

/// Each text is printed when it is written, however many there are.
void print_json(Author& author, const GenerateArguments& arguments, const TaskText& text) {
  for (std::int64_t n = 0; n < arguments.count; ++n)
    print_words((n == 0 ? "{\"texts\": [\n" : ",\n") + json_of(author.next(), arguments.prompt, text).dump());
  print("\n]}\n");
}

}  // namespace

int generate(const What& what, const GenerateArguments& arguments) {
  const Setup setup = setup_of(what);
  require_fitting(arguments, setup);
  Writing writing{.prompt = prompt_of(arguments.prompt, setup),
                  .sampling = {.temperature = arguments.temperature, .top_k = arguments.top_k},
                  .length = arguments.length,
                  .cache = arguments.no_cache ? Cache::none : Cache::keys_and_values};
  ProgressLine progress(false);
  const ModelTrace model = model_trace_of(what, progress.part("computing", 0, 1));
  say_what_went_wrong(model);
  Author author(model, std::move(writing), arguments.seed);
  if (arguments.json) print_json(author, arguments, setup.task.corpus());
  else print_lines(author, arguments, setup.task.corpus());
  return done;
}

}  // namespace headlight
