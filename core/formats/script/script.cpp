#include "core/formats/script/script.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/script/draw_code.hpp"
#include "core/formats/script/layer_names.hpp"
#include "core/formats/script/script_text.hpp"
#include "core/formats/script/task_code.hpp"
#include "core/model/problem.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/changes.hpp"
#include "core/setup/validity.hpp"
#include "core/stages/graph.hpp"
#include "core/stages/table.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

/// The title is on the third line: in the first two, Python would obey words such as "coding: latin-1".
std::string title_lines(const Code& code, std::string_view what) {
  const std::string title = code.setup.title.empty() ? "A setup without a title" : in_comment(code.setup.title);
  return fmt::format("#!/usr/bin/env python3\n# {} Written by Headlight.\n# {}\n#\n", what, title);
}

std::string_view library_name(const Code& code) { return code.in_torch() ? "PyTorch" : "NumPy"; }

std::string header(const Code& code) {
  return title_lines(code, fmt::format("Multi-head attention in {}, tensor by tensor.", library_name(code))) +
         "#   python3 attention.py              prints the shape of every tensor, and the output\n"
         "#   python3 attention.py trace.npz    compares every tensor with what `headlight compute` wrote\n";
}

std::string check_header(const Code& code) {
  return title_lines(code, fmt::format("Your own multi-head attention in {}, to be checked.", library_name(code))) +
         "#   python3 mine.py                      writes the tensors that you have to mine.npz\n"
         "#   headlight diagnose ... mine.npz      compares them, step by step\n";
}

/// Whether the setup draws random numbers, for tensors or for sequences. It must seed the generator before it can.
bool uses_generator(const Setup& setup) {
  return setup.has_task() || std::any_of(setup.random.draws.begin(), setup.random.draws.end(),
                                         [](const Draw& draw) { return std::holds_alternative<SeedDraw>(draw); });
}

std::string imports(const Code& code) {
  const bool draws_only = !code.in_torch() && code.draws_in_torch() && uses_generator(code.setup);
  CodeLines lines{{"import numpy as np", ""}};
  if (code.in_torch()) lines.push_back({"import torch", ""});
  if (draws_only) lines.push_back({"import torch", "only to draw the numbers that PyTorch's generator gives"});
  const bool takes_erf = code.setup.block.mlp == Mlp::gelu && !code.in_torch();
  std::string text = (takes_erf ? "import math\nimport sys\n\n" : "import sys\n\n") + paragraph("", lines);
  if ((code.in_torch() || draws_only) && !code.is_float32()) text += "\ntorch.set_default_dtype(torch.float64)\n";
  return text;
}

std::string sizes(const Code& code) {
  const Sizes& sizes = code.setup.sizes;
  CodeLines lines{{fmt::format("batch = {}", sizes.batch), ""},
                  {fmt::format("query_length = {}", sizes.query_length), ""}};
  if (code.setup.is_cross()) {
    lines.back().comment = "positions of X";
    lines.push_back({fmt::format("key_length = {}", code.setup.key_length()), "positions of Y"});
  } else if (code.setup.past() > 0) {
    lines.back().comment = "the last positions of X";
    lines.push_back({fmt::format("past = {}", code.setup.past()), "positions before them, which make keys and values"});
    lines.push_back({"key_length = past + query_length", "all positions of X"});
  } else {
    lines.back().comment = "positions of X; the keys are the same positions";
  }
  if (code.setup.has_attention_alone()) {
    lines.push_back({fmt::format("heads = {}", sizes.heads), ""});
    return paragraph("Sizes.", lines);
  }
  lines.push_back({fmt::format("d_model = {}", sizes.d_model), "features of a position"});
  if (code.setup.d_source() != sizes.d_model)
    lines.push_back({fmt::format("d_source = {}", code.setup.d_source()), "features of a position of Y"});
  if (code.setup.d_out() != sizes.d_model)
    lines.push_back({fmt::format("d_out = {}", code.setup.d_out()), "features of the output"});
  if (code.setup.has_mlp()) lines.push_back({fmt::format("d_mlp = {}", code.setup.d_mlp()), "neurons of the MLP"});
  if (code.setup.embedding.unembed && !code.setup.has_task())
    lines.push_back({fmt::format("symbols = {}", code.setup.symbols()), "that are scored"});
  lines.push_back({fmt::format("heads = {}", sizes.heads), ""});
  if (code.has_groups()) {
    lines.push_back(
        {fmt::format("kv_heads = {}", code.setup.kv_heads()),
         fmt::format("each key and value head serves {} query heads", sizes.heads / code.setup.kv_heads())});
  }
  const bool shared = code.setup.d_head() * sizes.heads == sizes.d_model;
  if (shared) lines.push_back({"d_head = d_model // heads", fmt::format("{} features of a head", code.setup.d_head())});
  else lines.push_back({fmt::format("d_head = {}", code.setup.d_head()), "features of a head"});
  return paragraph("Sizes.", lines);
}

