#include "core/formats/lecture/step_readers.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/setup/setup_overrides.hpp"
#include "core/model/shapes.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

constexpr Index most_choices = 256;

void add_problems(TomlReader& reader, std::string_view key, const std::vector<WordsProblem>& problems) {
  for (const WordsProblem& found : problems)
    reader.add(key, fmt::format("{}: {}", found.problem.key, found.problem.found), found.problem.allowed);
}

LiveText words_in(TomlReader& reader, std::string_view key, std::string_view words, const TextContext& context) {
  std::vector<WordsProblem> problems;
  LiveText text = read_live_text(words, context, problems);
  add_problems(reader, key, problems);
  return text;
}

LiveText read_words(TomlReader& reader, std::string_view key, const TextContext& context) {
  std::string words;
  reader.read(key, words);
  return words_in(reader, key, words, context);
}

/// "weights[0,1,2]": a tensor, or a part of one. nullopt where the setup has none of it, which is a problem.
std::optional<TensorPart> part_from(TomlReader& reader, std::string_view key, const std::string& text,
                                    const CheckedSetup& checked) {
  std::string_view own = text;
  const Index layer_named = take_layer_prefix(own);
  const auto open = std::min(own.find('['), own.size());
  const auto tensor = tensor_named(own.substr(0, open));
  const auto part = open == own.size() ? ArrayPart{} : parse_array_part(own.substr(open)).value_or(ArrayPart{});
  const Index layer = tensor ? layer_with(*tensor, layer_named, checked.setup) : 0;
  const bool named = tensor && layer < checked.setup.sizes.layers && exists(*tensor, seen_at(checked.setup, layer)) &&
                     (open == own.size() || !part.empty());
  if (!named) {
    reader.add(key, fmt::format("\"{}\"", text), "a part of a tensor that the step's setup has, as weights[0,1,2]");
    return std::nullopt;
  }
  const Shape whole = shape(*tensor, seen_at(checked.setup, layer));
  const auto ranges = ranges_of(part, whole);
  if (!ranges) {
    reader.add(key, fmt::format("\"{}\"", text), fmt::format("indices inside {} {}", name(*tensor), whole.to_string()));
    return std::nullopt;
  }
  return TensorPart{*tensor, part, layer};
}

Shape shape_of_part(const TensorPart& part, const Setup& setup) {
  return shape_of(*ranges_of(part.part, shape(part.tensor, seen_at(setup, part.layer))));
}

/// What there is to choose from among cells or rows.
void read_part(TomlReader& reader, std::string_view key, const CheckedSetup& checked, Question& question) {
  std::string text;
  reader.read(key, text);
  if (text.empty() || !checked.valid) return;
  const auto part = part_from(reader, key, text, checked);
  if (!part) return;
  question.tensor = part->tensor;
  question.layer = part->layer;
  question.among = part->part;
  const Shape kept = shape_of_part(*part, checked.setup);
  const bool rows = question.kind == Question::Kind::row;
  const Index choices = rows && kept.rank() > 0 ? kept[0] : kept.elements();
  if (choices < 2 || kept.elements() > most_choices || (rows && kept.rank() != 2))
    reader.add(key, fmt::format("{} with shape {}", text, kept.to_string()),
               rows ? fmt::format("a matrix of 2 rows or more and up to {} cells", most_choices)
                    : fmt::format("2 to {} cells", most_choices));
}

void read_row_to_draw(TomlReader& reader, const CheckedSetup& checked, Question& question) {
  std::string text;
  reader.read("draw", text);
  if (text.empty() || !checked.valid) return;
  const auto part = part_from(reader, "draw", text, checked);
  if (!part) return;
  question.tensor = part->tensor;
  question.layer = part->layer;
  question.among = part->part;
  const Shape kept = shape_of_part(*part, checked.setup);
  const bool is_row = part->tensor == TensorId::weights && kept.rank() == 1 && kept[0] == checked.setup.key_length();
  if (!is_row || kept[0] < 3 || kept[0] > static_cast<Index>(most_drawn))
    reader.add("draw", fmt::format("{} with shape {}", text, kept.to_string()),
               fmt::format("a row of weights, of 3 to {} keys", most_drawn));
}

