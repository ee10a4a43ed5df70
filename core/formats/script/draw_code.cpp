#include "core/formats/script/draw_code.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/script/layer_names.hpp"
#include "core/formats/script/script_text.hpp"
#include "core/formats/toml/toml_value.hpp"
#include "core/model/cell.hpp"
#include "core/model/shapes.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

bool is_weight(TensorId id) { return info(id).kind == TensorKind::weight; }

/// One extent as it is, several as a tuple: what NumPy takes as a shape.
std::string size_of(const std::vector<std::string>& extents) {
  const std::string list = fmt::format("{}", fmt::join(extents, ", "));
  return extents.size() == 1 ? list : "(" + list + ")";
}

std::string zeros(const Code& code, const std::vector<std::string>& extents) {
  if (code.in_torch()) return fmt::format("torch.zeros({})", fmt::join(extents, ", "));
  return fmt::format("np.zeros({}{})", size_of(extents), code.is_float32() ? ", dtype=np.float32" : "");
}

/// Code that turns an array of the library that draws into one of the script's framework, in the setup's precision.
std::string converted(const Code& code, const std::string& tensor) {
  if (code.draws_in_torch()) return code.in_torch() ? tensor : tensor + ".numpy()";
  const std::string precise = code.is_float32() ? tensor + ".astype(np.float32)" : tensor;
  return code.in_torch() ? fmt::format("torch.from_numpy({})", precise) : precise;
}

/// "np.random.rand(4, 8)", "rng.standard_normal((4, 8))"
std::string random_numbers(const Code& code, Distribution distribution, const std::vector<std::string>& extents) {
  const bool normal = distribution == Distribution::normal;
  if (!code.draws_with_rng()) {
    return fmt::format("{}.{}({})", code.draws_in_torch() ? "torch" : "np.random", normal ? "randn" : "rand",
                       fmt::join(extents, ", "));
  }
  return fmt::format("rng.{}({})", normal ? "standard_normal" : "random", size_of(extents));
}

std::string drawn(const Code& code, Distribution distribution, const std::vector<std::string>& extents,
                  double factor = 1) {
  const std::string list = fmt::format("{}", fmt::join(extents, ", "));
  switch (distribution) {
    case Distribution::uniform:
    case Distribution::normal: {
      const std::string numbers = random_numbers(code, distribution, extents);
      return converted(code, factor == 1 ? numbers : fmt::format("({} * {})", numbers, float_text(factor)));
    }
    case Distribution::xavier_uniform:
      return converted(code, fmt::format("torch.nn.init.xavier_uniform_(torch.empty({}))", list));
    case Distribution::zeros:
    case Distribution::linear:
    case Distribution::linear_no_bias: break;
  }
  return zeros(code, extents);
}

/// The extents that one draw fills, as code: of the whole tensor, or of one head's block.
std::vector<std::string> drawn_extents(const Code& code, TensorId id, bool one_head) {
  std::vector<std::string> result = extents_code(id, code);
  if (!one_head) return result;
  result[static_cast<std::size_t>(info(id).block_axis().value())] = "d_head";
  return result;
}

/// The left side of an assignment: "W_q", "W_q[:, block(0)]", "b_q[block(0)]", "W_o[block(0)]"
std::string name_in_code(TensorId id, const std::optional<Index>& head) {
  if (!head) return std::string(name(id));
  const bool columns = info(id).block_axis() == 1;
  return fmt::format("{}[{}block({})]", name(id), columns ? ":, " : "", *head);
}

CodeLine input_draw(const Code& code, const TensorDraw& draw, TensorId id) {
  const bool turned = code.setup.attention.token_axis == TokenAxis::columns && draw.distribution != Distribution::zeros;
  std::vector<std::string> list = extents_code(id, code);
  if (!turned)
    return {fmt::format("{} = {}", name(id), drawn(code, draw.distribution, list, draw.factor)), shape_words(id, code)};
  std::swap(list[1], list[2]);
  const bool one = code.setup.sizes.batch == 1;
  if (one) list.erase(list.begin());
  const std::string turn = one ? ".T[None]" : code.in_torch() ? ".transpose(1, 2)" : ".swapaxes(1, 2)";
  return {fmt::format("{} = {}{}", name(id), drawn(code, draw.distribution, list, draw.factor), turn),
          shape_words(id, code) + ", drawn with positions as columns"};
}