std::string_view heading_of(const Stage& stage, const Code& code) {
  const Operation& operation = *stage.operation;
  return operation.varying_heading != nullptr ? operation.varying_heading(stage, code) : operation.heading;
}

/// One paragraph for each stage that has a heading. Stages without one, and of the same operation as the stage before,
/// continue the paragraph before.
std::vector<std::string> paragraphs_of(std::span<const Stage> stages, const Code& code,
                                       const std::set<std::string>& locals = {}) {
  std::vector<std::string> paragraphs;
  std::string_view heading;
  const Operation* before = nullptr;
  CodeLines lines;
  for (const Stage& stage : stages) {
    if (!exists(stage.result, code.setup)) continue;
    const bool goes_on = stage.operation == before;
    if (const std::string_view own = goes_on ? "" : heading_of(stage, code); !own.empty()) {
      if (!lines.empty()) paragraphs.push_back(paragraph(heading, std::exchange(lines, {})));
      heading = own;
    }
    before = stage.operation;
    CodeLines lines_of_stage = in_layer(stage.code(code), code.setup, locals);
    std::ranges::move(lines_of_stage, std::back_inserter(lines));
    if (code.in_torch() && code.setup.has_task() && stage.kind == StageKind::given && stage.operands.empty() &&
        !lines_of_stage.empty())
      lines.push_back({fmt::format("{}.requires_grad_()", variable(stage.result, code.setup)), ""});
  }
  if (!lines.empty()) paragraphs.push_back(paragraph(heading, lines));
  return paragraphs;
}

/// What the lines of a layer's forward pass assign to besides tensors: its backward pass reads some of it.
std::set<std::string> locals_of(const Code& code) {
  std::set<std::string> names;
  if (code.setup.sizes.layers == 1) return names;
  for (const Stage& stage : stages())
    if (exists(stage.result, code.setup)) names.merge(assigned_in(stage.code(code)));
  std::erase_if(names, [](const std::string& word) { return tensor_named(word).has_value(); });
  return names;
}

std::vector<Setup> layers_of(const Setup& setup) {
  std::vector<Setup> layers;
  for (Index layer = 0; layer < setup.sizes.layers; ++layer) layers.push_back(seen_at(setup, layer));
  return layers;
}

/// The forward pass through all layers, or the way back through them.
std::vector<std::string> forward_code(const Code& code) {
  std::vector<std::string> all;
  for (const Setup& layer : layers_of(code.setup)) {
    const Code own{layer, code.framework};
    if (!layer.is_first()) {
      const Setup below = seen_at(layer, layer.layer - 1);
      const std::string hands_on =
          fmt::format("{} = {}", variable(TensorId::X, layer), variable(what_leaves(below), below));
      all.push_back(paragraph(fmt::format("Layer {}.", layer.layer), {{hands_on, "what the layer below leaves"}}));
    }
    std::ranges::move(paragraphs_of(stages(), own, locals_of(own)), std::back_inserter(all));
  }
  return all;
}

