#include "app/ui/text/math.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/text/characters.hpp"

namespace headlight {
namespace {

struct MathNode {
  enum class Kind : std::uint8_t { text, row, fraction, root, scripts };
  Kind kind = Kind::text;
  std::string text = {};
  /// For a row its pieces; for a fraction numerator and denominator; for a root the radicand; for scripts the base, the
  /// subscript and the superscript.
  std::vector<MathNode> parts = {};
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 46> signs{{
    {"cdot", " · "},        {"times", " × "}, {"to", " → "},
    {"le", " ≤ "},          {"leq", " ≤ "},   {"ge", " ≥ "},
    {"geq", " ≥ "},         {"ne", " ≠ "},    {"neq", " ≠ "},
    {"approx", " ≈ "},      {"infty", "∞"},   {"pm", " ± "},
    {"in", " ∈ "},          {"ldots", "…"},   {"dots", "…"},
    {"sum", "∑"},           {"prod", "∏"},    {"partial", "∂"},
    {"top", "ᵀ"},           {"quad", "   "},  {",", " "},
    {"exp", "exp"},         {"log", "log"},   {"ln", "ln"},
    {"max", "max"},         {"min", "min"},   {"alpha", "α"},
    {"beta", "β"},          {"gamma", "γ"},   {"delta", "δ"},
    {"Delta", "Δ"},         {"epsilon", "ε"}, {"theta", "θ"},
    {"lambda", "λ"},        {"mu", "μ"},      {"pi", "π"},
    {"sigma", "σ"},         {"Sigma", "Σ"},   {"tau", "τ"},
    {"phi", "φ"},           {"omega", "ω"},   {"rho", "ρ"},
    {"propto", " ∝ "},      {"mid", " | "},   {"rightarrow", " → "},
    {"softmax", "softmax"},
}};

constexpr int deepest = 20;

class MathParser {
 public:
  explicit MathParser(std::string_view text) : text_(text) {}

  MathNode row(char end) {
    MathNode row{MathNode::Kind::row};
    if (++depth_ > deepest) at_ = text_.size();
    while (at_ < text_.size() && text_[at_] != end) {
      if (text_[at_] == '_' || text_[at_] == '^') add_script(row);
      else if (text_[at_] == ' ') ++at_;
      else row.parts.push_back(atom());
    }
    if (at_ < text_.size()) ++at_;
    --depth_;
    return row;
  }

 private:
  static MathNode text_node(std::string text) { return {MathNode::Kind::text, std::move(text), {}}; }

  /// A group in braces, a command, or one character.
  MathNode atom() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ >= text_.size()) return text_node("");
    if (text_[at_] == '{') {
      ++at_;
      return row('}');
    }
    if (text_[at_] == '\\') return command();
    const std::size_t length = std::max<std::size_t>(1, utf8_sequence(text_.substr(at_)));
    const std::string_view one = text_.substr(at_, length);
    at_ += length;
    if (one == "=" || one == "+" || one == "<" || one == ">" || one == "/") return text_node(fmt::format(" {} ", one));
    if (one == "-") return text_node(" − ");
    if (one == "*") return text_node(" · ");
    if (one == ",") return text_node(", ");
    return text_node(std::string(one));
  }

  MathNode command() {
    std::size_t end = ++at_;
    while (end < text_.size() && std::isalpha(static_cast<unsigned char>(text_[end])) != 0) ++end;
    if (end == at_ && end < text_.size()) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    at_ = end;
    if (name == "frac") {
      MathNode above = atom();
      return {MathNode::Kind::fraction, {}, {std::move(above), atom()}};
    }
    if (name == "sqrt") return {MathNode::Kind::root, {}, {atom()}};
    if (name == "text" || name == "mathrm") return words();
    const auto sign = std::find_if(signs.begin(), signs.end(), [&](const auto& each) { return each.first == name; });
    return text_node(std::string(sign == signs.end() ? name : sign->second));
  }

  /// The group as plain text, with its blanks.
  MathNode words() {
    const auto open = text_.find('{', at_);
    const auto close = text_.find('}', at_);
    if (open != at_ || close == std::string_view::npos) return atom();
    at_ = close + 1;
    return text_node(std::string(text_.substr(open + 1, close - open - 1)));
  }