/// What is hidden besides what there is to choose from.
void read_hides(TomlReader& reader, const CheckedSetup& checked, Question& question) {
  std::vector<std::string> parts;
  reader.read("hides", parts);
  if (!checked.valid) return;
  for (const std::string& text : parts) {
    const auto part = part_from(reader, "hides", text, checked);
    if (!part) continue;
    const Shape kept = shape_of_part(*part, checked.setup);
    if (kept.elements() < 1)
      reader.add("hides", fmt::format("{} with shape {}", text, kept.to_string()), "a part with a cell");
    question.hides.push_back(*part);
  }
}

/// Shuffled by the words about the step, unless they are a scale that readers expect in order.
void read_order(TomlReader& reader, std::string_view step, Question& question) {
  bool in_order = false;
  reader.read("in_order", in_order);
  if (reader.has("in_order") && question.kind != Question::Kind::choice)
    return reader.add("in_order", fmt::format("{}", in_order), "in_order beside choices");
  if (in_order) return;
  question.order = shuffled_order(question.choices.size(), step);
  // What is to be put in order is not offered as it is written, which may be in order.
  if (question.kind == Question::Kind::order && std::ranges::is_sorted(question.order))
    std::ranges::reverse(question.order);
}

void read_choices(TomlReader& reader, std::string_view key, Question& question) {
  const bool ordered = question.kind == Question::Kind::order;
  const std::size_t least = ordered ? 3 : 2;
  const std::size_t most = ordered ? 6 : 9;
  std::vector<std::string> choices;
  reader.read(key, choices);
  const std::set<std::string> distinct(choices.begin(), choices.end());
  if (choices.size() < least || choices.size() > most || distinct.size() != choices.size())
    reader.add(key, fmt::format("{} choices, {} of them different", choices.size(), distinct.size()),
               fmt::format("{} to {} different texts", least, most));
  for (const std::string& choice : choices) {
    std::vector<WordsProblem> problems;
    question.choices.push_back(read_live_label(choice, problems));
    add_problems(reader, key, problems);
  }
}

void read_kind(TomlReader& reader, const CheckedSetup& checked, Question& question) {
  constexpr std::array<std::string_view, 7> kinds{"cells", "rows", "choices", "within", "find", "order", "draw"};
  std::vector<std::string_view> given;
  std::copy_if(kinds.begin(), kinds.end(), std::back_inserter(given), [&](auto kind) { return reader.has(kind); });
  if (reader.has("draw")) std::erase(given, "within");  // how far a share may be off
  if (given.size() != 1) {
    reader.add("", given.empty() ? "nothing to choose from" : listed(given, " and "),
               "one of cells, rows, find, choices, order, draw and within");
    for (auto kind : given) reader.value(kind);
    return;
  }
  const auto found = std::find(kinds.begin(), kinds.end(), given.front());
  question.kind = static_cast<Question::Kind>(found - kinds.begin());
  switch (question.kind) {
    case Question::Kind::cell:
    case Question::Kind::find:
    case Question::Kind::row: read_part(reader, *found, checked, question); break;
    case Question::Kind::choice:
    case Question::Kind::order: read_choices(reader, *found, question); break;
    case Question::Kind::draw:
      read_row_to_draw(reader, checked, question);
      question.within = 0.1;
      [[fallthrough]];
    case Question::Kind::number:
      reader.read("within", question.within);
      if (!(question.within >= 0)) reader.add("within", fmt::format("{}", question.within), "a number from 0 up");
      break;
  }
}

void read_format(TomlReader& reader, Question& question) {
  std::string format;
  reader.read("format", format);
  if (!reader.has("format")) return;
  if (question.kind != Question::Kind::number)
    return reader.add("format", fmt::format("\"{}\"", format), "format beside within");
  try {
    question.format = parse_live_format(format);
  } catch (const InputError& error) {
    reader.add("format", error.problems().front().found, error.problems().front().allowed);
  }
}

Expression expression_from(TomlReader& reader, std::string_view key, const std::string& text) {
  try {
    return Expression(text);
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) reader.add(key, problem.found, problem.allowed);
  }
  return Expression("0");
}

