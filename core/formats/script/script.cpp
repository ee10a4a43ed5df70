#include "core/formats/script/script.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/formats/script/script_text.hpp"
#include "core/model/mask.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

using namespace script_text;

template <class Values, class Format>
std::vector<std::string> texts(const Values& values, Format format) {
  std::vector<std::string> result;
  for (const auto& value : values) result.push_back(format(value));
  return result;
}

/// The title stands on the third line: in the first two, Python would obey words such as "coding: latin-1".
std::string header(const Job& job) {
  const std::string title = job.setup.title.empty() ? "A setup without a title" : in_comment(job.setup.title);
  return fmt::format(
      "#!/usr/bin/env python3\n"
      "# Multi-head attention in {}, tensor by tensor. Written by Headlight.\n"
      "# {}\n"
      "#\n"
      "#   python3 attention.py              prints the shape of every tensor, and the output\n"
      "#   python3 attention.py trace.npz    compares every tensor with what `headlight compute` wrote\n",
      job.in_torch() ? "PyTorch" : "NumPy", title);
}

/// Only a setup that seeds its generator uses it.
bool uses_generator(const Setup& setup) {
  return std::any_of(setup.random.draws.begin(), setup.random.draws.end(),
                     [](const Draw& draw) { return std::holds_alternative<SeedDraw>(draw); });
}

std::string imports(const Job& job) {
  const bool draws_only = !job.in_torch() && job.draws_in_torch() && uses_generator(job.setup);
  Lines lines{{"import numpy as np", ""}};
  if (job.in_torch()) lines.push_back({"import torch", ""});
  if (draws_only) lines.push_back({"import torch", "only to draw the numbers that PyTorch's generator gives"});
  std::string text = "import sys\n\n" + paragraph("", lines);
  if ((job.in_torch() || draws_only) && !job.is_float32()) text += "\ntorch.set_default_dtype(torch.float64)\n";
  return text;
}

std::string sizes(const Job& job) {
  const Sizes& sizes = job.setup.sizes;
  Lines lines{{fmt::format("batch = {}", sizes.batch), ""}, {fmt::format("query_length = {}", sizes.query_length), ""}};
  if (job.setup.is_cross()) {
    lines.back().comment = "positions of X";
    lines.push_back({fmt::format("key_length = {}", job.setup.key_length()), "positions of Y"});
  } else {
    lines.back().comment = "positions of X; the keys are the same positions";
  }
  lines.push_back({fmt::format("d_model = {}", sizes.d_model), "features of a position"});
  lines.push_back({fmt::format("heads = {}", sizes.heads), ""});
  if (job.has_groups()) {
    lines.push_back({fmt::format("kv_heads = {}", job.setup.kv_heads()),
                     fmt::format("each key and value head serves {} query heads", sizes.heads / job.setup.kv_heads())});
  }
  lines.push_back({"d_head = d_model // heads", fmt::format("{} features of a head", job.setup.d_head())});
  return paragraph("Sizes.", lines);
}

struct Projection {
  TensorId input, weight, bias, result, heads;
};

std::array<Projection, 3> projections(const Setup& setup) {
  const TensorId other = setup.is_cross() ? TensorId::Y : TensorId::X;
  return {{{TensorId::X, TensorId::W_q, TensorId::b_q, TensorId::Q, TensorId::Q_heads},
           {other, TensorId::W_k, TensorId::b_k, TensorId::K, TensorId::K_heads},
           {other, TensorId::W_v, TensorId::b_v, TensorId::V, TensorId::V_heads}}};
}

Line product(const Job& job, TensorId result, TensorId left, TensorId right, TensorId bias) {
  const std::string plus = exists(bias, job.setup) ? fmt::format(" + {}", name(bias)) : std::string{};
  return {fmt::format("{} = {} @ {}{}", name(result), name(left), name(right), plus), shape_words(result, job)};
}

std::string project(const Job& job) {
  Lines lines;
  for (const auto& [input, weight, bias, result, heads] : projections(job.setup)) {
    lines.push_back(product(job, result, input, weight, bias));
  }
  return paragraph("Project the input to queries, keys and values.", lines);
}

/// The exchange of two axes, in the framework's word.
std::string swapped(const Job& job, int a, int b) {
  return fmt::format(".{}({}, {})", job.in_torch() ? "transpose" : "swapaxes", a, b);
}

