// masked_scores = scores, with -inf where the key is hidden from the query
#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/positions.hpp"
#include "core/stages/gradient.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

/// Whether causal and window masks compare the queries' indices with the keys, and not other positions.
bool is_at_index(const Setup& setup) { return first_query_position(setup) == 0; }

bool same_mask(const Setup& a, const Setup& b) {
  const bool same_place = first_query_position(a) == first_query_position(b);
  const auto same = [&](MaskKind kind) {
    switch (kind) {
      case MaskKind::causal: return same_place;
      case MaskKind::padding:
        return a.mask.valid_lengths == b.mask.valid_lengths && a.mask.padding_side == b.mask.padding_side;
      case MaskKind::window: return same_place && a.mask.window == b.mask.window;
      case MaskKind::custom: return a.mask.blocked == b.mask.blocked;
    }
    return false;
  };
  return a.mask.kinds == b.mask.kinds && std::all_of(a.mask.kinds.begin(), a.mask.kinds.end(), same);
}

/// (batch, head, query, key) -> (batch, head, query, key), one row of keys after the other, with `hidden` where the
/// mask hides the key
template <class T>
void hide(const Mask& mask, const Tensor& scores, Tensor& result, Workspace& workspace, T hidden) {
  const Shape& extents = scores.shape();
  const Index keys = extents[3];
  workspace.ranges(scores.elements() / keys, std::max<Index>(1, elements_per_task / keys), [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Index query = row % extents[2], batch = row / extents[2] / extents[1];
      const KeyRange visible = mask.range(batch, query);
      const T* from = scores.data<T>() + row * keys;  // (key,)
      T* to = result.writable<T>() + row * keys;      // (key,)
      std::fill(to, to + visible.begin, hidden);
      std::copy(from + visible.begin, from + visible.end, to + visible.begin);
      std::fill(to + visible.end, to + keys, hidden);
      for (const auto& hole : mask.holes(query)) to[hole.second] = hidden;
    }
  });
}

/// The same with the setup's mask; a window on the scores where it hides nothing.
Tensor masked(const Tensor& scores, const Setup& setup, Workspace& workspace, double hidden) {
  const Mask mask(setup);
  if (mask.hides_nothing()) return scores;
  Tensor result = workspace.tensor(scores.precision(), scores.shape());  // (batch, head, query, key)
  with_element_type(scores.precision(), [&](auto zero) {
    using T = decltype(zero);
    hide<T>(mask, scores, result, workspace, static_cast<T>(hidden));
  });
  return result;
}

Tensor compute(const Stage& stage, const Trace& trace, Workspace& workspace) {
  return masked_where_hidden(left_of(stage, trace), trace.setup, workspace);  // (batch, head, query, key)
}

/// Back through masked_scores = scores where visible: what is hidden does not change with the score.
Tensor back(const Trace& trace, Workspace& workspace, const GradientPath& path) {
  return masked(trace[gradient_of(path.through->result)], trace.setup, workspace, 0);  // (batch, head, query, key)
}

/// "with a causal mask 4 keys, the query's own among them": how many keys a window leaves.
std::string window_words(const MaskSettings& mask) {
  if (mask.has(MaskKind::causal))
    return fmt::format("up to {} keys, the query's own among them: a model's sliding_window of {}", mask.window + 1,
                       mask.window + 1);
  return fmt::format("up to {} keys: {} on each side, and the query's own", 2 * mask.window + 1, mask.window);
}

/// What the mask's kind alone doesn't say: how many keys a window leaves, on which side padding is, and where the query
/// is among more keys than queries.
std::string reason_of(const Cell& cell, const std::vector<MaskKind>& hidden_by, const Setup& setup) {
  const auto hides = [&](MaskKind kind) { return std::ranges::find(hidden_by, kind) != hidden_by.end(); };
  std::string words;
  const bool by_window_alone = hidden_by.size() == 1 && hides(MaskKind::window);
  if (by_window_alone) words += fmt::format("; a window of {} is {}", setup.mask.window, window_words(setup.mask));
  if (hides(MaskKind::padding) && setup.mask.padding_side == PaddingSide::left)
    words += left_padding(cell.index[0], setup) == 1
                 ? std::string("; the padding is on the left: the first key")
                 : fmt::format("; the padding is on the left: the first {} keys", left_padding(cell.index[0], setup));
  const bool compares = hides(MaskKind::causal) || hides(MaskKind::window);
  if (compares && setup.key_length() > setup.sizes.query_length)
    words += fmt::format("; query {} is at position {}, because the mask is aligned {}", cell.index[2],
                         first_query_position(setup) + cell.index[2],
                         setup.mask_align() == MaskAlign::top_left ? "top left" : "bottom right");
  return words;
}