/// An expression; of an order one for each item.
void read_answer(TomlReader& reader, Question& question) {
  if (question.kind != Question::Kind::order) {
    std::string answer;
    reader.read("answer", answer);
    question.answer = expression_from(reader, "answer", answer);
    return;
  }
  std::vector<std::string> sizes;
  reader.read("answer", sizes);
  if (sizes.size() != question.choices.size())
    reader.add("answer", fmt::format("{} expressions", sizes.size()),
               fmt::format("a list of {}, one for each of what is ordered", question.choices.size()));
  for (const std::string& size : sizes) question.sizes.push_back(expression_from(reader, "answer", size));
}

/// What there is to choose from, as `wrong` names it; empty if it is unknown.
std::vector<Question::Choice> named_choices(const Question& question, const CheckedSetup& checked) {
  std::vector<Question::Choice> choices;
  for (const LiveText& choice : question.choices) choices.push_back({choice.source, ""});
  if (!choices.empty() || !checked.valid || !question.is_chosen()) return choices;
  const ModelTrace without_numbers{{std::make_shared<const Trace>(checked.setup)}};
  return choices_of(question, {without_numbers});
}

/// `choices` are empty if they are unknown.
void read_wrong(TomlReader& reader, const std::vector<Question::Choice>& choices, const TextContext& context,
                Question& question) {
  const TomlValue* const value = reader.value("wrong");
  if (value == nullptr) return;
  if (const auto* words = value->as<std::string>()) {
    question.wrong.push_back({"", words_in(reader, "wrong", *words, context)});
    return;
  }
  if (value->as<TomlTable>() == nullptr) {
    reader.add("wrong", describe(*value), "text in quotes, or a table of them, one for each wrong choice");
    return;
  }
  TomlReader table = reader.table("wrong");
  for (const std::string& key : table.keys()) {
    const bool other = key == "other";
    const auto is_it = [&](const Question::Choice& choice) { return choice.is_called(key); };
    if (!other && !choices.empty() && std::ranges::none_of(choices, is_it)) {
      std::vector<std::string> labels;
      for (const Question::Choice& choice : choices) labels.push_back(choice.label);
      table.add(key, "no such choice", fmt::format("other, or one of \"{}\"", fmt::join(labels, "\", \"")));
    }
    question.wrong.push_back({other ? "" : key, read_words(table, key, context)});
  }
}

}  // namespace

Setup read_assignments(TomlReader& reader, std::string_view key, const CheckedSetup& checked,
                       const std::filesystem::path& folder, std::vector<std::string>& assignments) {
  reader.read(key, assignments);
  if (!checked.valid || assignments.empty()) return checked.setup;
  try {
    return with_overrides(checked.setup, assignments, "set",
                          {.folder = folder, .access = ValueFiles::Access::in_folder});
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) {
      const std::string where = problem.key.empty() ? problem.source : problem.key;
      reader.add(key, fmt::format("{}: {}", where, problem.found), problem.allowed);
    }
  }
  return checked.setup;
}

Question question_from(TomlReader& reader, const CheckedSetup& checked, const TextContext& context,
                       std::string_view step) {
  Question question;
  const bool draws = reader.has("draw");
  if (draws && reader.has("answer")) reader.add("answer", "an answer beside draw", "none: the row is the answer");
  for (std::string_view needed : {"ask", "answer"})
    if (!reader.has(needed) && !(draws && needed == "answer"))
      reader.add(needed, "none",
                 needed == "ask" ? "the question in words" : "an expression, as argmax(weights[0,1,2])");
  question.ask = read_words(reader, "ask", context);
  const std::size_t before = reader.problems().size();
  read_kind(reader, checked, question);
  read_order(reader, step, question);
  read_format(reader, question);
  const bool offers = reader.problems().size() == before;
  read_hides(reader, checked, question);
  if (reader.has("answer")) read_answer(reader, question);
  question.hint = read_words(reader, "hint", context);
  question.right = read_words(reader, "right", context);
  read_wrong(reader, offers ? named_choices(question, checked) : std::vector<Question::Choice>{}, context, question);
  const Setup changed = read_assignments(reader, "set", checked, context.folder, question.set);
  if (!question.set.empty()) question.changed_setup = changed;
  reader.finish();
  return question;
}

}  // namespace headlight