std::string split(const Job& job) {
  Lines lines;
  for (const auto& [input, weight, bias, result, heads] : projections(job.setup)) {
    const std::string parts = extent(info(heads).axes[1], job);
    lines.push_back({fmt::format("{} = {}.reshape(batch, {}, {}, d_head){}", name(heads), name(result),
                                 extent(info(result).axes[1], job), parts, swapped(job, 1, 2)),
                     shape_words(heads, job)});
  }
  return paragraph("Split: each head takes d_head neighbouring columns.", lines);
}

/// K_heads or V_heads with one entry per query head.
std::string shared(const Job& job, TensorId heads) {
  if (!job.has_groups()) return std::string(name(heads));
  return job.in_torch() ? fmt::format("{}.repeat_interleave(heads // kv_heads, dim=1)", name(heads))
                        : fmt::format("np.repeat({}, heads // kv_heads, axis=1)", name(heads));
}

std::string dot_products(const Job& job) {
  std::string text = "# Every query times every key.";
  if (job.has_groups()) text += " Neighbouring query heads share a key head, and later its value head.";
  return text + "\n" +
         paragraph("",
                   {{fmt::format("dot_products = Q_heads @ {}{}", shared(job, TensorId::K_heads), swapped(job, -2, -1)),
                     shape_words(TensorId::dot_products, job)}});
}

std::string scores(const Job& job) {
  const Attention& attention = job.setup.attention;
  Lines lines;
  std::string formula = "scores = dot_products";
  if (std::holds_alternative<InverseSqrtDHead>(attention.scale)) formula += " / d_head**0.5";
  if (const double* scale = std::get_if<double>(&attention.scale)) {
    lines.push_back({fmt::format("scale = {}", number(*scale)), ""});
    formula += " * scale";
  }
  if (attention.temperature != 1) {
    lines.push_back({fmt::format("temperature = {}", number(attention.temperature)),
                     "above 1 flattens the weights, below 1 sharpens them"});
    formula += " / temperature";
  }
  lines.push_back({formula, shape_words(TensorId::scores, job)});
  return paragraph("Scale.", lines);
}

/// Where one kind of mask lets a query see a key, under the given name.
Lines visibility(const Job& job, MaskKind kind, std::string_view name) {
  const MaskSettings& mask = job.setup.mask;
  const std::string keys = extent(Axis::key, job);
  switch (kind) {
    case MaskKind::causal: return {{fmt::format("{} = key <= query", name), "(query, key)"}};
    case MaskKind::window: return {{fmt::format("{} = abs(query - key) <= {}", name, mask.window), "(query, key)"}};
    case MaskKind::padding:
      return {{bracketed(job.in_torch() ? "valid_lengths = torch.tensor([" : "valid_lengths = np.array([",
                         texts(mask.valid_lengths, [](Index length) { return fmt::format("{}", length); }), "])"),
               "(batch,)"},
              {fmt::format("{} = key < valid_lengths[:, None, None, None]", name), "(batch, 1, 1, key)"}};
    case MaskKind::custom: break;
  }
  const auto pair_text = [](const auto& pair) { return fmt::format("({}, {})", pair.first, pair.second); };
  const auto pairs = texts(mask.blocked, pair_text);
  return {{bracketed("blocked = [", pairs, "]"), "(query, key) pairs"},
          {job.in_torch() ? fmt::format("{} = torch.ones(query_length, {}, dtype=torch.bool)", name, keys)
                          : fmt::format("{} = np.ones((query_length, {}), dtype=bool)", name, keys),
           "(query, key)"},
          {"for hidden in blocked:", ""},
          {fmt::format("    {}[hidden] = False", name), ""}};
}

std::string mask(const Job& job) {
  if (!job.is_masked()) {
    return paragraph("Mask: nothing is hidden.",
                     {{"masked_scores = scores", shape_words(TensorId::masked_scores, job)}});
  }
  const MaskSettings& mask = job.setup.mask;
  const std::string arange = job.in_torch() ? "torch.arange" : "np.arange";
  const bool compares_query = mask.has(MaskKind::causal) || mask.has(MaskKind::window);
  Lines lines;
  if (compares_query) lines.push_back({fmt::format("query = {}(query_length)[:, None]", arange), "(query, 1)"});
  if (compares_query || mask.has(MaskKind::padding)) {
    lines.push_back({fmt::format("key = {}({})", arange, extent(Axis::key, job)), "(key,)"});
  }
  const bool several = mask.kinds.size() > 1;
  for (MaskKind kind : mask.kinds) {
    for (Line& line : visibility(job, kind, several ? to_string(kind) : "visible")) lines.push_back(std::move(line));
  }
  if (several) {
    const auto kinds = texts(mask.kinds, [](MaskKind kind) { return std::string(to_string(kind)); });
    lines.push_back({fmt::format("visible = {}", fmt::join(kinds, " & ")), ""});
  }
  lines.push_back({job.in_torch() ? "masked_scores = scores.masked_fill(~visible, float(\"-inf\"))"
                                  : "masked_scores = np.where(visible, scores, -np.inf)",
                   shape_words(TensorId::masked_scores, job)});
  return paragraph(several ? "Mask: a key is visible where all agree." : "Mask: where a query may see a key.", lines);
}