Explanation explain_cell(const Stage& stage, const Trace& trace, const Cell& cell) {
  const TensorId scores = left_operand(stage, trace.setup);
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = fmt::format("{}[b,h,i,j] = {}[b,h,i,j] where key j is visible to query i, else −∞",
                                    name(stage.result), name(scores));
  const auto hidden_by = Mask(trace.setup).hidden_by(cell.index[0], cell.index[2], cell.index[3]);
  if (hidden_by.empty()) {
    explanation.terms = {term("visible", {factor(trace, scores, cell.index)})};
    return explanation;
  }
  std::vector<std::string_view> kinds;
  for (MaskKind kind : hidden_by) kinds.push_back(to_string(kind));
  explanation.note =
      fmt::format("hidden by the {} mask{}", listed(kinds, " and "), reason_of(cell, hidden_by, trace.setup));
  explanation.terms = {term("hidden", {constant("−∞", -std::numeric_limits<double>::infinity())})};
  return explanation;
}

void explain_back(Explanation& explanation, const Trace& trace, const GradientPath& path, const Cell& cell) {
  const bool visible = Mask(trace.setup).visible(cell.index[0], cell.index[2], cell.index[3]);
  const bool hides = !trace.setup.mask.kinds.empty();
  const char* where = hides ? " where key j is visible to query i, else 0" : "";
  explain_by_chain_rule(explanation, trace, path, cell, where, [&](const Cell&) {
    return visible ? std::vector<Factor>() : std::vector{constant("0 where hidden", 0)};
  });
  if (!visible)
    explanation.note = "0, because the mask hides the key from the query: −∞ stays −∞ whatever the score is";
}

std::string back_code(const Code& code, const GradientPath& path) {
  const std::string result(name(gradient_of(path.through->result)));
  return code.setup.mask.kinds.empty() ? result : fmt::format("np.where(visible, {}, 0)", result);
}

std::vector<std::string> kinds_of(const MaskSettings& mask) {
  std::vector<std::string> kinds;
  for (MaskKind kind : mask.kinds) kinds.emplace_back(to_string(kind));
  return kinds;
}

StageWords words(const Setup& setup) {
  const auto kinds = kinds_of(setup.mask);
  StageWords words;
  words.after = {{"+ mask", {}}};
  words.operation = kinds.empty() ? "no mask" : fmt::format("{} mask", fmt::join(kinds, ", "));
  words.below = kinds.empty()       ? "mask: none"
                : kinds.size() == 1 ? fmt::format("mask: {}", kinds.front())
                : kinds.size() == 2 ? fmt::format("{} + {}", kinds[0], kinds[1])
                                    : fmt::format("{} masks", kinds.size());
  words.below_briefly = kinds.empty() ? words.below : "masked";
  return words;
}

/// The lines that assign to `name` where one kind of mask lets a query see a key; they broadcast to (batch, head,
/// query, key).
CodeLines visibility(const Code& code, MaskKind kind, std::string_view name) {
  const MaskSettings& mask = code.setup.mask;
  const std::string keys = extent_code(Axis::key, code);
  const auto texts = [](const auto& values, auto format) {
    std::vector<std::string> result;
    for (const auto& value : values) result.push_back(format(value));
    return result;
  };
  switch (kind) {
    case MaskKind::causal: return {{fmt::format("{} = key <= query", name), "(query, key)"}};
    case MaskKind::window:
      return {{fmt::format("{} = abs(query - key) <= {}", name, mask.window), "(query, key): " + window_words(mask)}};
    case MaskKind::padding:
      return {{bracketed(code.in_torch() ? "valid_lengths = torch.tensor([" : "valid_lengths = np.array([",
                         texts(mask.valid_lengths, [](Index length) { return fmt::format("{}", length); }), "])"),
               "(batch,)"},
              mask.padding_side == PaddingSide::left
                  ? CodeLine{fmt::format("{} = key >= {} - valid_lengths[:, None, None, None]", name, keys),
                             "(batch, 1, 1, key): the last ones"}
                  : CodeLine{fmt::format("{} = key < valid_lengths[:, None, None, None]", name), "(batch, 1, 1, key)"}};
    case MaskKind::custom: break;
  }
  const auto pairs =
      texts(mask.blocked, [](const auto& pair) { return fmt::format("({}, {})", pair.first, pair.second); });
  return {{bracketed("blocked = [", pairs, "]"), "(query, key) pairs"},
          {code.in_torch() ? fmt::format("{} = torch.ones(query_length, {}, dtype=torch.bool)", name, keys)
                           : fmt::format("{} = np.ones((query_length, {}), dtype=bool)", name, keys),
           "(query, key)"},
          {"for pair in blocked:", ""},
          {fmt::format("    {}[pair] = False", name), ""}};
}