std::vector<std::string> backward_code(const Code& code) {
  std::vector<std::string> all;
  for (Index at = code.setup.sizes.layers; at-- > 0;) {
    const Setup layer = seen_at(code.setup, at);
    const Code own{layer, code.framework};
    if (!layer.is_last()) {
      const Setup above = seen_at(layer, at + 1);
      const std::string hands_on = fmt::format("{} = {}", variable(gradient_of(what_leaves(layer)), layer),
                                               variable(gradient_of(TensorId::X), above));
      all.push_back(paragraph(fmt::format("Back through layer {}.", at), {{hands_on, "from the layer above"}}));
    }
    std::ranges::move(paragraphs_of(gradient_stages(), own, locals_of(own)), std::back_inserter(all));
  }
  return all;
}

constexpr std::string_view ending = R"(if len(sys.argv) < 2:
    for name, tensor in tensors.items():
        print(f"{name:16} {tuple(tensor.shape)}")
    print("@LAST@ =", @LAST@, sep="\n")
    sys.exit()

# Compare with a trace.
@TO_NUMPY@with np.load(sys.argv[1]) as file:
    trace = dict(file)
tolerance = @TOLERANCE@
after_softmax = @AFTER_SOFTMAX@


def allowed(name):
    """Softmax turns an absolute error of a score into a relative error of a weight, so large scores cost digits."""
    if name not in after_softmax:
        return tolerance
@SCORES@    largest_score = np.abs(scores[np.isfinite(scores)]).max(initial=0)
    return max(tolerance, 8 * np.finfo(scores.dtype).eps * largest_score)

@LARGEST_GRADIENT@
def largest_difference(name, mine, theirs):
    """As a part of the largest magnitude; inf or nan unless infinities are in the same places."""
    same = (mine == theirs) | (np.isnan(mine) & np.isnan(theirs))
    difference = np.abs(np.subtract(mine, theirs, where=~same, out=np.zeros(mine.shape))).max()
    magnitude = np.abs(theirs[np.isfinite(theirs)]).max(initial=@AT_LEAST@)
    return difference / magnitude if magnitude > 0 else difference


def verdict(name):
    if name not in trace:
        return "missing in the trace"
    if name not in tensors:
        return "missing in this script"
    mine, theirs = tensors[name], trace[name]
    if mine.shape != theirs.shape:
        return f"differs: {mine.shape} here, {theirs.shape} in the trace"
    found, limit = largest_difference(name, mine, theirs), allowed(name)
    return f"{'agrees ' if found <= limit else 'differs'}  {found:8.1e} of {limit:.0e} allowed"


verdicts = {name: verdict(name) for name in dict.fromkeys([*tensors, *trace])}
for name, words in verdicts.items():
    print(f"{name:16} {words}")
sys.exit(0 if all(words.startswith("agrees") for words in verdicts.values()) else 1)
)";

constexpr std::string_view largest_gradient = R"(
def least(name):
    """Gradients that cancel to 0, as that of b_k does, are rounding errors alone: they are measured by the others."""
    return np.abs(tensors["grad_logits"]).max() if @IS_GRADIENT@ else 0

)";

std::string collection(const Code& code) {
  const bool is_single = code.setup.sizes.layers == 1;
  std::vector<std::string> entries;
  for (const Setup& layer : layers_of(code.setup)) {
    for (const TensorInfo& tensor : all_tensors()) {
      if (!exists(tensor.id, layer)) continue;
      entries.push_back(is_single
                            ? fmt::format("{0}={0}", tensor.name)
                            : fmt::format("\"{}\": {}", name_in_model(tensor.id, layer), variable(tensor.id, layer)));
    }
  }
  if (code.setup.training.steps > 0) entries.emplace_back(is_single ? "curve=curve" : "\"curve\": curve");
  return bracketed(is_single ? "tensors = dict(" : "tensors = {", entries, is_single ? ")" : "}") + "\n";
}

/// "(\"weights\", \"context\", \"output\")": the tensors that are computed from the softmax.
std::string after_softmax(const Code& code) {
  std::vector<std::string> names;
  for (const Setup& layer : layers_of(code.setup)) {
    for (const TensorInfo& tensor : all_tensors()) {
      const bool is_after = !layer.is_first() || follows_softmax(tensor.id);  // or a layer below has a softmax
      if (exists(tensor.id, layer) && !is_drawn(tensor.id, layer) && is_after)
        names.push_back(fmt::format("\"{}\"", name_in_model(tensor.id, layer)));
    }
  }
  return fmt::format("({})", fmt::join(names, ", "));
}

