#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/shapes.hpp"
#include "core/stages/graph.hpp"
#include "setups.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

std::string shape_of(const TensorInfo& tensor) {
  std::vector<std::string_view> axes;
  for (const Axis axis : tensor.axis_list()) axes.push_back(axis_name(axis));
  return fmt::format("({})", fmt::join(axes, ", "));
}

/// "(batch, query, d_model)" of a line with such a comment, or nothing.
std::string shape_in_comment(const std::string& line) {
  const auto begin = line.find("// (");
  return begin == std::string::npos ? std::string() : line.substr(begin + 3, line.find(')', begin) - begin - 2);
}

/// The name of the tensor that a line makes: of "{Q, project, ...", "Q"; empty for any other line.
std::string made_in(const std::string& line) {
  if (line.find("return {gradient_of(TensorId::loss), ") != std::string::npos) return "grad_loss";
  const auto begin = line.find_first_not_of(' ');
  if (begin == std::string::npos || line[begin] != '{') return {};
  return line.substr(begin + 1, line.find(',') - begin - 1);
}

/// The shapes that forward_pass.cpp writes beside its lines, or above them, by the names of the tensors.
std::map<std::string, std::string> written_shapes() {
  std::map<std::string, std::string> shapes;
  std::ifstream file(HEADLIGHT_FORWARD_PASS);
  std::string above;
  for (std::string line; std::getline(file, line);) {
    const std::string beside = shape_in_comment(line);
    if (const std::string made = made_in(line); !made.empty()) shapes[made] = beside.empty() ? above : beside;
    above = beside;
  }
  return shapes;
}

std::vector<Stage> forward() { return {stages().begin(), stages().end()}; }

/// The forward pass in which the operation that makes a tensor is another one.
std::vector<Stage> with_operation(TensorId id, const Operation& operation) {
  std::vector<Stage> table = forward();
  table[index_of(id)].operation = &operation;
  return table;
}

}  // namespace

TEST_CASE("the shape beside each line of the forward pass is that of its tensor") {
  const auto written = written_shapes();
  for (const Stage& stage : all_stages()) {
    if (stage.kind == StageKind::drawn || stage.kind == StageKind::gradient) continue;
    INFO(name(stage.result));
    const auto found = written.find(std::string(name(stage.result)));
    REQUIRE(found != written.end());
    CHECK(found->second == shape_of(info(stage.result)));
  }
}

TEST_CASE("an operation without a backward pass is refused where the loss depends on it") {
  CHECK_NOTHROW(require_complete(stages()));
  for (const Stage& stage : stages()) {
    if (stage.operands.empty()) continue;
    INFO(name(stage.result));
    for (auto remove : {+[](Backward& backward) { backward.compute = nullptr; },
                        +[](Backward& backward) { backward.explain = nullptr; },
                        +[](Backward& backward) { backward.code = nullptr; }}) {
      Operation operation = *stage.operation;
      remove(operation.backward);
      const std::vector<Stage> table = with_operation(stage.result, operation);
      if (stage.operation->backward.never_needed) CHECK_NOTHROW(require_complete(table));
      else CHECK_THROWS_AS(require_complete(table), std::logic_error);
    }
  }
}

TEST_CASE("a line without an operation to compute it, or without operands, is refused") {
  Operation softmax = *stage_of(TensorId::weights).operation;
  softmax.compute = nullptr;
  CHECK_THROWS_AS(require_complete(with_operation(TensorId::weights, softmax)), std::logic_error);
  std::vector<Stage> table = forward();
  table[index_of(TensorId::weights)].operands.clear();
  CHECK_THROWS_AS(require_complete(table), std::logic_error);
  table = forward();
  table[index_of(TensorId::Q)] = table[index_of(TensorId::W_q)];  // Q has no line
  table[index_of(TensorId::Q)].result = TensorId::Q;
  CHECK_THROWS_AS(require_complete(table), std::logic_error);
}

TEST_CASE("what needs no backward pass never exists beside a task") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Setup setup = random_task_setup(seed);
    setup.attention.dropout = 0.5;
    for (const Stage& stage : stages()) {
      if (stage.operation->backward.never_needed && exists(stage.result, setup)) CHECK_FALSE(problems(setup).empty());
    }
  }
}

TEST_CASE("each stage reads the first of its alternatives that exists") {
  using enum TensorId;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Setup setup = random_setup(seed);
    const auto left = [&](TensorId result) { return operand_at(stage_of(result), Operand::Slot::left, setup)->tensor; };
    const auto right = [&](TensorId result) {
      return operand_at(stage_of(result), Operand::Slot::right, setup)->tensor;
    };
    const bool added = setup.position.is_added(), rotary = setup.position.encoding == Encoding::rotary;
    INFO("seed ", seed);
    const bool normed = setup.attention.qk_norm;
    const TensorId entering = added ? X_plus_P : X, plain = setup.block.residual ? resid_pre : entering;
    const bool is_before = setup.norms(NormPlacement::before);
    CHECK(left(Q) == (is_before ? N : plain));
    if (is_before) CHECK(left(N) == plain);
    if (setup.block.residual) CHECK(left(resid_pre) == entering);
    CHECK(left(K) == (setup.is_cross() ? (added ? Y_plus_P : Y) : left(Q)));
    CHECK(left(V) == left(K));
    CHECK(left(dot_products) == (rotary ? Q_rotated : normed ? Q_normed : Q_heads));
    CHECK(right(dot_products) == (rotary ? K_rotated : normed ? K_normed : K_heads));
    if (rotary) CHECK(left(Q_rotated) == (normed ? Q_normed : Q_heads));
    if (normed) CHECK(right(K_normed) == (setup.norms_all_heads() ? k_head_gains : k_gain));
    CHECK(left(masked_scores) == (setup.attention.soft_cap > 0 ? capped_scores : scores));
    CHECK(left(context) == (setup.attention.dropout > 0 ? dropped_weights : weights));
    CHECK(operands_of(stage_of(Q), setup).size() == (exists(b_q, setup) ? 3 : 2));
  }
}

TEST_CASE("titles and formulas name the tensors of their lines") {
  CHECK(stage_of(TensorId::Q).title == "Project the queries");
  CHECK(stage_of(TensorId::output).title == "Project the output");
  CHECK(stage_of(TensorId::K_rotated).title == "Rotate the keys");
  CHECK(stage_of(TensorId::W_qk).title == "What a head asks for");
  CHECK(stage_of(TensorId::K).formula == "K = X @ W_k + b_k");
  CHECK(stage_of(TensorId::dot_products).formula == "dot_products = Q_heads @ K_headsᵀ");
  CHECK(stage_of(TensorId::context).formula == "context = weights @ V_heads");
  CHECK(stage_of(TensorId::W_qk).formula == "W_qk = W_q · W_kᵀ, head by head");
  CHECK(stage_of(TensorId::loss).formula == "loss = −log of the right answers' probabilities");
  REQUIRE(phases().size() == static_cast<std::size_t>(Phase::loss) + 1);
  CHECK(phases()[static_cast<std::size_t>(stage_of(TensorId::context).phase)].title == "Context");
  CHECK(phases()[static_cast<std::size_t>(stage_of(TensorId::N).phase)].title == "Norm");
}
