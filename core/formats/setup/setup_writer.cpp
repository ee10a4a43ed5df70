#include <fmt/format.h>

#include "core/formats/lecture/lecture_file.hpp"
#include "core/formats/setup/setup_file.hpp"

namespace headlight {
namespace {

constexpr std::size_t widest_line = 100;

std::string escaped(char c) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\t': return "\\t";
    case '\r': return "\\r";
    default: break;
  }
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F ? fmt::format("\\u{:04X}", byte) : std::string(1, c);
}

std::string toml_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) result += escaped(c);
  return result + '"';
}

/// The shortest digits that read back as the same double, as a TOML float.
std::string number(double value) {
  std::string digits = fmt::format("{}", value);
  if (digits.find_first_not_of("-0123456789") == std::string::npos) digits += ".0";
  return digits;
}

/// On one line where it fits, else filled line by line.
std::string list(const std::vector<std::string>& entries) {
  std::string on_one_line = fmt::format("[{}]", fmt::join(entries, ", "));
  if (on_one_line.size() <= widest_line) return on_one_line;
  std::string result = "[";
  std::size_t width = widest_line;
  for (const std::string& entry : entries) {
    if (width + entry.size() + 2 > widest_line) {
      result += "\n ";
      width = 1;
    }
    result += fmt::format(" {},", entry);
    width += entry.size() + 2;
  }
  return result + "\n]";
}

template <class Values, class Write>
std::string list_of(const Values& values, Write&& write) {
  std::vector<std::string> entries;
  for (const auto& value : values) entries.push_back(write(value));
  return list(entries);
}

std::string words(const std::vector<std::string>& texts) { return list_of(texts, toml_string); }

/// One document, grown line by line; its tables stand inside the table that is named, or at the top.
class Document {
 public:
  explicit Document(std::string_view table = {}) : prefix_(table.empty() ? "" : fmt::format("{}.", table)) {}

  void section(std::string_view name) { text_ += fmt::format("\n[{}{}]\n", prefix_, name); }
  /// The table that was named.
  void table() { text_ += fmt::format("\n[{}]\n", prefix_.substr(0, prefix_.size() - 1)); }
  void key(std::string_view name, const std::string& value, std::string_view comment = {}) {
    const std::string line = fmt::format("{} = {}", name, value);
    text_ += comment.empty() ? line + '\n' : fmt::format("{:<32}  # {}\n", line, comment);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string prefix_;
  std::string text_;
};

void write_sizes(Document& out, const Sizes& sizes) {
  out.section("sizes");
  out.key("batch", std::to_string(sizes.batch));
  out.key("query_length", std::to_string(sizes.query_length));
  if (sizes.key_length) out.key("key_length", std::to_string(*sizes.key_length), "cross-attention only");
  out.key("d_model", std::to_string(sizes.d_model));
  out.key("heads", std::to_string(sizes.heads), "divides d_model");
  if (sizes.kv_heads) out.key("kv_heads", std::to_string(*sizes.kv_heads), "divides heads");
}

std::string scale_value(const Scale& scale) {
  if (std::holds_alternative<InverseSqrtDHead>(scale)) return toml_string("inverse_sqrt_d_head");
  if (std::holds_alternative<NoScale>(scale)) return toml_string("none");
  return number(std::get<double>(scale));
}

void write_attention(Document& out, const Attention& attention) {
  out.section("attention");
  out.key("source", toml_string(to_string(attention.source)), "self, cross");
  out.key("token_axis", toml_string(to_string(attention.token_axis)), "rows, columns");
  out.key("weight_layout", toml_string(to_string(attention.weight_layout)), "in_out, out_in");
  out.key("scale", scale_value(attention.scale), "inverse_sqrt_d_head, none, or a number");
  out.key("temperature", number(attention.temperature));
  out.key("dropout", number(attention.dropout));
  out.key("precision", toml_string(to_string(attention.precision)), "float32, float64");
}

void write_mask(Document& out, const MaskSettings& mask) {
  const auto whole = [](Index value) { return std::to_string(value); };
  const auto pair = [](const std::pair<Index, Index>& at) { return fmt::format("[{}, {}]", at.first, at.second); };
  out.section("mask");
  out.key("kinds", list_of(mask.kinds, [](MaskKind kind) { return toml_string(to_string(kind)); }),
          "any of causal, padding, window, custom");
  if (!mask.valid_lengths.empty()) out.key("valid_lengths", list_of(mask.valid_lengths, whole));
  if (mask.has(MaskKind::window) || mask.window != MaskSettings{}.window) {
    out.key("window", whole(mask.window), "|query - key| <= window");
  }
  if (!mask.blocked.empty()) out.key("blocked", list_of(mask.blocked, pair));
}

void write_random(Document& out, const RandomSettings& random) {
  out.section("random");
  out.key("generator", toml_string(to_string(random.generator)), "numpy, torch");
  std::string draws = "[";
  for (const Draw& draw : random.draws) draws += fmt::format("\n  {},", toml_string(to_string(draw)));
  out.key("draws", draws + (random.draws.empty() ? "]" : "\n]"));
}

void write_all(Document& out, const Setup& setup) {
  out.key("title", toml_string(setup.title));
  if (!setup.tokens.empty()) out.key("tokens", words(setup.tokens));
  if (!setup.key_tokens.empty()) out.key("key_tokens", words(setup.key_tokens));
  write_sizes(out, setup.sizes);
  write_attention(out, setup.attention);
  write_mask(out, setup.mask);
  write_random(out, setup.random);
}

}  // namespace

std::string write_setup(const Setup& setup) {
  Document out;
  out.key("version", "1");
  write_all(out, setup);
  return out.take();
}

std::string write_lecture_start(const Setup& setup, const Cell& look_at, std::string_view view) {
  const std::string title = setup.title.empty() ? "A new lecture" : setup.title;
  Document out("setup");
  out.key("title", toml_string(title));
  out.key("source", toml_string(""), "the document that it follows, in words");
  out.table();
  write_all(out, setup);
  const std::string view_line = view.empty() ? "" : fmt::format("view = {}\n", toml_string(view));
  return fmt::format("+++\n{}+++\n\n## {}\n\n```step\ncell = {}\n{}```\n\nSay here what there is to see.\n", out.take(),
                     name(look_at.tensor), toml_string(to_string(look_at)), view_line);
}

}  // namespace headlight