constexpr std::string_view saving = R"(file = sys.argv[1] if len(sys.argv) > 1 else "mine.npz"
@MINE@np.savez(file, **{name: @AS_ARRAY@ for name, tensor in mine.items()})
print(f"{file} holds {', '.join(mine)}")
)";

/// Code that collects the tensors by name, and prints them or compares each with the npz file named on the command
/// line.
std::string script_ending(const Code& code) {
  constexpr std::string_view to_numpy = "tensors = {name: tensor.numpy() for name, tensor in tensors.items()}\n";
  constexpr std::string_view watched =
      "tensors = {name: tensor.detach().numpy() for name, tensor in tensors.items()}\n";
  const bool has_task = code.setup.has_task();
  std::string text = replaced(ending, "@TO_NUMPY@", !code.in_torch() ? "" : has_task ? watched : to_numpy);
  text = replaced(text, "@LARGEST_GRADIENT@", has_task ? largest_gradient : "");
  text = replaced(text, "@IS_GRADIENT@",
                  code.setup.sizes.layers == 1 ? "name.startswith(\"grad_\")" : "\"grad_\" in name");
  text = replaced(text, "@AT_LEAST@", has_task ? "least(name)" : "0");
  const Setup last_layer = seen_at(code.setup, code.setup.sizes.layers - 1);
  const std::string last =
      variable(code.setup.has_attention_alone() ? TensorId::weights : TensorId::output, last_layer);
  constexpr std::string_view all_scores =
      "    scores = np.concatenate([tensor.ravel() for each, tensor in tensors.items() if "
      "each.endswith(\".scores\")])\n";
  text = replaced(text, "@SCORES@", code.setup.sizes.layers == 1 ? "    scores = tensors[\"scores\"]\n" : all_scores);
  text = replaced(text, "@LAST@", last);
  text = replaced(text, "@AFTER_SOFTMAX@", after_softmax(code));
  // Each step of training inherits the rounding of all steps before it.
  const bool learns = code.setup.training.steps > 0;
  const char* tolerance = learns ? (code.is_float32() ? "2e-2" : "1e-5") : (code.is_float32() ? "2e-5" : "1e-10");
  return collection(code) + "\n" + replaced(text, "@TOLERANCE@", tolerance);
}

/// What else the setup says that the reader's own code must follow. Sizes and draws are above it, in code.
std::string settings_to_follow(const Code& code) {
  constexpr std::array<std::string_view, 5> sections{"attention.", "position.", "mask.", "norm.", "block."};
  constexpr std::array<std::string_view, 3> conventions{"attention.token_axis", "attention.weight_layout",
                                                        "attention.precision"};
  std::string text;
  for (const Change& change : changes(Setup{}, code.setup)) {
    const auto begins_it = [&](std::string_view section) { return change.key.starts_with(section); };
    if (std::ranges::none_of(sections, begins_it) || std::ranges::count(conventions, change.key) > 0) continue;
    if (change.key == "attention.temperature") text += "temperature = " + change.own_value + "\n";
    else text += fmt::format("# {} = {}\n", change.key, in_comment(change.own_value));
  }
  return text.empty() ? text : "# Settings that your code has to follow.\n" + text;
}

