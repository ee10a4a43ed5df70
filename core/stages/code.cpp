#include "core/stages/code.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/positions.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

constexpr std::size_t text_width = 100;

}  // namespace

std::string bracketed(std::string_view before, const std::vector<std::string>& items, std::string_view after) {
  std::string short_form = fmt::format("{}{}{}", before, fmt::join(items, ", "), after);
  if (short_form.size() <= text_width) return short_form;
  std::string text;
  std::string line = "   ";
  for (const std::string& item : items) {
    if (line.size() + item.size() + 2 > text_width && line.size() > 3) {
      text += line + "\n";
      line = "   ";
    }
    line += " " + item + ",";
  }
  return fmt::format("{}\n{}{}\n{}", before, text, line, after);
}

std::string extent_code(Axis axis, const Code& code) {
  std::string kv_heads = code.has_groups() ? "kv_heads" : "heads";
  switch (named_axis(axis, code.setup)) {
    case Axis::batch: return "batch";
    case Axis::head: return "heads";
    case Axis::kv_head: return kv_heads;
    case Axis::query: return "query_length";
    case Axis::key: return code.has_key_length() ? "key_length" : "query_length";
    case Axis::token: return code.setup.is_cross() ? "query_length" : extent_code(Axis::key, code);
    case Axis::position: return code.setup.is_cross() ? "max(query_length, key_length)" : extent_code(Axis::key, code);
    case Axis::d_model: return "d_model";
    case Axis::d_source: return "d_source";
    case Axis::d_out: return "d_out";
    case Axis::d_head: return "d_head";
    case Axis::head_columns: return "heads * d_head";
    case Axis::kv_columns: return kv_heads + " * d_head";
    case Axis::answers:
      return code.setup.has_task() ? fmt::format("{} * {}", code.setup.answers(), code.setup.symbols()) : "symbols";
    case Axis::symbols: return fmt::format("{}", features_of(code.setup.task));
    case Axis::d_mlp: return "d_mlp";
  }
  return {};
}

std::vector<std::string> extents_code(TensorId id, const Code& code) {
  std::vector<std::string> result;
  for (Axis axis : info(id).axis_list()) result.push_back(extent_code(axis, code));
  return result;
}

std::string shape_words(TensorId id, const Code& code) {
  std::vector<std::string_view> words;
  for (Axis axis : info(id).axis_list()) {
    if (!code.has_groups() && axis == Axis::kv_head) axis = Axis::head;
    if (!code.has_groups() && axis == Axis::kv_columns) axis = Axis::head_columns;
    words.push_back(axis_name(named_axis(axis, code.setup)));
  }
  return fmt::format("({}{})", fmt::join(words, ", "), words.size() == 1 ? "," : "");
}

bool counts_padding(Axis axis, const Setup& setup) {
  return positions_skip_padding(setup) && (axis == Axis::key || !setup.is_cross());
}

CodeLines padding_code(const Code& code) {
  std::vector<std::string> lengths;
  for (const Index length : code.setup.mask.valid_lengths) lengths.push_back(fmt::format("{}", length));
  const std::string array = code.in_torch() ? "torch.tensor([" : "np.array([";
  CodeLine line{bracketed(fmt::format("padding = {} - {}", extent_code(Axis::key, code), array), lengths, "])"),
                "(batch,), on the left"};
  line.is_setting = true;
  return {line};
}

std::string positions_code(Axis axis, const Code& code) {
  const std::string_view library = code.in_torch() ? "torch" : "np";
  const bool is_past = axis == Axis::query && code.setup.past() > 0;
  const std::string all = is_past ? fmt::format("{}.arange(past, key_length)", library)
                                  : fmt::format("{}.arange({})", library, extent_code(axis, code));
  if (!counts_padding(axis, code.setup)) return all;
  return code.in_torch() ? fmt::format("({} - padding[:, None]).clamp(min=0)", all)
                         : fmt::format("np.maximum({} - padding[:, None], 0)", all);
}

std::string swapped(const Code& code, int a, int b) {
  return fmt::format(".{}({}, {})", code.in_torch() ? "transpose" : "swapaxes", a, b);
}

std::string for_each_query_head(const Code& code, TensorId heads) {
  if (!code.has_groups()) return std::string(name(heads));
  return code.in_torch() ? fmt::format("{}.repeat_interleave(heads // kv_heads, dim=1)", name(heads))
                         : fmt::format("np.repeat({}, heads // kv_heads, axis=1)", name(heads));
}

std::string sum_of_sharing_heads(const Code& code, const std::string& product) {
  if (!code.has_groups()) return product;
  return fmt::format("({}).reshape(batch, kv_heads, heads // kv_heads, {}, d_head).sum({}=2)", product,
                     extent_code(Axis::key, code), code.in_torch() ? "dim" : "axis");
}

}  // namespace headlight
