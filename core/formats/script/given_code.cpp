#include "core/formats/script/given_code.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/toml/toml_text.hpp"
#include "core/model/shapes.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

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
std::string place_of(TensorId tensor, const AxisRanges& ranges) {
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
  const Shape whole = shape(value.tensor, code.setup);
  const AxisRanges ranges = *ranges_of(value.part, {whole.begin(), whole.end()});
  const std::string place = place_of(value.tensor, ranges);
  const Tensor& tensor = value.numbers.tensor();
  if (tensor.shape().rank() == 0)
    return fmt::format("{} = {}\n", place, float_text(tensor.at(std::span<const Index>{})));
  if (is_from_trace(value.numbers)) {
    const std::string from = place.substr(name(value.tensor).size());
    return fmt::format("{} = {}\n", place,
                       in_framework(code, fmt::format("trace[\"{}\"]{}", name(value.tensor), from)));
  }
  const std::string array = turned_round(numbers_of(code, value.numbers), ranges, tensor.shape().rank());
  return fmt::format("{} = {}\n", place, in_framework(code, array));
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
      text += parts ? part_line(code, value) : whole_line(code, value);
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

}  // namespace

std::string given_lines(const Code& code, TensorId tensor) {
  return lines_of(code, [&](TensorId id) { return id == tensor; });
}

std::string given_paragraph(const Code& code) {
  if (code.setup.values.empty()) return {};
  return fmt::format("# Given instead of drawn.\n{}{}", needs_trace(code.setup) ? trace_lines : "",
                     lines_of(code, [](TensorId) { return true; }));
}

}  // namespace headlight