/// Comments that name every tensor with its shape, room for the user's own code, and the lines that write the tensors
/// to an npz file, as `headlight diagnose` reads it.
std::string own_part(const Code& code, const std::optional<Practice>& practice = {}) {
  CodeLines room;
  std::vector<std::string> names;
  const bool is_single = code.setup.sizes.layers == 1;
  for (const Setup& layer : layers_of(code.setup)) {
    for (const TensorInfo& tensor : all_tensors()) {
      if (!exists(tensor.id, layer)) continue;
      const std::string own = variable(tensor.id, layer);
      names.push_back(is_single ? fmt::format("\"{}\"", own)
                                : fmt::format("\"{}\": \"{}\"", name_in_model(tensor.id, layer), own));
      const bool is_asked = !practice || (tensor.id >= practice->from && tensor.id <= practice->to);
      if (is_asked && !is_drawn(tensor.id, layer))
        room.push_back({fmt::format("# {} = ...", own), shape_words(tensor.id, code)});
    }
  }
  std::string write = replaced(saving, "@AS_ARRAY@",
                               code.in_torch() ? "torch.as_tensor(tensor).detach().numpy()" : "np.asarray(tensor)");
  write = replaced(write, "@MINE@",
                   is_single ? "mine = {name: globals()[name] for name in names if name in globals()}\n"
                             : "mine = {name: globals()[own] for name, own in names.items() if own in globals()}\n");
  const std::string heading =
      practice ? fmt::format("Your own code: compute {} here.", name(practice->to))
               : std::string("Your own code: compute as many of these as you like, in these shapes.");
  return paragraph(heading, room) + "\n\n# Save the tensors that exist.\n" +
         bracketed(is_single ? "names = [" : "names = {", names, is_single ? "]" : "}") + "\n" + write;
}

constexpr std::string_view handing_in = R"(# What is handed in: mine.npz. What is printed can be checked too.
shapes = @SHAPES@
hand_in = @HAND_IN@
for name, shape in shapes.items():
    assert hand_in[name] is not None, f"{name} is missing"
    hand_in[name] = @AS_ARRAY@
    assert hand_in[name].shape == shape, f"{name} has the shape {hand_in[name].shape}, not {shape}"
np.savez("mine.npz", **hand_in)
np.set_printoptions(threshold=sys.maxsize, precision=8)
for name, tensor in hand_in.items():
    print(f"{name} =\n{tensor}" if tensor.size <= 1000 else f"{name} is in mine.npz")
)";

std::string tuple_of(const Shape& shape) {
  return fmt::format("({}{})", fmt::join(shape.begin(), shape.end(), ", "), shape.rank() == 1 ? "," : "");
}

/// Room for what is to be handed in, and the lines that check its shapes, save it and print it.
std::string exercise_part(const Code& code, const std::vector<std::string>& hand_in) {
  CodeLines room;
  std::vector<std::string> shapes, tensors;
  for (const Setup& layer : layers_of(code.setup)) {
    for (const TensorInfo& tensor : all_tensors()) {
      if (!exists(tensor.id, layer)) continue;
      const std::string name = name_in_model(tensor.id, layer);
      if (std::ranges::find(hand_in, name) == hand_in.end()) continue;
      const std::string own = variable(tensor.id, layer);
      room.push_back({fmt::format("{} = None", own), shape_words(tensor.id, code)});
      shapes.push_back(fmt::format("\"{}\": {}", name, tuple_of(shape(tensor.id, layer))));
      tensors.push_back(fmt::format("\"{}\": {}", name, own));
    }
  }
  std::string text = replaced(handing_in, "@SHAPES@", fmt::format("{{{}}}", fmt::join(shapes, ", ")));
  text = replaced(text, "@HAND_IN@", fmt::format("{{{}}}", fmt::join(tensors, ", ")));
  text =
      replaced(text, "@AS_ARRAY@",
               code.in_torch() ? "torch.as_tensor(hand_in[name]).detach().cpu().numpy()" : "np.asarray(hand_in[name])");
  return paragraph("Your own code: compute these, in these shapes.", room) + "\n\n" + text;
}

std::string exercise_header(const Code& code) {
  return title_lines(code, fmt::format("Your own multi-head attention in {}, to be handed in.", library_name(code))) +
         "#   Put your code where the tensors are None, and run this: it writes mine.npz.\n";
}

/// What comes before the user's own code.
std::vector<std::string> given_parts(const Code& code, std::string header) {
  std::vector<std::string> parts{std::move(header), imports(code), sizes(code)};
  if (std::string text = settings_to_follow(code); !text.empty()) parts.push_back(std::move(text));
  parts.push_back(draw_paragraphs(code));
  if (code.setup.has_task())
    parts.push_back(sequences_code(code) +
                    fmt::format("\n{}, labels = {}\n",
                                code.setup.embedding.learned ? "one_hot" : variable(TensorId::X, code.setup),
                                shown_code(code)));
  return parts;
}

