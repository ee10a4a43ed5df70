#include "core/formats/script/task_code.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/script/layer_names.hpp"
#include "core/formats/script/script_text.hpp"
#include "core/formats/toml/toml_value.hpp"
#include "core/model/shapes.hpp"
#include "core/model/trace.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"
#include "core/training/optimizer.hpp"

namespace headlight {
namespace {

bool learns(const Code& code) { return code.setup.training.steps > 0; }

/// Turns an array of the library that draws into one of the script's framework.
std::string converted_sequences(const Code& code, const std::string& array) {
  if (code.draws_in_torch() == code.in_torch()) return array;
  return code.in_torch() ? fmt::format("torch.from_numpy({})", array) : array + ".numpy()";
}

std::string source_of_sequences(const Code& code) {
  const std::int64_t seed = code.setup.task.seed;
  if (code.draws_in_torch()) return fmt::format("torch.Generator().manual_seed({})", seed);
  return fmt::format("np.random.{}({})", code.draws_with_rng() ? "default_rng" : "RandomState", seed);
}

/// How long a sequence is, as code.
std::string length(const Code& code) { return extent_code(Axis::token, code); }

/// "sequences.randint(0, symbols, (count, query_length))"
std::string integers(const Code& code, std::string_view end, std::string_view shape) {
  if (code.draws_in_torch())
    return converted_sequences(code, fmt::format("torch.randint(0, {}, {}, generator=sequences)", end, shape));
  return converted_sequences(
      code, fmt::format("sequences.{}(0, {}, {})", code.draws_with_rng() ? "integers" : "randint", end, shape));
}

/// Random numbers of which a row's order is that of its symbols; so many of them are taken.
std::string distinct(const Code& code, const std::string& used) {
  const std::string shape = "(count, symbols)";
  if (code.draws_in_torch()) {
    return converted_sequences(
        code,
        fmt::format("torch.rand({}, dtype=torch.float64, generator=sequences).argsort(dim=-1)[:, :{}]", shape, used));
  }
  return converted_sequences(code, fmt::format("sequences.{}({}).argsort(axis=-1)[:, :{}]",
                                               code.draws_with_rng() ? "random" : "random_sample", shape, used));
}

std::string library(const Code& code) { return code.in_torch() ? "torch" : "np"; }

/// What holds the symbols: X itself, or the ones that pick rows of W_E.
std::string_view held_in(const Code& code) { return code.setup.embedding.learned ? "one_hot" : "X"; }

/// "np.zeros((count, query_length, d_model), dtype=np.float32)"
std::string input_of_zeros(const Code& code) {
  const Axis features = code.setup.embedding.learned ? Axis::symbols : Axis::d_model;
  const std::string shape = fmt::format("(count, {}, {})", length(code), extent_code(features, code));
  if (code.in_torch()) return fmt::format("torch.zeros({})", shape);
  return fmt::format("np.zeros({}{})", shape, code.is_float32() ? ", dtype=np.float32" : "");
}

CodeLines held_symbols(const Code& code) {
  const std::string x(held_in(code));
  if (code.setup.task.name == TaskName::induction) {
    const std::string first = fmt::format("{0} - {0} // 3", length(code));
    const std::string join = code.in_torch() ? "torch.cat([first, held], 1)" : "np.concatenate([first, held], 1)";
    return {{fmt::format("repeated = {} // 3", length(code)), "positions at the end"},
            {"first = " + distinct(code, first), "none twice"},
            {"starts = " + integers(code, first + " - repeated", "(count,)"), "what is repeated begins there"},
            {fmt::format("places = starts[:, None] + {}.arange(repeated)", library(code)), "(count, repeated)"},
            {fmt::format("held = first[{}.arange(count)[:, None], places]", library(code)), ""},
            {"held = " + join, "(count, position)"},
            {x + "[:, :, :symbols] = held[..., None] == symbol", "the first features"}};
  }
  if (code.setup.task.name != TaskName::lookup) {
    return {{"held = " + integers(code, "symbols", fmt::format("(count, {})", length(code))), "(count, position)"},
            {x + "[:, :, :symbols] = held[..., None] == symbol", "the first features"}};
  }
  const std::string rows = library(code) + ".arange(count)";
  return {
      {"keys = " + distinct(code, length(code) + " - 1"), "(count, position - 1), none twice"},
      {"values = " + integers(code, "symbols", fmt::format("(count, {} - 1)", length(code))), "(count, position - 1)"},
      {"places = " + integers(code, length(code) + " - 1", "(count,)"), "whose value is asked for"},
      {x + "[:, :-1, :symbols] = keys[..., None] == symbol", ""},
      {x + "[:, :-1, symbols:2 * symbols] = values[..., None] == symbol", ""},
      {fmt::format("{}[:, -1, :symbols] = keys[{}, places][:, None] == symbol", x, rows), "the key alone"}};
}

CodeLines right_answers(const Code& code) {
  const CodeLine previous{"labels[:, 1:, 0] = held[:, :-1]", "the symbol before"};
  switch (code.setup.task.name) {
    case TaskName::none: return {};
    case TaskName::previous: return {previous};
    case TaskName::first: return {{"labels[:, :, 0] = held[:, :1]", "the first symbol"}};
    case TaskName::reverse:
      return {{fmt::format("labels[:, :, 0] = held{}", code.in_torch() ? ".flip(1)" : "[:, ::-1]"), "in reverse"}};
    case TaskName::previous_and_first: return {previous, {"labels[:, 1:, 1] = held[:, :1]", "and the first"}};
    case TaskName::induction:
      return {{fmt::format("labels[:, -repeated:, 0] = first[{}.arange(count)[:, None], places + 1]", library(code)),
               "what followed the first time"}};
    case TaskName::text:
    case TaskName::lookup: break;
  }
  return {{fmt::format("labels[:, -1, 0] = values[{}.arange(count), places]", library(code)), "the value of that key"}};
}

std::string indented(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    if (text[at] != '\n') result += "    ";
    result.append(text, at, end - at);
    at = end;
  }
  return result;
}

// --- The task text ---------------------------------------------------------------------------------------------------

std::string python_text(std::string_view text) { return toml_text(text); }

/// "[\"one\", \"two\"]", with as many in a line as fit.
std::string list_of_texts(const std::string& head, const std::vector<std::string>& texts, const std::string& tail) {
  std::vector<std::string> literals;
  for (const std::string& text : texts) literals.push_back(python_text(text));
  return bracketed(head + "[", literals, "]" + tail);
}

std::string text_itself(const TaskText& text) {
  if (!text.path().empty()) {
    return fmt::format("text = open({}, encoding=\"utf-8-sig\").read().removesuffix(\"\\n\")",
                       python_text(text.path()));
  }
  std::vector<std::string> lines;
  for (const std::string_view line : split_at(text.text(), '\n')) lines.emplace_back(line);
  return list_of_texts("text = \"\\n\".join(", lines, ")");
}

std::string array_of(const Code& code, std::string_view list) {
  return fmt::format("{}({})", code.in_torch() ? "torch.tensor" : "np.array", list);
}

/// rows_of(texts), which both the drawn lines and the texts that are shown go through.
std::string rows_function(const Code& code) {
  const bool by_lines = code.setup.task.split == TextSplit::lines;
  const std::string symbols = "at[character] for character in text";
  return fmt::format(
             "\n\ndef rows_of(texts):\n    \"\"\"What each position holds, and the symbol after it; -1 where nothing "
             "is "
             "asked.\"\"\"\n") +
         indented(paragraph(
             "",
             {{fmt::format("parts = [[{}] for text in texts]", by_lines ? "0, *(" + symbols + "), 0" : symbols), ""},
              {fmt::format("held = [(part + [0] * {0})[:{0}] for part in parts]", length(code)), ""},
              {fmt::format("after = [(part[1:] + [-1] * {0})[:{0}] for part in parts]", length(code)), ""},
              {fmt::format("return {}, {}", array_of(code, "held"), array_of(code, "after")), ""}}));
}

/// sequences_of(held, after): what next_sequences() and the shown texts have in common.
std::string held_function(const Code& code) {
  const std::string_view x = held_in(code);
  std::string input = input_of_zeros(code);
  input.replace(input.find("count"), 5, "len(held)");
  return fmt::format("\n\ndef sequences_of(held, after):\n    \"\"\"{}, and the right answers.\"\"\"\n",
                     code.setup.embedding.learned ? "A 1 for each symbol" : "X") +
         indented(paragraph(
             "", {{fmt::format("{} = {}", x, input), ""},
                  {fmt::format("{}[:, :, :symbols] = held[..., None] == {}.arange(symbols)", x, library(code)),
                   "the first features"},
                  {fmt::format("return {}, after[:, {}, None]", x, code.setup.past() > 0 ? "past:" : ":"), ""}}));
}

std::string text_sequences_code(const Code& code) {
  const TaskSettings& task = code.setup.task;
  const bool by_lines = task.split == TextSplit::lines;
  std::string code_text =
      paragraph("The task text: its sequences have a generator of their own.", {}) + text_itself(task.corpus()) + "\n" +
      paragraph("", {{"characters = [\"\\n\", *sorted(set(text) - {\"\\n\"})]", "a symbol each"},
                     {"at = {character: symbol for symbol, character in enumerate(characters)}", ""},
                     {"symbols = len(characters)", ""},
                     {"answers = 1", "for each position"},
                     {"sequences = " + source_of_sequences(code), ""}}) +
      rows_function(code) + held_function(code);
  CodeLines before, next;
  if (by_lines) {
    before = {{"lines_held, lines_after = rows_of(text.split(\"\\n\"))", "(line, position)"}};
    next = {{"lines = " + integers(code, "len(lines_held)", "(count,)"), ""},
            {"return sequences_of(lines_held[lines], lines_after[lines])", ""}};
  } else {
    before = {{fmt::format("all_symbols = {}", array_of(code, "[at[character] for character in text]")), ""}};
    next = {{"starts = " + integers(code, fmt::format("len(text) - {}", length(code)), "(count,)"), ""},
            {fmt::format("places = starts[:, None] + {}.arange({})", library(code), length(code)), "(count, position)"},
            {"return sequences_of(all_symbols[places], all_symbols[places + 1])", ""}};
  }
  return code_text + "\n\n" + paragraph("", before) + "\n\ndef next_sequences(count):\n" +
         indented(paragraph("", next)) + "\n";
}

std::vector<std::string> learned(const Code& code) {
  std::vector<std::string> names;
  for (const LayerTensor& each : learned_in_model(code.setup))
    names.push_back(variable(each.tensor, seen_at(code.setup, each.layer)));
  return names;
}

/// Autograd must know which tensors are drawn and need a gradient.
std::string leaves(const Code& code) {
  CodeLines lines;
  for (const std::string& each : learned(code))
    lines.push_back({fmt::format("{0} = {0}.clone().requires_grad_()", each), ""});
  return paragraph("Autograd watches what learns.", lines) + "\n";
}

std::string training_settings(const Code& code) {
  const TrainingSettings& training = code.setup.training;
  return paragraph("Training.", {{fmt::format("steps = {}", training.steps), ""},
                                 {fmt::format("training_batch = {}", training.batch), "sequences of a step"},
                                 {fmt::format("learning_rate = {}", float_text(training.learning_rate)), ""},
                                 {"curve = []", "the loss of each step's sequences before its update"}});
}

/// Lines before the steps of training, and after one.
std::string before_steps(const Code& code) {
  const Optimizer& optimizer = optimizer_of(code.setup.training.optimizer);
  if (!code.in_torch()) return optimizer.numpy_definitions == nullptr ? "\n" : optimizer.numpy_definitions();
  return fmt::format("optimizer = torch.optim.{}([{}], lr=learning_rate)\n\n", optimizer.torch_class,
                     fmt::join(learned(code), ", "));
}

CodeLines update(const Code& code) {
  if (code.in_torch()) {
    return {
        {"curve.append(L.item())", ""}, {"optimizer.zero_grad()", ""}, {"L.backward()", ""}, {"optimizer.step()", ""}};
  }
  CodeLines lines{{"curve.append(L)", ""}};
  const std::string_view step = optimizer_of(code.setup.training.optimizer).numpy_step;
  for (const LayerTensor& each : learned_in_model(code.setup)) {
    const Setup layer = seen_at(code.setup, each.layer);
    const std::string_view parameter = name(each.tensor);
    const std::string line = fmt::format("{} = {}", parameter, fmt::format(fmt::runtime(step), parameter));
    lines.push_back({in_layer(line, layer), ""});
  }
  return lines;
}

/// All tensors that have a gradient, in the order of the gradients.
std::string autograd(const Code& code) {
  std::vector<std::string> gradients, tensors;
  for (Index at = code.setup.sizes.layers; at-- > 0;) {
    const Setup layer = seen_at(code.setup, at);
    for (const TensorInfo& tensor : all_tensors()) {
      if (!tensor.is_gradient() || !exists(tensor.id, layer)) continue;
      gradients.push_back(variable(tensor.id, layer));
      tensors.push_back(variable(gradient_of(tensor.id), layer));
    }
  }
  return "# The gradient of L with each tensor.\n" + bracketed("tensors = [", tensors, "]") + "\n" +
         bracketed("[", gradients, "] = torch.autograd.grad(L, tensors)") + "\n";
}

}  // namespace

