// Operations of a task: X = 1 at the features of the symbols that a position holds, logits = the first features of the
// output, probabilities = softmax over the symbols of each answer, loss = −log of the right answers' probabilities, and
// where the backward pass begins.
//
// L, of which the gradients are, is the mean of the loss over all positions that are asked.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/compute/matrices.hpp"
#include "core/compute/softmax.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/gradient.hpp"

namespace headlight {
namespace {

bool same_answers(const Setup& a, const Setup& b) { return a.answers() == b.answers() && a.symbols() == b.symbols(); }

Index answers(const Trace& trace) { return trace.sequences->answers; }

/// "6", "2, 6": the last extents of what is computed answer by answer.
std::string answers_and_symbols(const Code& code) {
  return fmt::format("{}, {}", code.setup.answers(), code.setup.symbols());
}

/// The answer and the symbol of a column of the logits.
struct Choice {
  Index answer;
  Index symbol;
};
Choice choice(const Cell& cell, const Setup& setup) {
  return {cell.index[2] / setup.symbols(), cell.index[2] % setup.symbols()};
}

/// The right symbol of the cell's answer; -1 where nothing is asked.
Index right_symbol(const Trace& trace, const Cell& cell) {
  return trace.sequences->labels_at(cell.index[0], cell.index[1])[choice(cell, trace.setup).answer];
}

void note_not_asked(Explanation& explanation, const Cell& cell, const Setup& setup) {
  explanation.note = fmt::format("nothing is asked of position {} ({})", setup.past() + cell.index[1],
                                 setup.query_label(cell.index[1]));
}

/// Calls body(item, query, row) for all queries, `row` counting them.
template <class Body>
void for_each_query(const Sequences& sequences, Body&& body) {
  Index row = 0;
  for (Index item = 0; item < sequences.count; ++item)
    for (Index query = 0; query < sequences.queries(); ++query, ++row) body(item, query, row);
}

// --- The input -------------------------------------------------------------------------------------------------------

/// -> (batch, token, d_model): the embeddings where there are some, and above the first layer what comes from below
Tensor compute_symbols(const Stage& stage, const Trace& trace, Workspace& workspace) {
  if (!trace.setup.is_first()) return trace.from_below;
  if (const Tensor* embedded = tensor_at(stage, Operand::Slot::left, trace)) return *embedded;
  const Sequences& sequences = *trace.sequences;
  Tensor result = workspace.tensor(trace.setup.attention.precision, shape(stage.result, trace.setup));
  const Index features = result.shape()[2];
  with_element_type(result.precision(), [&](auto zero) {
    using T = decltype(zero);
    T* row = result.writable<T>();
    std::fill(row, row + result.elements(), T{0});
    const std::int64_t* one = sequences.ones.data();
    for (Index position = 0; position < sequences.count * sequences.length; ++position, row += features)
      for (Index n = 0; n < sequences.held; ++n, ++one)
        if (*one >= 0) row[*one] = T{1};
  });
  return result;  // (batch, token, d_model)
}

bool passes_on(const Setup& setup) { return setup.embedding.learned || !setup.is_first(); }

Tensor back_to_embeddings(const Trace& trace, Workspace&, const GradientPath&) {
  return trace[gradient_of(TensorId::X)];
}
std::string back_to_embeddings_code(const Code&, const GradientPath&) { return "grad_X"; }

Explanation explain_symbol(const Stage&, const Trace& trace, const Cell& cell) {
  const TaskSettings& task = trace.setup.task;
  Explanation explanation = explanation_of(trace, cell);
  if (trace.setup.embedding.learned) {
    explanation.formula = "X[b,i,f] = embed[b,i,f]";
    explanation.terms = {term("the same number", {factor(trace, TensorId::embed, cell.index)})};
    return explanation;
  }
  explanation.formula = "X[b,i,c] = 1 where position i holds symbol c, else 0";
  if (cell.index[2] >= features_of(task)) explanation.note = "not a feature of a symbol";
  const std::string origin = fmt::format("task {}, seed {}", to_string(task.name), task.seed);
  explanation.terms = {term("symbol", {constant(origin, explanation.value)})};
  return explanation;
}

/// The function next_sequences() of a script makes X, or the symbols that are embedded, and the labels together.
CodeLines code_of_symbols(const Stage&, const Code& code) {
  if (!code.setup.embedding.learned || !code.setup.is_first()) return {};
  return {{"X = embed", shape_words(TensorId::X, code)}};
}

// --- Logits ----------------------------------------------------------------------------------------------------------

/// The first features: (batch, query, d_out) -> (batch, query, answers · symbols)
Tensor compute_logits(const Stage& stage, const Trace& trace, Workspace&) {
  return left_of(stage, trace).narrowed(2, 0, shape(stage.result, trace.setup)[2]);
}

/// Back through logits = the first features of the output: no answer reads the others.
Tensor back_to_output(const Trace& trace, Workspace& workspace, const GradientPath& path) {
  const Tensor& result = trace[gradient_of(TensorId::logits)];  // (batch, query, answers · symbols), contiguous
  const Tensor& output = trace[path.operand.tensor];
  const Index columns = result.shape()[2], features = output.shape()[2];
  Tensor gradient = workspace.tensor(output.precision(), output.shape());  // (batch, query, d_out)
  with_element_type(output.precision(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = result.data<T>();
    T* to = gradient.writable<T>();
    for (Index left = output.shape()[0] * output.shape()[1]; left > 0; --left, from += columns, to += features)
      std::fill(std::copy(from, from + columns, to), to + features, T{0});
  });
  return gradient;
}

Explanation explain_logit(const Stage& stage, const Trace& trace, const Cell& cell) {
  const TensorId read = left_operand(stage, trace.setup);
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = fmt::format("logits[b,i,c] = {}[b,i,c]", name(read));
  explanation.terms = {term("the same number", {factor(trace, read, cell.index)})};
  return explanation;
}

void explain_back_to_output(Explanation& explanation, const Trace& trace, const GradientPath& path, const Cell& cell) {
  explain_passed_on(explanation, trace, path, cell);
  if (const Index read = shape(TensorId::logits, trace.setup)[2]; cell.index[2] >= read)
    explanation.note = fmt::format("0, because only the first {} features are read as an answer", read);
}

std::string back_to_output_code(const Code& code, const GradientPath& path) {
  if (path.operand.tensor == TensorId::unembed) return "grad_logits";
  return fmt::format("np.pad(grad_logits, [(0, 0), (0, 0), (0, {} - {})])", extent_code(Axis::d_out, code),
                     code.setup.answers() * code.setup.symbols());
}

CodeLines logits_code(const Stage& stage, const Code& code) {
  const TensorId read = left_operand(stage, code.setup);
  const std::string part =
      read == TensorId::unembed ? "" : fmt::format("[:, :, :{}]", code.setup.answers() * code.setup.symbols());
  return {{fmt::format("logits = {}{}", name(read), part), shape_words(TensorId::logits, code)}};
}

// --- Probabilities ---------------------------------------------------------------------------------------------------

/// (batch, query, answers · symbols) -> (batch, query, answers · symbols), one row of symbols after the other
Tensor compute_probabilities(const Stage& stage, const Trace& trace, Workspace& workspace) {
  const Tensor logits = left_of(stage, trace).contiguous();
  const Index symbols = trace.setup.symbols();
  Tensor result = workspace.tensor(logits.precision(), logits.shape());  // (batch, query, answers · symbols)
  with_element_type(logits.precision(), [&](auto zero) {
    using T = decltype(zero);
    softmax_rows(logits.data<T>(), result.writable<T>(), logits.elements() / symbols, symbols);
  });
  return result;
}

/// Back through softmax and −log together: ∂L/∂logits = (probabilities − 1 at the right answer) · ∂L/∂loss / answers.
/// Taken one after the other, a probability that rounding has made 0 would give 0 · ∞.
Tensor back_to_logits(const Trace& trace, Workspace& workspace, const GradientPath&) {
  const Tensor& probabilities = trace[TensorId::probabilities];  // (batch, query, answers · symbols)
  const Tensor& result = trace[gradient_of(TensorId::loss)];     // (batch, query)
  const Index columns = probabilities.shape()[2], symbols = trace.setup.symbols();
  Tensor gradient = workspace.tensor(probabilities.precision(), probabilities.shape());
  with_element_type(gradient.precision(), [&](auto zero) {
    using T = decltype(zero);
    for_each_query(*trace.sequences, [&](Index item, Index position, Index row) {
      const T share = result.data<T>()[row] / static_cast<T>(answers(trace));
      const std::int64_t* right = trace.sequences->labels_at(item, position);
      const auto from = numbers(probabilities.data<T>() + row * columns, columns);
      T* to = gradient.writable<T>() + row * columns;
      numbers(to, columns) = from * share;
      for (Index answer = 0; share != 0 && answer < answers(trace); ++answer) {
        const Index label = answer * symbols + right[answer];
        to[label] = (from[label] - 1) * share;
      }
    });
  });
  return gradient;  // (batch, query, answers · symbols)
}

Explanation explain_probability(const Stage&, const Trace& trace, const Cell& cell) {
  const Index symbols = trace.setup.symbols(), first = cell.index[2] - choice(cell, trace.setup).symbol;
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = "probabilities[b,i,c] = exp(logits[b,i,c] − max) / Σ_k exp(logits[b,i,k] − max)";
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  Shape index = cell.index;
  for (index[2] = first; index[2] < first + symbols; ++index[2]) {
    const Cell logit{TensorId::logits, index};
    explanation.softmax_row.push_back({logit, trace.number(logit), 0, trace.number({TensorId::probabilities, index})});
    largest = std::max(largest, explanation.softmax_row.back().score_value);
  }
  for (SoftmaxEntry& entry : explanation.softmax_row) sum += entry.exponential = std::exp(entry.score_value - largest);
  const SoftmaxEntry& own = explanation.softmax_row[static_cast<std::size_t>(cell.index[2] - first)];
  Factor exponential{fmt::format("exp({} − max)", to_string(own.score)), own.exponential, own.score};
  explanation.terms = {term("share", {std::move(exponential), constant("1/Σ exp", 1 / sum)})};
  return explanation;
}

void explain_back_to_logits(Explanation& explanation, const Trace& trace, const GradientPath&, const Cell& cell) {
  const Index right = right_symbol(trace, cell);
  const bool is_right = right == choice(cell, trace.setup).symbol;
  explanation.formula = "(probabilities[b,i,c] − 1 if c is the right answer) · grad_loss[b,i] / answers";
  Factor probability = factor(trace, TensorId::probabilities, cell.index);
  if (is_right) {
    probability.label = probability.name() + " − 1";
    probability.value -= 1;
  }
  std::vector<Factor> factors{probability, factor(trace, gradient_of(TensorId::loss), {cell.index[0], cell.index[1]})};
  if (answers(trace) > 1)
    factors.push_back(constant(fmt::format("1/{}", answers(trace)), 1 / static_cast<double>(answers(trace))));
  explanation.terms.push_back(term(is_right ? "the right answer" : "a wrong answer", std::move(factors)));
  if (right < 0) note_not_asked(explanation, cell, trace.setup);
}

std::string back_to_logits_code(const Code& code, const GradientPath&) {
  const Index count = code.setup.answers();
  return fmt::format("(probabilities - is_right) * grad_loss[..., None]{}",
                     count > 1 ? fmt::format(" / {}", count) : std::string());
}

CodeLines probabilities_code(const Stage&, const Code& code) {
  const std::string shape = shape_words(TensorId::probabilities, code);
  if (code.in_torch()) {
    return {{fmt::format("by_answer = logits.reshape(batch, query_length, {})", answers_and_symbols(code)),
             "(batch, query, answer, symbol)"},
            {"probabilities = torch.softmax(by_answer, dim=-1).reshape(logits.shape)", shape}};
  }
  return {{fmt::format("by_answer = logits.reshape(batch, query_length, {})", answers_and_symbols(code)),
           "(batch, query, answer, symbol)"},
          {"e = np.exp(by_answer - by_answer.max(axis=-1, keepdims=True))", "less the largest: no overflow"},
          {"probabilities = (e / e.sum(axis=-1, keepdims=True)).reshape(logits.shape)", shape}};
}

// --- Loss ------------------------------------------------------------------------------------------------------------

/// −log of the right answer's probability. Where rounding has made this too small for a normal number, the same follows
/// from the logits.
template <class T>
T surprise(const T* probabilities, const T* logits, Index symbols, std::int64_t right) {
  const T probability = probabilities[right];
  if (!(probability < std::numeric_limits<T>::min())) return -std::log(probability);
  const T largest = *std::max_element(logits, logits + symbols);
  return std::log((numbers(logits, symbols) - largest).exp().sum()) + largest - logits[right];
}

/// (batch, query, answers · symbols) -> (batch, query): the mean over the answers; 0 where nothing is asked
Tensor compute_loss(const Stage& stage, const Trace& trace, Workspace& workspace) {
  const Tensor& probabilities = left_of(stage, trace);  // (batch, query, answers · symbols)
  const Tensor& logits = trace[TensorId::logits];       // (batch, query, answers · symbols)
  const Index columns = probabilities.shape()[2], symbols = trace.setup.symbols();
  Tensor result = workspace.tensor(probabilities.precision(), shape(stage.result, trace.setup));  // (batch, query)
  with_element_type(result.precision(), [&](auto zero) {
    using T = decltype(zero);
    for_each_query(*trace.sequences, [&](Index item, Index position, Index row) {
      T sum = 0;
      for (Index answer = 0; trace.sequences->asks(item, position) && answer < answers(trace); ++answer) {
        sum += surprise(probabilities.data<T>() + row * columns + answer * symbols,
                        logits.data<T>() + row * logits.strides()[1] + answer * symbols, symbols,
                        trace.sequences->labels_at(item, position)[answer]);
      }
      result.writable<T>()[row] = sum / static_cast<T>(answers(trace));
    });
  });
  return result;
}

/// Back through loss = mean of −log probabilities over the answers: ∂L/∂probability = −∂L/∂loss / (answers ·
/// probability) at the right answers, else 0.
Tensor back_to_probabilities(const Trace& trace, Workspace& workspace, const GradientPath&) {
  const Tensor& probabilities = trace[TensorId::probabilities];  // (batch, query, answers · symbols)
  const Tensor& result = trace[gradient_of(TensorId::loss)];     // (batch, query)
  const Index columns = probabilities.shape()[2], symbols = trace.setup.symbols();
  Tensor gradient = workspace.tensor(probabilities.precision(), probabilities.shape());
  with_element_type(gradient.precision(), [&](auto zero) {
    using T = decltype(zero);
    T* back = gradient.writable<T>();
    std::fill(back, back + gradient.elements(), T{0});
    for_each_query(*trace.sequences, [&](Index item, Index position, Index row) {
      for (Index answer = 0; trace.sequences->asks(item, position) && answer < answers(trace); ++answer) {
        const Index at = row * columns + answer * symbols + trace.sequences->labels_at(item, position)[answer];
        back[at] = -result.data<T>()[row] / (static_cast<T>(answers(trace)) * probabilities.data<T>()[at]);
      }
    });
  });
  return gradient;  // (batch, query, answers · symbols)
}

Explanation explain_loss(const Stage&, const Trace& trace, const Cell& cell) {
  Explanation explanation = explanation_of(trace, cell);
  const Index count = answers(trace), symbols = trace.setup.symbols();
  explanation.formula = count > 1 ? fmt::format("loss[b,i] = Σ_answers −log probabilities[b,i,right] / {}", count)
                                  : "loss[b,i] = −log probabilities[b,i,right]";
  const std::int64_t* right = trace.sequences->labels_at(cell.index[0], cell.index[1]);
  if (*right < 0) {
    note_not_asked(explanation, cell, trace.setup);
    explanation.terms = {term("not asked", {constant("0", 0)})};
    return explanation;
  }
  for (Index answer = 0; answer < count; ++answer) {
    const Cell cell_of_right{TensorId::probabilities, {cell.index[0], cell.index[1], answer * symbols + right[answer]}};
    const double probability = trace.number(cell_of_right);
    // As in the computation: from the logits where the probability is too small to differ from 0.
    const double surprise = count == 1 ? explanation.value : -std::log(probability);
    std::vector<Factor> factors{{fmt::format("−log {}", to_string(cell_of_right)), surprise, cell_of_right}};
    if (count > 1) factors.push_back(constant(fmt::format("1/{}", count), 1 / static_cast<double>(count)));
    explanation.terms.push_back(term(count > 1 ? fmt::format("answer {}", answer) : "surprise", std::move(factors)));
  }
  return explanation;
}

void explain_back_to_probabilities(Explanation& explanation, const Trace& trace, const GradientPath&,
                                   const Cell& cell) {
  explanation.formula = "−grad_loss[b,i] / (answers · probabilities[b,i,c]) at the right answers, else 0";
  const Index right = right_symbol(trace, cell);
  if (right != choice(cell, trace.setup).symbol) {
    if (right < 0) note_not_asked(explanation, cell, trace.setup);
    else explanation.note = "0, because the loss reads the right answer's probability alone";
    explanation.terms.push_back(term("not read", {constant("0", 0)}));
    return;
  }
  const Factor probability = factor(trace, TensorId::probabilities, cell.index);
  explanation.terms.push_back(term(
      "the right answer", {factor(trace, gradient_of(TensorId::loss), {cell.index[0], cell.index[1]}),
                           constant(fmt::format("−1/{}", answers(trace)), -1 / static_cast<double>(answers(trace))),
                           Factor{"1/" + probability.name(), 1 / probability.value, probability.cell}}));
}

std::string back_to_probabilities_code(const Code& code, const GradientPath&) {
  const Index count = code.setup.answers();
  return fmt::format("np.where(is_right, -grad_loss[..., None] / ({}probabilities), 0)",
                     count > 1 ? fmt::format("{} * ", count) : std::string());
}

CodeLines loss_code(const Stage&, const Code& code) {
  const std::string right = code.in_torch()
                                ? "torch.nn.functional.one_hot(labels.clamp(min=0), {}).reshape(logits.shape).bool()"
                                : "(np.maximum(labels, 0)[..., None] == np.arange({})).reshape(logits.shape)";
  return {{"is_right = " + fmt::format(fmt::runtime(right), code.setup.symbols()), shape_words(TensorId::logits, code)},
          {fmt::format("surprise = -{}.log(probabilities[is_right]).reshape(batch, query_length, {})",
                       code.in_torch() ? "torch" : "np", code.setup.answers()),
           "(batch, query, answer)"},
          {code.in_torch() ? "loss = surprise.mean(dim=-1).masked_fill(~asked, 0)"
                           : "loss = np.where(asked, surprise.mean(axis=-1), 0)",
           shape_words(TensorId::loss, code)}};
}

// --- Where the backward pass begins ----------------------------------------------------------------------------------

/// L = Σ loss / how many positions are asked: (batch, query)
Tensor compute_loss_gradient(const Stage& stage, const Trace& trace, Workspace& workspace) {
  const Sequences& sequences = *trace.sequences;
  Tensor gradient = workspace.tensor(trace.setup.attention.precision, shape(stage.result, trace.setup));
  with_element_type(gradient.precision(), [&](auto zero) {
    using T = decltype(zero);
    const T share = T{1} / static_cast<T>(sequences.asked);
    for_each_query(sequences, [&](Index item, Index position, Index row) {
      gradient.writable<T>()[row] = sequences.asks(item, position) ? share : T{0};
    });
  });
  return gradient;  // (batch, query)
}

Explanation explain_loss_gradient(const Stage&, const Trace& trace, const Cell& cell) {
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = "grad_loss[b,i] = 1 / number of positions that are asked, else 0: L is the mean over them";
  const Index asked = trace.sequences->asked;
  if (trace.sequences->asks(cell.index[0], cell.index[1])) {
    explanation.terms = {term("one of all", {constant(fmt::format("1/{}", asked), 1 / static_cast<double>(asked))})};
  } else {
    note_not_asked(explanation, cell, trace.setup);
    explanation.terms = {term("not asked", {constant("0", 0)})};
  }
  return explanation;
}

CodeLines loss_gradient_code(const Stage&, const Code& code) {
  return {{code.is_float32() ? "grad_loss = asked.astype(np.float32) / np.float32(asked.sum())"
                             : "grad_loss = asked / asked.sum()",
           shape_words(TensorId::loss, code)}};
}

// --- Words -----------------------------------------------------------------------------------------------------------

StageWords words_of_logits(const Setup& setup) {
  if (setup.embedding.unembed) return in_brackets("answers", "the scores", "the scores", "scores");
  return in_brackets("answers", "first features", "first features", "first");
}

StageWords words_of_probabilities(const Setup&) {
  return in_brackets("softmax", "softmax", "softmax over symbols", "softmax");
}

StageWords words_of_loss(const Setup&) { return in_brackets("−log", "−log", "−log of the right one", "−log"); }

constexpr std::array read_back_to_logits{TensorId::probabilities, gradient_of(TensorId::loss)};
constexpr std::array read_back_to_probabilities{TensorId::probabilities};

}  // namespace

namespace operations {

extern constinit const Operation hold_symbols{
    .kind = StageKind::given,
    .title = "Symbols",
    .formula = "{0} = 1 at the symbols that a position holds, else 0",
    .passes_on = passes_on,
    .asks = true,
    .compute = compute_symbols,
    .explain = explain_symbol,
    .backward = {.compute = back_to_embeddings, .explain = explain_passed_on, .code = back_to_embeddings_code},
    .code = code_of_symbols};

extern constinit const Operation take_answers{
    .kind = StageKind::window,
    .title = "Logits",
    .formula = "{0} = the first features of {1}",
    .same_settings = same_answers,
    .words = words_of_logits,
    .compute = compute_logits,
    .explain = explain_logit,
    .backward = {.compute = back_to_output, .explain = explain_back_to_output, .code = back_to_output_code},
    .code = logits_code,
    .heading = "The first features score each symbol as an answer."};

extern constinit const Operation share_of_symbols{.kind = StageKind::rowwise,
                                                  .title = "Probabilities",
                                                  .formula = "{0} = softmax({1}) over the symbols of each answer",
                                                  .same_settings = same_answers,
                                                  .words = words_of_probabilities,
                                                  .compute = compute_probabilities,
                                                  .explain = explain_probability,
                                                  .backward = {.compute = back_to_logits,
                                                               .explain = explain_back_to_logits,
                                                               .code = back_to_logits_code,
                                                               .reads = read_back_to_logits},
                                                  .code = probabilities_code};

extern constinit const Operation surprise{.kind = StageKind::reduced,
                                          .title = "Loss",
                                          .formula = "{0} = −log of the right answers' {1}",
                                          .same_settings = same_answers,
                                          .asks = true,
                                          .words = words_of_loss,
                                          .compute = compute_loss,
                                          .explain = explain_loss,
                                          .backward = {.compute = back_to_probabilities,
                                                       .explain = explain_back_to_probabilities,
                                                       .code = back_to_probabilities_code,
                                                       .reads = read_back_to_probabilities},
                                          .code = loss_code,
                                          .heading = "How surprised the layer is by the right answers."};

extern constinit const Operation mean_over_asked{
    .kind = StageKind::given,
    .title = "Gradient",
    .formula = "{0} = 1 / how many positions are asked",
    .asks = true,
    .compute = compute_loss_gradient,
    .explain = explain_loss_gradient,
    .code = loss_gradient_code,
    .heading = "Backward: how much L, the mean loss, changes with each number."};

}  // namespace operations

}  // namespace headlight