Lines torch_softmax(const Job& job, bool blind) {
  const std::string shape = shape_words(TensorId::weights, job);
  if (!blind) return {{"weights = torch.softmax(masked_scores, dim=-1)", shape}};
  return {{"sees_a_key = visible.any(dim=-1, keepdim=True)", "without one, softmax has nothing to share out"},
          {"weights = torch.softmax(masked_scores, dim=-1).masked_fill(~sees_a_key, 0)", shape}};
}

Lines numpy_softmax(const Job& job, bool blind) {
  const std::string shape = shape_words(TensorId::weights, job);
  Lines lines{{"highest = masked_scores.max(axis=-1, keepdims=True)", "taken off, so that exp cannot overflow"}};
  if (blind) {
    lines.insert(lines.begin(),
                 {"sees_a_key = visible.any(axis=-1, keepdims=True)", "without one, the weights stay zero"});
    lines.push_back({"exponentials = np.exp(masked_scores - np.where(sees_a_key, highest, 0))", shape});
    lines.push_back({"total = exponentials.sum(axis=-1, keepdims=True)", ""});
    lines.push_back({"weights = exponentials / np.where(sees_a_key, total, 1)", shape});
    return lines;
  }
  lines.push_back({"exponentials = np.exp(masked_scores - highest)", shape});
  lines.push_back({"weights = exponentials / exponentials.sum(axis=-1, keepdims=True)", shape});
  return lines;
}

std::string softmax(const Job& job) {
  const bool blind = !blind_queries(job.setup).empty();
  return paragraph(blind ? "Softmax over the keys: each row sums to 1, or stays zero where a query sees no key."
                         : "Softmax over the keys: each row sums to 1.",
                   job.in_torch() ? torch_softmax(job, blind) : numpy_softmax(job, blind));
}

std::string dropout(const Job& job) {
  Lines lines{{fmt::format("dropout = {}", number(job.setup.attention.dropout)), ""}};
  const std::string shape = shape_words(TensorId::dropped_weights, job);
  if (!job.draws_in_torch()) {
    lines.push_back({job.in_torch() ? "keep = torch.from_numpy(np.random.rand(*weights.shape) >= dropout)"
                                    : "keep = np.random.rand(*weights.shape) >= dropout",
                     shape});
    lines.push_back({"dropped_weights = weights * keep / (1 - dropout)", shape});
  } else if (job.in_torch()) {
    lines.push_back({"dropped_weights = torch.nn.functional.dropout(weights, dropout, training=True)", shape});
  } else {
    lines.push_back({"keep = torch.nn.functional.dropout(torch.ones(weights.shape), dropout, training=True).numpy()",
                     "0 or 1 / (1 - dropout)"});
    lines.push_back({"dropped_weights = weights * keep", shape});
  }
  return paragraph("Dropout, drawn last: some weights go, the others grow to make up for them.", lines);
}

std::string mix(const Job& job) {
  const char* weights = job.has_dropout() ? "dropped_weights" : "weights";
  return paragraph(
      "Mix the values by the weights, and set the heads side by side again.",
      {{fmt::format("context = {} @ {}", weights, shared(job, TensorId::V_heads)), shape_words(TensorId::context, job)},
       {fmt::format("concat = context{}.reshape(batch, query_length, heads * d_head)", swapped(job, 1, 2)),
        shape_words(TensorId::concat, job)},
       product(job, TensorId::output, TensorId::concat, TensorId::W_o, TensorId::b_o)});
}

}  // namespace

std::string script(const Setup& setup, Framework framework, std::int64_t memory_limit) {
  require_valid(setup);
  require_fits(setup, memory_limit);
  const Job job{setup, framework};
  std::vector<std::string> parts;
  for (auto* part : {header, imports, sizes, draws, project, split, dot_products, scores, mask, softmax}) {
    parts.push_back(part(job));
  }
  if (job.has_dropout()) parts.push_back(dropout(job));
  for (auto* part : {mix, collection, print_or_compare}) parts.push_back(part(job));
  return fmt::format("{}", fmt::join(parts, "\n"));
}

}  // namespace headlight