std::string sequences_code(const Code& code) {
  const TaskSettings& task = code.setup.task;
  if (task.is_text()) return text_sequences_code(code);
  const std::string_view x = held_in(code);
  CodeLines body{{fmt::format("{} = {}", x, input_of_zeros(code)), ""},
                 {fmt::format("labels = {}.full((count, {}, answers), -1)", library(code), length(code)),
                  "-1 where nothing is asked"},
                 {fmt::format("symbol = {}.arange(symbols)", library(code)), ""}};
  for (CodeLine& line : held_symbols(code)) body.push_back(std::move(line));
  for (CodeLine& line : right_answers(code)) body.push_back(std::move(line));
  if (code.setup.past() > 0)
    body.push_back({fmt::format("return {}, labels[:, past:]", x), "past positions make no queries"});
  else body.push_back({fmt::format("return {}, labels", x), ""});
  return paragraph(fmt::format("The task {}: its sequences have a generator of their own.", to_string(task.name)),
                   {{fmt::format("symbols = {}", task.symbols), ""},
                    {fmt::format("answers = {}", answers_of(task.name)), "for each position"},
                    {"sequences = " + source_of_sequences(code), ""}}) +
         fmt::format("\n\ndef next_sequences(count):\n    \"\"\"{}, and the right answers.\"\"\"\n",
                     code.setup.embedding.learned ? "A 1 for each symbol" : "X") +
         indented(paragraph("", body)) + "\n";
}