/// The lines that assign `visible`, which the line that applies the mask reads.
CodeLines visible_lines(const Code& code) {
  const MaskSettings& mask = code.setup.mask;
  const std::string arange = code.in_torch() ? "torch.arange" : "np.arange";
  const bool compares_query = mask.has(MaskKind::causal) || mask.has(MaskKind::window);
  CodeLines lines;
  if (compares_query && is_at_index(code.setup)) {
    lines.push_back({fmt::format("query = {}(query_length)[:, None]", arange), "(query, 1)"});
  } else if (compares_query) {
    lines.push_back({fmt::format("query = {}(key_length - query_length, key_length)[:, None]", arange),
                     "(query, 1): the last positions"});
  }
  if (compares_query || mask.has(MaskKind::padding)) {
    lines.push_back({fmt::format("key = {}({})", arange, extent_code(Axis::key, code)), "(key,)"});
  }
  const bool several = mask.kinds.size() > 1;
  for (MaskKind kind : mask.kinds) {
    for (CodeLine& line : visibility(code, kind, several ? to_string(kind) : "visible"))
      lines.push_back(std::move(line));
  }
  if (several) lines.push_back({fmt::format("visible = {}", fmt::join(kinds_of(mask), " & ")), ""});
  for (CodeLine& line : lines) line.is_setting = true;
  return lines;
}

CodeLines code(const Stage& stage, const Code& code) {
  const std::string shape = shape_words(stage.result, code);
  const std::string_view result = name(stage.result), scores = name(left_operand(stage, code.setup));
  if (code.setup.mask.kinds.empty()) return {{fmt::format("{} = {}", result, scores), shape}};
  CodeLines lines = visible_lines(code);
  if (!code.in_torch()) {
    lines.push_back({fmt::format("{} = np.where(visible, {}, -np.inf)", result, scores), shape});
    return lines;
  }
  // PyTorch has masks of both senses, and mixing them up is a common mistake.
  lines.push_back(
      {"hidden = ~visible", "nn.MultiheadAttention hides where True; scaled_dot_product_attention takes visible"});
  lines.push_back({fmt::format("{} = {}.masked_fill(hidden, float(\"-inf\"))", result, scores), shape});
  return lines;
}

std::string_view heading(const Stage&, const Code& code) {
  const std::size_t kinds = code.setup.mask.kinds.size();
  return kinds == 0   ? "Mask: nothing is hidden."
         : kinds == 1 ? "Mask: where a query may see a key."
                      : "Mask: a key is visible where all agree.";
}

}  // namespace

Tensor masked_where_hidden(const Tensor& scores, const Setup& setup, Workspace& workspace) {
  return masked(scores, setup, workspace, -std::numeric_limits<double>::infinity());
}

namespace operations {

extern constinit const Operation mask{.kind = StageKind::elementwise,
                                      .title = "Mask",
                                      .formula = "{0} = {1} where visible, else −∞",
                                      .passes_on = [](const Setup& setup) { return setup.mask.kinds.empty(); },
                                      .same_settings = same_mask,
                                      .words = words,
                                      .compute = compute,
                                      .explain = explain_cell,
                                      .backward = {.compute = back, .explain = explain_back, .code = back_code},
                                      .code = code,
                                      .varying_heading = heading};

}  // namespace operations

}  // namespace headlight
