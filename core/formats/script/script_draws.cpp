#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "core/formats/script/script_text.hpp"
#include "core/model/shapes.hpp"

namespace headlight::script_text {
namespace {

constexpr std::array drawn_tensors{TensorId::X,   TensorId::Y,   TensorId::W_q, TensorId::b_q, TensorId::W_k,
                                   TensorId::b_k, TensorId::W_v, TensorId::b_v, TensorId::W_o, TensorId::b_o};

bool is_input(TensorId id) { return id == TensorId::X || id == TensorId::Y; }
bool is_weight(TensorId id) { return info(id).rank == 2; }
TensorId bias_of(TensorId weight) { return static_cast<TensorId>(static_cast<int>(weight) + 1); }

std::string zeros(const Job& job, const Extents& extents) {
  const std::string list = fmt::format("{}", fmt::join(extents, ", "));
  if (job.in_torch()) return fmt::format("torch.zeros({})", list);
  const std::string shape = extents.size() == 1 ? list : "(" + list + ")";
  return fmt::format("np.zeros({}{})", shape, job.is_float32() ? ", dtype=np.float32" : "");
}

/// A tensor of the generator's library as one of the framework's, in the setup's precision.
std::string converted(const Job& job, const std::string& tensor) {
  if (job.draws_in_torch()) return job.in_torch() ? tensor : tensor + ".numpy()";
  const std::string precise = job.is_float32() ? tensor + ".astype(np.float32)" : tensor;
  return job.in_torch() ? fmt::format("torch.from_numpy({})", precise) : precise;
}

std::string drawn(const Job& job, Distribution distribution, const Extents& extents) {
  const std::string list = fmt::format("{}", fmt::join(extents, ", "));
  const char* library = job.draws_in_torch() ? "torch" : "np.random";
  switch (distribution) {
    case Distribution::uniform: return converted(job, fmt::format("{}.rand({})", library, list));
    case Distribution::normal: return converted(job, fmt::format("{}.randn({})", library, list));
    case Distribution::xavier_uniform:
      return converted(job, fmt::format("torch.nn.init.xavier_uniform_(torch.empty({}))", list));
    case Distribution::zeros:
    case Distribution::linear: break;
  }
  return zeros(job, extents);
}

/// Extents of what one draw fills: the whole tensor, or one head's block of it.
Extents drawn_extents(const Job& job, TensorId id, bool one_head) {
  Extents result = extents(id, job);
  if (!one_head) return result;
  // A head's block is d_head of the columns, of W_o the rows that meet that head's context.
  (id == TensorId::W_o ? result.front() : result.back()) = "d_head";
  return result;
}

/// "W_q", "W_q[:, block(0)]", "b_q[block(0)]", "W_o[block(0)]"
std::string place(TensorId id, const std::optional<Index>& head) {
  if (!head) return std::string(name(id));
  const bool columns = is_weight(id) && id != TensorId::W_o;
  return fmt::format("{}[{}block({})]", name(id), columns ? ":, " : "", *head);
}

Line input_draw(const Job& job, const TensorDraw& draw, TensorId id) {
  const bool turned = job.setup.attention.token_axis == TokenAxis::columns && draw.distribution != Distribution::zeros;
  Extents list = extents(id, job);
  if (!turned) return {fmt::format("{} = {}", name(id), drawn(job, draw.distribution, list)), shape_words(id, job)};
  std::swap(list[1], list[2]);
  const bool one = job.setup.sizes.batch == 1;
  if (one) list.erase(list.begin());
  const std::string turn = one ? ".T[None]" : job.in_torch() ? ".transpose(1, 2)" : ".swapaxes(1, 2)";
  return {fmt::format("{} = {}{}", name(id), drawn(job, draw.distribution, list), turn),
          shape_words(id, job) + ", drawn with positions as columns"};
}

Line parameter_draw(const Job& job, const TensorDraw& draw, TensorId id) {
  Extents list = drawn_extents(job, id, draw.head.has_value());
  const bool torch_layout = draw.distribution == Distribution::xavier_uniform;
  const bool out_in = job.setup.attention.weight_layout == WeightLayout::out_in;
  const bool turned = is_weight(id) && (torch_layout || (out_in && draw.distribution != Distribution::zeros));
  if (turned) std::swap(list[0], list[1]);
  std::string comment = draw.head ? fmt::format("head {}", *draw.head) : shape_words(id, job);
  if (turned) comment += ", drawn as (out, in)";
  const std::string numbers = drawn(job, draw.distribution, list);
  return {fmt::format("{} = {}{}", place(id, draw.head), numbers, turned ? ".T" : ""), comment};
}

Lines linear_draw(const Job& job, const TensorDraw& draw, TensorId weight) {
  const Extents list = drawn_extents(job, weight, draw.head.has_value());
  const char* array = job.in_torch() ? ".detach()" : ".detach().numpy()";
  return {{fmt::format("linear = torch.nn.Linear({})", fmt::join(list, ", ")), "draws its weight, then its bias"},
          {fmt::format("{0}, {1} = linear.weight{2}.T, linear.bias{2}", place(weight, draw.head),
                       place(bias_of(weight), draw.head), array),
           "kept as (out, in) by PyTorch"}};
}

Lines packed_draw(const Job& job) {
  const std::string rows = drawn(job, Distribution::xavier_uniform, {"3 * d_model", "d_model"});
  return {{fmt::format("in_projection = {}", rows), "all three in one, as in nn.MultiheadAttention"},
          {job.in_torch() ? "W_q, W_k, W_v = in_projection.T.chunk(3, dim=1)"
                          : "W_q, W_k, W_v = np.split(in_projection.T, 3, axis=1)",
           ""}};
}

Line seed_draw(const Job& job, const SeedDraw& draw) {
  return {fmt::format("{}({})", job.draws_in_torch() ? "torch.manual_seed" : "np.random.seed", draw.seed), ""};
}

Lines lines_of(const Job& job, const Draw& draw) {
  if (const auto* seed = std::get_if<SeedDraw>(&draw)) return {seed_draw(job, *seed)};
  const auto& tensor = std::get<TensorDraw>(draw);
  const auto* id = std::get_if<TensorId>(&tensor.target);
  if (id == nullptr) return packed_draw(job);
  if (is_input(*id)) return {input_draw(job, tensor, *id)};
  if (tensor.distribution == Distribution::linear) return linear_draw(job, tensor, *id);
  return {parameter_draw(job, tensor, *id)};
}

/// Whether the draw fills the tensor, or a block of it.
bool fills(const TensorDraw& draw, TensorId id) {
  const auto* target = std::get_if<TensorId>(&draw.target);
  if (target == nullptr) return id == TensorId::W_q || id == TensorId::W_k || id == TensorId::W_v;
  return *target == id || (draw.distribution == Distribution::linear && bias_of(*target) == id);
}

/// Whether the tensor must be there, as zeros, before the draws begin.
bool starts_as_zeros(const Setup& setup, TensorId id) {
  for (const Draw& draw : setup.random.draws) {
    const auto* tensor = std::get_if<TensorDraw>(&draw);
    if (tensor != nullptr && fills(*tensor, id)) return tensor->head.has_value();
  }
  return true;
}

Lines zero_lines(const Job& job) {
  Lines lines;
  for (TensorId id : drawn_tensors) {
    if (!exists(id, job.setup) || !starts_as_zeros(job.setup, id)) continue;
    lines.push_back({fmt::format("{} = {}", name(id), zeros(job, extents(id, job))), shape_words(id, job)});
  }
  return lines;
}

bool draws_blocks(const Setup& setup) {
  return std::any_of(setup.random.draws.begin(), setup.random.draws.end(), [](const Draw& draw) {
    const auto* tensor = std::get_if<TensorDraw>(&draw);
    return tensor != nullptr && tensor->head.has_value();
  });
}

std::string_view heading(const Job& job) {
  if (job.draws_in_torch() == job.in_torch()) return "Draw, in this order.";
  return job.in_torch() ? "Draw with NumPy, in this order; everything after that is PyTorch."
                        : "Draw with PyTorch, in this order; everything after that is NumPy.";
}

}  // namespace

std::string draws(const Job& job) {
  std::string text;
  if (draws_blocks(job.setup)) {
    text +=
        "\ndef block(head):\n    \"\"\"Where one head's share of the columns stands.\"\"\"\n"
        "    return slice(head * d_head, (head + 1) * d_head)\n\n\n";
  }
  if (const Lines zeros = zero_lines(job); !zeros.empty()) text += paragraph("Zero unless drawn.", zeros) + "\n";
  Lines lines;
  for (const Draw& draw : job.setup.random.draws) {
    for (Line& line : lines_of(job, draw)) lines.push_back(std::move(line));
  }
  return lines.empty() ? text : text + paragraph(heading(job), lines);
}

}  // namespace headlight::script_text

namespace headlight {

std::string draw_code(const Setup& setup, TensorId tensor, Index head) {
  using namespace script_text;
  const bool torch = setup.random.generator == GeneratorKind::torch;
  const Job job{setup, torch ? Framework::torch : Framework::numpy};
  Lines seed;
  Lines lines;
  for (const Draw& draw : setup.random.draws) {
    const auto* drawn = std::get_if<TensorDraw>(&draw);
    if (drawn == nullptr) seed = lines_of(job, draw);
    else if (fills(*drawn, tensor) && drawn->head.value_or(head) == head) {
      lines.insert(lines.end(), seed.begin(), seed.end());
      seed.clear();
      for (Line& line : lines_of(job, draw)) lines.push_back(std::move(line));
    }
  }
  std::string text;
  for (const Line& line : lines) text += line.code + "\n";
  return text;
}

}  // namespace headlight