void require_own_weights(const Setup& setup, std::int64_t memory_limit) {
  require_valid(setup);
  require_fits(setup, memory_limit);
  if (setup.has_attention_alone())
    throw InputError({"", "values.weights", "weights that are given", "a setup that computes them, to check your own"});
}

}  // namespace

std::string script(const Setup& setup, Framework framework, std::int64_t memory_limit) {
  require_valid(setup);
  require_fits(setup, memory_limit);
  const Setup first = seen_at(setup, 0);
  const Code code{first, framework};
  std::vector<std::string> parts{header(code), imports(code), sizes(code), draw_paragraphs(code)};
  std::vector<std::string> forward = forward_code(code);
  if (setup.has_task()) parts.push_back(task_code(code, forward, backward_code(code)));
  else std::ranges::move(forward, std::back_inserter(parts));
  for (const Setup& layer : layers_of(setup))
    std::ranges::move(paragraphs_of(aside_stages(), Code{layer, framework}), std::back_inserter(parts));
  parts.push_back(script_ending(code));
  return fmt::format("{}", fmt::join(parts, "\n"));
}

std::string check_script(const Setup& setup, Framework framework, std::int64_t memory_limit) {
  require_own_weights(setup, memory_limit);
  const Setup first = seen_at(setup, 0);
  const Code code{first, framework};
  std::vector<std::string> parts = given_parts(code, check_header(code));
  parts.push_back(own_part(code));
  return fmt::format("{}", fmt::join(parts, "\n"));
}

namespace {

/// The stages that are computed before a tensor, forward and then backward.
std::vector<Stage> stages_before(TensorId tensor) {
  std::vector<Stage> before;
  if (is_aside(tensor)) return before;
  for (const std::span<const Stage> all : {stages(), gradient_stages()})
    std::ranges::copy_if(all, std::back_inserter(before), [&](const Stage& stage) { return stage.result < tensor; });
  return before;
}

/// The numbers that the reader's own code reads, written down.
std::string numbers_for(const Practice& practice, const Trace& trace, const Code& code) {
  std::string text = "# What comes before, as numbers.\n";
  for (const Stage& stage : all_stages()) {
    if (stage.result < practice.from || stage.result > practice.to) continue;
    for (const Operand& operand : operands_of(stage, code.setup))
      if (operand.tensor < practice.from &&
          text.find(fmt::format("\n{} = ", name(operand.tensor))) == std::string::npos)
        text += fmt::format("{} = {}\n", name(operand.tensor), written_code(code, trace[operand.tensor]));
  }
  return text;
}

}  // namespace

std::string practice_script(const Trace& trace, const Practice& practice, Framework framework) {
  const Code code{trace.setup, framework};
  std::vector<std::string> parts{check_header(code), imports(code), sizes(code)};
  if (trace.setup.has_model()) {
    parts.push_back(numbers_for(practice, trace, code));
  } else {
    if (std::string text = settings_to_follow(code); !text.empty()) parts.push_back(std::move(text));
    parts.push_back(draw_paragraphs(code));
    if (trace.setup.has_task())
      parts.push_back(
          sequences_code(code) +
          fmt::format("\nX, labels = {}\nasked = labels[:, :, 0] >= 0  # (batch, query)\n", shown_code(code)));
    std::ranges::move(paragraphs_of(stages_before(practice.from), code), std::back_inserter(parts));
  }
  parts.push_back(own_part(code, practice));
  return fmt::format("{}", fmt::join(parts, "\n"));
}

std::string exercise_script(const Setup& setup, Framework framework, const std::vector<std::string>& hand_in,
                            std::int64_t memory_limit) {
  require_own_weights(setup, memory_limit);
  const Setup first = seen_at(setup, 0);
  const Code code{first, framework};
  std::vector<std::string> parts = given_parts(code, exercise_header(code));
  parts.push_back(exercise_part(code, hand_in));
  return fmt::format("{}", fmt::join(parts, "\n"));
}

}  // namespace headlight
