#include "app/session/edits/own_numbers.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/session/session.hpp"
#include "core/diagnose/arrays/matching.hpp"
#include "core/formats/files.hpp"
#include "core/formats/layers/captured.hpp"
#include "core/formats/values/array_reference.hpp"
#include "core/model/problem.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/validity.hpp"
#include "core/setup/value_checks.hpp"
#include "core/stages/graph.hpp"
#include "core/stages/table.hpp"
#include "core/text/numbers.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

bool is_given(TensorId tensor) { return info(tensor).can_be_drawn(); }

bool is_computed(const std::string& called) {
  const auto meant = tensors_called(called);
  return !meant.empty() && std::ranges::none_of(meant, is_given);
}

}  // namespace

std::vector<ArrayValue> values_among(const std::vector<ArrayInfo>& arrays, TensorId selected) {
  std::vector<ArrayValue> values;
  for (const ArrayInfo& array : arrays) {
    const auto tensor = tensor_named(array.name);
    if (tensor && is_given(*tensor)) values.emplace_back(*tensor, array.name);
    else if (is_computed(array.name)) return {};
  }
  if (values.empty() && arrays.size() == 1 && is_given(selected)) values.emplace_back(selected, arrays.front().name);
  return values;
}

bool takes_numbers(TensorId tensor, const Setup& setup) { return is_drawn(tensor, setup) && !info(tensor).known_alone; }

bool are_work(const std::vector<ArrayInfo>& arrays) {
  return std::ranges::any_of(arrays, [](const ArrayInfo& array) { return is_computed(array.name); });
}

bool are_captured(const std::vector<ArrayInfo>& arrays) {
  return std::ranges::any_of(arrays, [](const ArrayInfo& array) { return is_note_of_capture(array.name); });
}

std::optional<Setup> layer_of_arrays(const std::vector<ArrayInfo>& arrays, const std::filesystem::path& file) {
  std::vector<ArrayValue> values;
  Setup setup;
  setup.tokens.clear();
  for (const ArrayInfo& array : arrays) {
    const auto tensor = tensor_named(array.name);
    if (!tensor) continue;
    if (is_given(*tensor)) values.emplace_back(*tensor, array.name);
    else if (info(*tensor).is_query_by_key() && array.extents.size() == 4) setup.sizes.heads = array.extents[1];
  }
  if (values.empty()) return std::nullopt;
  setup = with_arrays_of(setup, file, values);
  if (auto resized = with_sizes_of_values(setup)) setup = *std::move(resized);
  if (!problems(setup).empty()) return std::nullopt;
  const bool complete = std::ranges::all_of(stages(), [&](const Stage& stage) {
    return !exists(stage.result, setup) || !is_drawn(stage.result, setup) || setup.values.whole(stage.result);
  });
  return complete ? std::optional(setup) : std::nullopt;
}

Setup with_arrays_of(const Setup& setup, const std::filesystem::path& file, const std::vector<ArrayValue>& values) {
  Setup next = setup;
  ArrayFiles files;
  for (const auto& [tensor, array] : values) {
    const ArrayReference reference{.file = file.filename(), .name = array, .steps = {}, .digest = {}};
    next = with_array(next, tensor, read_given(reference, folder_of(file), files));
  }
  return next;
}

Setup with_pasted_arrays(const Setup& setup, const std::vector<GivenArray>& arrays, TensorId selected) {
  Setup next = setup;
  for (const GivenArray& array : arrays) {
    const auto named = tensor_named(array.name);
    const TensorId tensor = named && is_given(*named) ? *named : selected;
    const bool only = arrays.size() == 1 || (named && is_given(*named));
    if (!only || !is_given(tensor))
      throw InputError(
          {"the clipboard", array.name,
           array.name.empty() ? "an array without a name" : fmt::format("\"{}\"", array.name),
           "one array for the selected input, weight, bias or learned P, or arrays called X, W_q, b_q, ..."});
    next = with_array(next, tensor, GivenNumbers(array.values));
  }
  return next;
}

std::optional<GivenArray> as_shown_head(const Session& session, const GivenArray& printed) {
  const Selection& shown = session.selection();
  const Tensor& ours = session.trace()[shown.tensor];
  const Shape& size = printed.values.shape();
  if (!printed.name.empty() || size.rank() != 2 || ours.shape().rank() != 4) return std::nullopt;
  const Shape& all = ours.shape();
  if (all[0] * all[1] == 1 || size[0] != all[2] || size[1] != all[3]) return std::nullopt;
  GivenArray whole{.name = std::string(name(shown.tensor)),
                   .values = Tensor::zeros(Precision::float64, all),
                   .half_digits = printed.half_digits.empty() ? Tensor() : Tensor::zeros(Precision::float64, all)};
  for (Index i = 0; i < all.elements(); ++i) {
    const Shape at = all.index_at(i);
    const bool is_theirs = at[0] == shown.batch && at[1] == shown.head;
    whole.values.writable<double>()[i] =
        is_theirs ? printed.values.at({at[2], at[3]}) : ours.at({at[0], at[1], at[2], at[3]});
    if (is_theirs && !whole.half_digits.empty())
      whole.half_digits.writable<double>()[i] = printed.half_digits.at({at[2], at[3]});
  }
  return whole;
}

std::optional<double> single_number(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  return typed_number(text);
}

Setup with_pasted_number(const Session& session, const Cell& cell, double number) {
  return with_number(going_on_from(session.wanted(), session.model_trace()), cell, number);
}

std::optional<Setup> with_sizes_of_values(const Setup& setup) {
  std::vector<ArrayForTensor> arrays;
  for (const GivenValue& value : setup.values.entries())
    if (value.part.empty()) arrays.push_back({value.tensor, value.numbers.tensor().shape()});
  const auto sizes = fitting_sizes(setup, arrays);
  if (!sizes || *sizes == setup.sizes) return std::nullopt;
  Setup next = resized(setup, *sizes);
  if (!problems(next).empty()) return std::nullopt;
  return next;
}

std::string sizes_in_words(const Setup& from, const Setup& to) {
  std::vector<std::string> words;
  for (const auto& [size, value] : changed_sizes(from, to.sizes)) words.push_back(fmt::format("{} {}", size, value));
  return listed(words, " and ");
}

Values original_values(const Session& session) {
  const Setup* const lecture = session.wanted_step().setup();
  const Setup& wanted = session.wanted();
  const bool is_known_layer = wanted.has_model() || (lecture == nullptr && wanted.has_attention_alone());
  if (!is_known_layer) return lecture == nullptr ? Values() : lecture->values;
  if (lecture != nullptr && lecture->model == wanted.model) return lecture->values;
  Values trained;
  for (const GivenValue& value : wanted.values.entries())
    if (value.part.empty()) trained.set(value);
  return trained;
}

std::array<bool, tensor_count> reached(const Setup& setup, const Values& from) {
  std::array<bool, tensor_count> all{};
  if (setup.values == from) return all;
  for (const Stage& stage : stages()) {
    const TensorId id = stage.result;
    if (!exists(id, setup)) continue;
    if (is_drawn(id, setup)) {
      all[index_of(id)] = !setup.values.same(id, from);
      continue;
    }
    for (const Operand& operand : operands_of(stage, setup)) all[index_of(id)] |= all[index_of(operand.tensor)];
  }
  return all;
}

}  // namespace headlight