CodeLine parameter_draw(const Code& code, const TensorDraw& draw, TensorId id) {
  std::vector<std::string> list = drawn_extents(code, id, draw.head.has_value());
  const bool torch_layout = draw.distribution == Distribution::xavier_uniform;
  const bool out_in = code.setup.attention.weight_layout == WeightLayout::out_in;
  const bool turned = is_weight(id) && (torch_layout || (out_in && draw.distribution != Distribution::zeros));
  if (turned) std::swap(list[0], list[1]);
  std::string comment = draw.head ? fmt::format("head {}", *draw.head) : shape_words(id, code);
  if (turned) comment += ", drawn as (out, in)";
  const std::string numbers = drawn(code, draw.distribution, list, draw.factor);
  return {fmt::format("{} = {}{}", name_in_code(id, draw.head), numbers, turned ? ".T" : ""), comment};
}

CodeLines linear_draw(const Code& code, const TensorDraw& draw, TensorId weight) {
  const std::vector<std::string> list = drawn_extents(code, weight, draw.head.has_value());
  const char* array = code.in_torch() ? ".detach()" : ".detach().numpy()";
  if (draw.distribution == Distribution::linear_no_bias) {
    return {{fmt::format("linear = torch.nn.Linear({}, bias=False)", fmt::join(list, ", ")), "draws its weight alone"},
            {fmt::format("{} = linear.weight{}.T", name_in_code(weight, draw.head), array),
             "kept as (out, in) by PyTorch"}};
  }
  return {{fmt::format("linear = torch.nn.Linear({})", fmt::join(list, ", ")), "draws its weight, then its bias"},
          {fmt::format("{0}, {1} = linear.weight{2}.T, linear.bias{2}", name_in_code(weight, draw.head),
                       name_in_code(*bias_of(weight), draw.head), array),
           "kept as (out, in) by PyTorch"}};
}

CodeLines packed_draw(const Code& code) {
  const std::string rows = drawn(code, Distribution::xavier_uniform, {"3 * d_model", "d_model"});
  return {{fmt::format("in_projection = {}", rows), "all three in one, as in nn.MultiheadAttention"},
          {code.in_torch() ? "W_q, W_k, W_v = in_projection.T.chunk(3, dim=1)"
                           : "W_q, W_k, W_v = np.split(in_projection.T, 3, axis=1)",
           ""}};
}

CodeLine seed_draw(const Code& code, const SeedDraw& draw) {
  if (code.draws_with_rng()) return {fmt::format("rng = np.random.default_rng({})", draw.seed), ""};
  return {fmt::format("{}({})", code.draws_in_torch() ? "torch.manual_seed" : "np.random.seed", draw.seed), ""};
}

CodeLines lines_in_layer(const Code& code, const PlainDraw& draw) {
  if (const auto* seed = std::get_if<SeedDraw>(&draw)) return {seed_draw(code, *seed)};
  const auto& tensor = std::get<TensorDraw>(draw);
  if (is_replaced(tensor, code.setup)) return {};
  const auto* id = std::get_if<TensorId>(&tensor.target);
  if (id == nullptr) return packed_draw(code);
  if (info(*id).kind == TensorKind::input) return {input_draw(code, tensor, *id)};
  const bool is_linear =
      tensor.distribution == Distribution::linear || tensor.distribution == Distribution::linear_no_bias;
  if (is_linear) return linear_draw(code, tensor, *id);
  return {parameter_draw(code, tensor, *id)};
}

/// The lines of a draw, with the variables of its layer.
CodeLines lines_of(const Code& code, const PlainDraw& draw) {
  const auto* const tensor = std::get_if<TensorDraw>(&draw);
  if (tensor == nullptr || code.setup.sizes.layers == 1) return lines_in_layer(code, draw);
  const Setup layer = seen_at(code.setup, tensor->layer);
  return in_layer(lines_in_layer({layer, code.framework}, draw), layer);
}