std::string shown_code(const Code& code) {
  const TaskSettings& task = code.setup.task;
  if (!task.is_text() || task.shown.empty()) return "next_sequences(batch)";
  std::string texts = list_of_texts("sequences_of(*rows_of(", task.shown, "))");
  if (texts.ends_with('\n')) texts.pop_back();
  return texts;
}

std::string task_code(const Code& code, const std::vector<std::string>& forward, const std::vector<std::string>& back) {
  const std::string asked = paragraph("", {{"asked = labels[:, :, 0] >= 0", "(batch, query)"}});
  const std::string held = code.setup.embedding.learned ? "one_hot" : variable(TensorId::X, code.setup);
  const std::string gradient_of_input =
      code.in_torch() && !code.setup.embedding.learned ? held + ".requires_grad_()\n" : "";
  const std::string mean = code.in_torch() ? "\nL = loss[asked].mean()\n" : "\nL = loss.sum() / asked.sum()\n";
  std::string walk = fmt::format("{}{}\n{}{}", gradient_of_input, asked, fmt::join(forward, "\n"), mean);
  if (!code.in_torch()) walk += fmt::format("\n{}", fmt::join(back, "\n"));

  std::string text = sequences_code(code) + "\n";
  if (code.in_torch()) text += leaves(code);
  if (!learns(code)) {
    text += paragraph("The sequences that are shown.", {{fmt::format("{}, labels = {}", held, shown_code(code)), ""}}) +
            walk;
  } else {
    text += training_settings(code) + "shown = " + shown_code(code) + "\n" + before_steps(code);
    text += "for step in range(steps + 1):\n    # After the last step, once more with the sequences that are shown.\n";
    text += fmt::format(
        "    {0}, labels = next_sequences(training_batch) if step < steps else shown\n    batch = len({0})\n", held);
    text += indented(walk) + "    if step == steps:\n        break\n\n" + indented(paragraph("Learn.", update(code)));
    text += code.in_torch() ? "\ncurve = torch.tensor(curve, dtype=torch.float64)\n"
                            : "\ncurve = np.array(curve, dtype=np.float64)\n";
  }
  if (code.in_torch()) text += fmt::format("\n{}", autograd(code));
  return text;
}

}  // namespace headlight
