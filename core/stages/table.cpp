#include "core/stages/table.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <fmt/format.h>

#include "core/model/shapes.hpp"
#include "core/stages/explain.hpp"
#include "core/stages/forward_pass.hpp"
#include "core/stages/gradient.hpp"
#include "core/stages/graph.hpp"

namespace headlight {

namespace operations {
extern const Operation draw;  // draw.cpp
}

namespace {

/// "Project the {}" with what the rows of the result are: "Project the queries".
std::string title_of(TensorId result, const Operation& operation) {
  const TensorInfo& about = info(result);
  if (operation.title.empty()) return std::string(about.title);
  return fmt::format(fmt::runtime(operation.title), about.words.empty() ? about.symbol : about.words);
}

/// "W_kᵀ", or nothing where the stage has no operand in the slot. Of several alternatives it names the plainest.
std::string operand_in_formula(const Stage& stage, Operand::Slot slot) {
  const auto* operand = plainest_operand(stage, slot);
  return operand == nullptr ? std::string()
                            : fmt::format("{}{}", name(operand->tensor), operand->transposed ? "ᵀ" : "");
}

std::string formula_of(const Stage& stage) {
  using enum Operand::Slot;
  std::vector<std::string> operands;
  for (const Operand::Slot slot : {left, right, added})
    if (std::string word = operand_in_formula(stage, slot); !word.empty()) operands.push_back(std::move(word));
  operands.resize(3);
  return fmt::format(fmt::runtime(stage.operation->formula), name(stage.result), operands[0], operands[1], operands[2]);
}

Stage stage_of_line(const Line& line, Phase phase) {
  Stage stage{.result = line.result,
              .operation = line.operation,
              .operands = line.operands,
              .kind = line.operation->kind,
              .phase = phase,
              .title = title_of(line.result, *line.operation)};
  stage.formula = formula_of(stage);
  return stage;
}

/// The phase of tensors that no line makes (weights, biases), and of the head matrices.
Phase phase_of_weights(const TensorInfo& tensor) {
  const bool of_norm = tensor.kind == TensorKind::gain || tensor.kind == TensorKind::shift;
  if (tensor.kind != TensorKind::computed && tensor.id > TensorId::output) return Phase::block;
  if (tensor.kind == TensorKind::embedding) return Phase::input;
  if (of_norm) return tensor.role == Role::neutral ? Phase::norm : Phase::split;
  if (tensor.kind == TensorKind::sink) return Phase::weights;
  return tensor.kind == TensorKind::input ? Phase::input : tensor.role == Role::output ? Phase::output : Phase::project;
}

struct Table {
  std::vector<Stage> stages;
  std::vector<PhaseInfo> phases;
};

Table make_table() {
  Table table{.stages = std::vector<Stage>(tensor_count), .phases = {}};
  const auto put = [&](Stage stage) { table.stages[index_of(stage.result)] = std::move(stage); };
  for (const TensorInfo& tensor : all_tensors().first(forward_count))
    put(stage_of_line({tensor.id, operations::draw}, phase_of_weights(tensor)));
  for (const Line& line : forward_pass()) {
    if (line.operation == nullptr) table.phases.push_back(line.phase);
    else put(stage_of_line(line, static_cast<Phase>(table.phases.size() - 1)));
  }
  const std::span<const Stage> forward = std::span(table.stages).first(forward_count);
  require_complete(forward);
  for (Stage& gradient : make_gradient_stages(forward)) put(std::move(gradient));
  put(stage_of_line(start_of_backward_pass(), Phase::loss));
  for (const Line& line : head_matrices()) put(stage_of_line(line, phase_of_weights(info(line.result))));
  return table;
}

const Table& table() {
  static const Table whole = make_table();
  return whole;
}

bool has_backward_pass(const Operation& operation) {
  const Backward& backward = operation.backward;
  return backward.compute != nullptr && backward.explain != nullptr && backward.code != nullptr;
}

}  // namespace

Tensor Stage::compute(const Trace& trace, Workspace& workspace) const {
  return operation->compute(*this, trace, workspace);
}

Explanation Stage::explain(const Trace& trace, const Cell& cell) const {
  if (is_drawn(result, trace.setup)) return explain_drawn(*this, trace, cell);
  return operation->explain(*this, trace, cell);
}

double Stage::divisor(const Trace& trace, const Cell& cell) const {
  return operation->divisor == nullptr ? 1 : operation->divisor(*this, trace, cell);
}

CodeLines Stage::code(const Code& code) const {
  if (operation->code == nullptr || is_drawn(result, code.setup)) return {};
  return operation->code(*this, code);
}

StageWords Stage::words(const Setup& setup) const {
  return operation->words == nullptr ? StageWords{} : operation->words(setup);
}

bool Stage::same_settings(const Setup& a, const Setup& b) const {
  if (kind == StageKind::gradient) return same_gradient_settings(result, a, b);
  return operation->same_settings == nullptr || operation->same_settings(a, b);
}

std::span<const PhaseInfo> phases() { return table().phases; }

bool is_before_projection(TensorId tensor) { return stage_of(tensor).phase < Phase::project; }

std::span<const Stage> stages() { return all_stages().first(forward_count); }
std::span<const Stage> gradient_stages() { return all_stages().subspan(forward_count, forward_count); }
std::span<const Stage> aside_stages() { return all_stages().subspan(2 * forward_count); }
std::span<const Stage> all_stages() { return table().stages; }

std::span<const Stage> stages_for(const Setup& setup) {
  // Gradients need a task, and the head matrices named features.
  return setup.names_features() || setup.has_task() ? all_stages() : stages();
}

const Stage& stage_of(TensorId id) { return table().stages[index_of(id)]; }

void require_complete(std::span<const Stage> forward) {
  const auto require = [](bool holds, TensorId id, const char* what) {
    if (!holds) throw std::logic_error(fmt::format("{}: {}", name(id), what));
  };
  std::array<bool, tensor_count> reached{};  // by the loss
  reached[index_of(TensorId::loss)] = true;
  for (auto stage = forward.rbegin(); stage != forward.rend(); ++stage) {
    const TensorInfo& tensor = info(stage->result);
    const bool drawn = stage->kind == StageKind::drawn;
    require(drawn == (tensor.can_be_drawn() && tensor.made == nullptr), tensor.id,
            "every tensor is either drawn or made by a line of the forward pass");
    require(drawn || stage->operation->compute != nullptr, tensor.id, "its operation has no compute");
    require(stage->operands.empty() ? drawn || stage->kind == StageKind::given : !drawn, tensor.id,
            "what is drawn has no operands, and everything else but what is given has some");
    if (!reached[index_of(tensor.id)] || stage->operands.empty() || stage->operation->backward.never_needed) continue;
    require(has_backward_pass(*stage->operation), tensor.id,
            "the loss depends on it, so its operation needs a backward");
    for (const Operand& operand : stage->operands) reached[index_of(operand.tensor)] = true;
  }
}

StageText text_of(TensorId id, const Setup& setup) {
  const Stage& stage = stage_of(id);
  const bool drawn = is_drawn(id, setup);
  if (setup.has_model() && id == TensorId::X)
    return {"Word pieces as vectors", "X = the embedding's row of each piece"};
  if (setup.has_model() && id == TensorId::P) return {"Sines of the position", "P[i] = [sin(i · t), cos(i · t)]"};
  if (setup.has_model() && drawn) return {"Trained numbers", "from a trained sentence encoder"};
  if (id == TensorId::X && !setup.is_first()) return {"From the layer below", "X = what the layer below leaves"};
  if (id == TensorId::X && setup.embedding.learned) return {"Embeddings", "X = embed"};
  if (setup.has_attention_alone() && drawn) return {info(id).title, "given: nothing before the weights is known"};
  if (drawn && setup.values.whole(id) != nullptr) return {"Given numbers", "its numbers are in the setup"};
  if (drawn && !setup.fills(id)) return {info(id).without_draws() == 1 ? "Ones" : "Zeros", "neither drawn nor given"};
  if (drawn) return {operations::draw.title, operations::draw.formula};
  return {stage.title, stage.formula};
}

TensorId what_leaves(const Setup& setup) {
  for (const TensorId id : {TensorId::N_mlp_post, TensorId::resid_post, TensorId::N_post})
    if (exists(id, setup)) return id;
  return TensorId::output;
}

bool made_alike(TensorId a, TensorId b, const Setup& setup) {
  return a == b || (!is_gradient(a) && text_of(a, setup).title == text_of(b, setup).title);
}

Tensor hidden_without_scores(const Setup& setup, Workspace& workspace) {
  if (setup.mask.kinds.empty() || !setup.has_attention_alone()) return {};
  Shape extents = shape(TensorId::weights, setup);
  const Index heads = extents[1];
  extents[1] = 1;
  const Tensor scores = Tensor::zeros(setup.attention.precision, extents);  // (batch, 1, query, key)
  return masked_where_hidden(scores, setup, workspace).repeated(1, heads);  // (batch, head, query, key)
}

bool same_heads(const Setup& a, const Setup& b) {
  return a.sizes.heads == b.sizes.heads && a.kv_heads() == b.kv_heads();
}

bool is_window(TensorId id, const Setup& setup) {
  if (is_gradient(id)) return is_gradient_window(id, setup);
  const Stage& stage = stage_of(id);
  const auto passes_on = stage.operation->passes_on;
  return stage.kind == StageKind::window || (passes_on != nullptr && passes_on(setup));
}

}  // namespace headlight