/// Whether the draw is one of the tensor in the layer that the setup is asked about.
bool is_of(const TensorDraw& draw, TensorId id, const Setup& setup) {
  return draws_into(draw, id) && (draw.layer == setup.layer || info(id).is_of_model());
}

/// Whether a draw that is carried out fills one head's block of the tensor.
bool draws_block_of(const Setup& setup, TensorId id) {
  return std::ranges::any_of(draws_in_order(setup), [&](const PlainDraw& draw) {
    const auto* tensor = std::get_if<TensorDraw>(&draw);
    return tensor != nullptr && tensor->head && is_of(*tensor, id, setup) && !is_replaced(*tensor, setup);
  });
}

/// Whether the tensor must be there before the draws begin.
bool starts_undrawn(const Setup& setup, TensorId id) {
  if (setup.values.whole(id) != nullptr && !draws_block_of(setup, id)) return false;
  for (const PlainDraw& draw : draws_in_order(setup)) {
    const auto* tensor = std::get_if<TensorDraw>(&draw);
    if (tensor != nullptr && is_of(*tensor, id, setup)) return tensor->head.has_value();
  }
  return true;
}

/// The lines of what is there before the draws begin: gains as ones, or everything else as zeros.
CodeLines starting_lines(const Code& code, bool gains) {
  CodeLines lines;
  for (Index layer = 0; layer < code.setup.sizes.layers; ++layer) {
    const Setup setup = seen_at(code.setup, layer);
    for (TensorId id : drawn_tensors()) {
      if (!exists(id, setup) || !is_drawn(id, setup) || !starts_undrawn(setup, id)) continue;
      if ((info(id).without_draws() == 1) != gains) continue;
      std::string numbers = zeros(code, extents_code(id, code));
      if (gains) numbers.replace(numbers.find("zeros"), 5, "ones");
      lines.push_back({fmt::format("{} = {}", variable(id, setup), numbers), shape_words(id, code)});
    }
  }
  return lines;
}

bool draws_blocks(const Setup& setup) {
  return std::ranges::any_of(draws_in_order(setup), [](const PlainDraw& draw) {
    const auto* tensor = std::get_if<TensorDraw>(&draw);
    return tensor != nullptr && tensor->head.has_value();
  });
}

std::string_view heading(const Code& code) {
  if (code.draws_in_torch() == code.in_torch()) return "Draw, in this order.";
  return code.in_torch() ? "Draw with NumPy, in this order; everything after that is PyTorch."
                         : "Draw with PyTorch, in this order; everything after that is NumPy.";
}

/// Longer arrays are loaded and not written out.
constexpr Index most_written = 256;

bool is_written_out(const GivenNumbers& numbers) { return numbers.tensor().elements() <= most_written; }

/// Whether NumPy alone can load it.
bool is_loaded(const GivenNumbers& numbers) {
  if (!numbers.source()) return false;
  const auto ending = std::filesystem::path(numbers.source()->path).extension();
  return ending == ".npy" || ending == ".npz";
}

bool is_from_trace(const GivenNumbers& numbers) { return !is_written_out(numbers) && !is_loaded(numbers); }

std::string dtype(const Code& code) { return code.is_float32() ? "np.float32" : "np.float64"; }

std::string in_framework(const Code& code, const std::string& array) {
  return code.in_torch() ? fmt::format("torch.from_numpy({})", array) : array;
}

/// Nested lists, each row of a matrix on a line of its own.
std::string nested(const Tensor& tensor, std::vector<Index>& index, const std::string& indent) {
  const int axis = static_cast<int>(index.size());
  const int rank = tensor.shape().rank();
  if (axis == rank) return float_text(tensor.at(index));
  std::vector<std::string> entries;
  index.push_back(0);
  for (; index.back() < tensor.shape()[axis]; ++index.back()) entries.push_back(nested(tensor, index, indent + "    "));
  index.pop_back();
  if (axis + 1 == rank) return fmt::format("[{}]", fmt::join(entries, ", "));
  const std::string between = ",\n" + indent + "    ";
  return fmt::format("[\n{0}    {1},\n{0}]", indent, fmt::join(entries, between));
}