  void add_script(MathNode& row) {
    const bool below = text_[at_++] == '_';
    if (row.parts.empty() || row.parts.back().kind != MathNode::Kind::scripts) {
      MathNode base = row.parts.empty() ? text_node("") : std::move(row.parts.back());
      if (!row.parts.empty()) row.parts.pop_back();
      row.parts.push_back({MathNode::Kind::scripts, {}, {std::move(base), text_node(""), text_node("")}});
    }
    MathNode script = atom();
    row.parts.back().parts[below ? 1 : 2] = std::move(script);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

/// Sets a formula. A script has the style's size and shift for scripts; scripts inside it are not smaller.
struct MathSetter {
  const Canvas& canvas;
  TextStyle style;
  Color color;
  bool draw;

  float set(const MathNode& node, Point at, Script script) const {
    switch (node.kind) {
      case MathNode::Kind::text:
        return draw ? canvas.text(at, node.text, style, color, Align::left, script)
                    : canvas.width(node.text, style, script);
      case MathNode::Kind::row: {
        float width = 0;
        for (const MathNode& part : node.parts) width += set(part, {at.x + width, at.y}, script);
        return width;
      }
      case MathNode::Kind::fraction: return fraction(node, at);
      case MathNode::Kind::root: return root(node, at, script);
      case MathNode::Kind::scripts: break;
    }
    const float base = set(node.parts[0], at, script);
    // There is only one size of scripts, so a script's own scripts are only shifted.
    const bool inner = script != Script::normal;
    const float below =
        set(node.parts[1], {at.x + base, at.y + (inner ? 0.14f * em() : 0.0f)}, inner ? script : Script::sub);
    const float above =
        set(node.parts[2], {at.x + base, at.y - (inner ? 0.2f * em() : 0.0f)}, inner ? script : Script::super);
    return base + std::max(below, above) + (below + above > 0 ? 1.0f : 0.0f);
  }

 private:
  float em() const { return text_size(style); }

  float fraction(const MathNode& node, Point at) const {
    const MathSetter measure{canvas, style, color, false};
    const float above = measure.set(node.parts[0], at, Script::super);
    const float below = measure.set(node.parts[1], at, Script::sub);
    const float width = std::max(above, below) + 4;
    if (draw) {
      set(node.parts[0], {at.x + (width - above) / 2, at.y - 0.16f * em()}, Script::super);
      set(node.parts[1], {at.x + (width - below) / 2, at.y + 0.36f * em()}, Script::sub);
      const float axis = at.y - 0.3f * em();
      canvas.line({at.x, axis}, {at.x + width, axis}, color, 1);
    }
    return width + 2;
  }

  float root(const MathNode& node, Point at, Script script) const {
    const float hook = 0.55f * em();
    const float width = set(node.parts[0], {at.x + hook, at.y}, script);
    if (draw) {
      const float shift = script == Script::super ? -0.38f * em() : script == Script::sub ? 0.22f * em() : 0.0f;
      const float foot = at.y + shift;
      const float top = foot - (script == Script::normal ? 0.86f : 0.68f) * em();
      const Point sign[] = {{at.x + 1, foot - 0.3f * em()},
                            {at.x + 0.16f * em(), foot - 0.36f * em()},
                            {at.x + 0.3f * em(), foot + 0.08f * em()},
                            {at.x + hook - 1, top},
                            {at.x + hook + width + 1, top}};
      canvas.polyline(sign, color, 1);
    }
    return hook + width + 2;
  }
};

std::string escaped(std::string_view text) {
  return text == "<" ? "&lt;" : text == ">" ? "&gt;" : text == "&" ? "&amp;" : std::string(text);
}

/// Signs have blanks around them, which MathML adds itself.
std::string text_markup(const std::string& text) {
  if (text.empty()) return "<mrow></mrow>";
  const std::string_view bare = trimmed(text, " ");
  if (bare.empty()) return "<mspace width=\"0.3em\"/>";
  if (bare.size() < text.size()) return fmt::format("<mo>{}</mo>", escaped(bare));
  if (std::isdigit(static_cast<unsigned char>(text.front())) != 0) return fmt::format("<mn>{}</mn>", text);
  std::string words;
  for (const char c : text) words += escaped({&c, 1});
  return text.find(' ') == std::string::npos ? fmt::format("<mi>{}</mi>", words)
                                             : fmt::format("<mtext>{}</mtext>", words);
}

std::string markup(const MathNode& node) {
  std::string parts;
  for (const MathNode& part : node.parts) parts += markup(part);
  switch (node.kind) {
    case MathNode::Kind::text: return text_markup(node.text);
    case MathNode::Kind::row: return fmt::format("<mrow>{}</mrow>", parts);
    case MathNode::Kind::fraction: return fmt::format("<mfrac>{}</mfrac>", parts);
    case MathNode::Kind::root: return fmt::format("<msqrt>{}</msqrt>", parts);
    case MathNode::Kind::scripts: break;
  }
  return fmt::format("<msubsup>{}</msubsup>", parts);
}

}  // namespace

std::string math_markup(std::string_view tex) { return markup(MathParser(tex).row('\0')); }

float set_math(const Canvas& canvas, Point baseline, std::string_view tex, TextStyle style, Color color, bool draw) {
  return MathSetter{canvas, style, color, draw}.set(MathParser(tex).row('\0'), baseline, Script::normal);
}

bool is_high_math(std::string_view tex) { return tex.find("\\frac") != std::string_view::npos; }

}  // namespace headlight