std::string written_out(const Code& code, const Tensor& tensor) {
  std::vector<Index> index;
  return fmt::format("np.array({}, dtype={})", nested(tensor, index, ""), dtype(code));
}

std::string loaded(const Code& code, const GivenNumbers& numbers) {
  const ArraySource& source = *numbers.source();
  std::string array = fmt::format("np.load({})", toml_text(std::string_view(source.path)));
  if (std::filesystem::path(source.path).extension() == ".npz") {
    array += source.name.empty() ? fmt::format("[np.load({}).files[0]]", toml_text(std::string_view(source.path)))
                                 : fmt::format("[{}]", toml_text(std::string_view(source.name)));
  }
  // NumPy's .T turns all axes round; that is the same for a matrix.
  std::string steps = source.steps;
  const bool is_matrix = steps == ".T" && numbers.tensor().shape().rank() == 2;
  for (auto at = steps.find(".T"); at != std::string::npos && !is_matrix; at = steps.find(".T"))
    steps.replace(at, 2, ".swapaxes(-1, -2)");
  return fmt::format("{}{}.astype({})", array, steps, dtype(code));
}

std::string numbers_of(const Code& code, const GivenNumbers& numbers) {
  return is_written_out(numbers) ? written_out(code, numbers.tensor()) : loaded(code, numbers);
}

/// "W_q[0:4, 2]", with places that both libraries take: none counted from the end, no step backwards.
std::string part_in_code(TensorId tensor, const AxisRanges& ranges) {
  std::vector<std::string> items;
  for (const AxisRange& range : ranges) {
    const Index low = std::min(range.first, range.last());
    const Index high = std::max(range.first, range.last());
    const Index step = range.step < 0 ? -range.step : range.step;
    if (range.is_position) items.push_back(std::to_string(range.first));
    else items.push_back(fmt::format("{}:{}{}", low, high + 1, step == 1 ? "" : fmt::format(":{}", step)));
  }
  return fmt::format("{}[{}]", name(tensor), fmt::join(items, ", "));
}

/// Turns round the axes whose places are counted backwards.
std::string turned_round(const std::string& array, const AxisRanges& ranges, int rank) {
  std::vector<std::string> axes;
  int from_end = static_cast<int>(shape_of(ranges).rank());
  for (const AxisRange& range : ranges) {
    if (range.is_position) continue;
    if (range.step < 0 && from_end <= rank) axes.push_back(std::to_string(-from_end));
    --from_end;
  }
  if (axes.empty()) return array;
  return fmt::format("np.flip({}, ({},)).copy()", array, fmt::join(axes, ", "));
}

std::string part_line(const Code& code, const GivenValue& value) {
  const AxisRanges ranges = *ranges_of(value.part, shape(value.tensor, code.setup));
  const std::string part = part_in_code(value.tensor, ranges);
  const Tensor& tensor = value.numbers.tensor();
  if (tensor.shape().rank() == 0)
    return fmt::format("{} = {}\n", part, float_text(tensor.at(std::span<const Index>{})));
  if (is_from_trace(value.numbers)) {
    const std::string from = part.substr(name(value.tensor).size());
    return fmt::format("{} = {}\n", part, in_framework(code, fmt::format("trace[\"{}\"]{}", name(value.tensor), from)));
  }
  const std::string array = turned_round(numbers_of(code, value.numbers), ranges, tensor.shape().rank());
  return fmt::format("{} = {}\n", part, in_framework(code, array));
}

std::string whole_line(const Code& code, const GivenValue& value) {
  const std::string comment = "  # " + shape_words(value.tensor, code);
  const auto line = [&](const std::string& array) {
    const std::string text = fmt::format("{} = {}", name(value.tensor), in_framework(code, array));
    return text + (text.find('\n') == std::string::npos ? comment : "") + '\n';
  };
  if (is_from_trace(value.numbers)) return line(fmt::format("trace[\"{}\"]", name(value.tensor)));
  const std::string array = numbers_of(code, value.numbers);
  if (value.numbers.tensor().shape().rank() == info(value.tensor).rank) return line(array);
  return line(
      fmt::format("np.broadcast_to({}, ({})).copy()", array, fmt::join(extents_code(value.tensor, code), ", ")));
}

std::string lines_of(const Code& code, auto&& is_wanted) {
  std::string text;
  for (const bool parts : {false, true}) {
    for (const GivenValue& value : code.setup.values.entries()) {
      if (value.part.empty() == parts || !is_wanted(value.tensor)) continue;
      const Setup layer = seen_at(code.setup, layer_with(value.tensor, value.layer, code.setup));
      text += in_layer(parts ? part_line(code, value) : whole_line(code, value), layer);
    }
  }
  return text;
}

bool needs_trace(const Setup& setup) {
  return std::ranges::any_of(setup.values.entries(),
                             [](const GivenValue& value) { return is_from_trace(value.numbers); });
}

constexpr std::string_view trace_lines = R"(if len(sys.argv) < 2:
    sys.exit("python3 attention.py trace.npz: arrays too long to write down here come from the trace")
with np.load(sys.argv[1]) as file:
    trace = dict(file)
)";

/// The lines that put every value in its place, wholes before parts, after the draws: small arrays are written out,
/// those of .npy and .npz files are loaded from there, and all others from the trace that the program is called with.
/// Empty without values.
std::string given_paragraph(const Code& code) {
  if (code.setup.values.empty()) return {};
  return fmt::format("# Given instead of drawn.\n{}{}", needs_trace(code.setup) ? trace_lines : "",
                     lines_of(code, [](TensorId) { return true; }));
}

/// The same for one tensor, without a heading.
std::string given_lines(const Code& code, TensorId tensor) {
  return lines_of(code, [&](TensorId id) { return id == tensor; });
}

}  // namespace

std::string draw_paragraphs(const Code& code) {
  std::string text;
  if (draws_blocks(code.setup)) {
    text +=
        "\ndef block(head):\n    \"\"\"Where one head's share of the columns is.\"\"\"\n"
        "    return slice(head * d_head, (head + 1) * d_head)\n\n\n";
  }
  for (const bool gains : {false, true}) {
    if (const CodeLines lines = starting_lines(code, gains); !lines.empty())
      text += paragraph(gains ? "One unless drawn." : "Zero unless drawn.", lines) + "\n";
  }
  CodeLines lines;
  for (const PlainDraw& draw : draws_in_order(code.setup)) {
    for (CodeLine& line : lines_of(code, draw)) lines.push_back(std::move(line));
  }
  if (!lines.empty()) text += paragraph(heading(code), lines);
  const std::string given = given_paragraph(code);
  return given.empty() ? text : text + (text.empty() ? "" : "\n") + given;
}

std::string draw_code(const Setup& setup, TensorId tensor, Index head) {
  const bool torch = setup.random.generator == GeneratorKind::torch;
  const Code code{setup, torch ? Framework::torch : Framework::numpy};
  CodeLines seed;
  CodeLines lines;
  for (const PlainDraw& draw : draws_in_order(setup)) {
    const auto* drawn = std::get_if<TensorDraw>(&draw);
    if (drawn == nullptr) seed = lines_of(code, draw);
    else if (is_of(*drawn, tensor, setup) && drawn->head.value_or(head) == head) {
      lines.insert(lines.end(), seed.begin(), seed.end());
      seed.clear();
      for (CodeLine& line : lines_of(code, draw)) lines.push_back(std::move(line));
    }
  }
  std::string text;
  for (const CodeLine& line : lines) text += line.code + "\n";
  return text + given_lines(code, tensor);
}

std::string written_code(const Code& code, const Tensor& tensor) {
  return in_framework(code, written_out(code, tensor));
}

}  // namespace headlight
