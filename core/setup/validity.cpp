#include "core/setup/validity.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/mask.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/checks.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/keys.hpp"
#include "core/setup/value_checks.hpp"
#include "core/trained/sentence_encoder.hpp"

namespace headlight {
namespace {

/// Whether an edit gave other numbers in the same places, and did nothing else.
bool gives_other_numbers(const Setup& before, const Setup& after) {
  const auto same_place = [](const GivenValue& a, const GivenValue& b) {
    return a.tensor == b.tensor && a.part == b.part && a.numbers.tensor().shape() == b.numbers.tensor().shape();
  };
  return std::ranges::equal(before.values.entries(), after.values.entries(), same_place) &&
         before.same_but_values(after);
}

/// A layer or a text that the trained layer doesn't have, or can't read.
void check_model(Findings& findings, const Setup& setup) {
  if (!setup.has_model()) return;
  findings.require(setup.model.layer == 0, "model.layer", setup.model.layer, "0: the encoder's first layer is here");
  for (const std::string& text : setup.model.texts()) {
    if (text.size() > sentence_encoder::most_bytes) {
      findings.add("model.text", fmt::format("{} bytes", text.size()),
                   fmt::format("at most {} bytes, and {} pieces, in a text", sentence_encoder::most_bytes,
                               sentence_encoder::most_pieces));
      continue;
    }
    const auto count = std::ssize(sentence_encoder::split(text));
    findings.require(
        count <= sentence_encoder::most_pieces, "model.text", [&] { return fmt::format("{} pieces", count); },
        [&] { return fmt::format("at most {} pieces in a text", sentence_encoder::most_pieces); });
  }
}

/// What is wrong with the trained layer of a setup: check_model, or keys and values that aren't as the layer gives
/// them.
std::vector<Problem> contradictions_of_model(const Setup& setup, const std::string& source) {
  Findings findings(source);
  check_model(findings, setup);
  auto found = findings.take();
  if (!setup.has_model() || !found.empty()) return found;
  const Setup given = with_model(setup, setup.model);
  for (const SetupKey& key : setup_keys()) {
    findings.require(
        !key.marked(by_model) || key.same(setup, given), key.name, [&] { return key.text(setup); },
        [&] { return fmt::format("{}, as model.name gives it; or leave it out", key.text(given)); });
  }
  for (const GivenValue& value : given.values.entries()) {
    if (!value.part.empty()) continue;
    const GivenNumbers* const whole = setup.values.whole(value.tensor);
    findings.require(whole != nullptr && *whole == value.numbers, fmt::format("values.{}", name(value.tensor)),
                     "numbers of its own", "none, because model.name gives them; a part can be given, as in X[0]");
  }
  return findings.take();
}

/// Whether both setups have the same trained layer, and the same in all that it gives; then neither contradicts it, or
/// both do.
bool agree_about_model(const Setup& a, const Setup& b) {
  if (a.model != b.model) return false;
  if (!a.has_model()) return true;
  const auto same_numbers = [&](TensorId id) {
    const GivenNumbers *const one = a.values.whole(id), *const other = b.values.whole(id);
    return one == nullptr || other == nullptr ? one == other : *one == *other;
  };
  const auto same_key = [&](const SetupKey& key) { return !key.marked(by_model) || key.same(a, b); };
  return std::ranges::all_of(setup_keys(), same_key) && std::ranges::all_of(drawn_tensors(), same_numbers);
}

void require_none(Findings& findings, const GivenNumbers& given, std::string_view allowed, auto&& is_wrong) {
  const auto found = first_where(given.tensor(), is_wrong);
  if (!found) return;
  findings.add("values.weights",
               fmt::format("{:.6g} at [{}]", given.tensor().at(std::span(found->begin(), found->end())),
                           fmt::join(found->begin(), found->end(), ",")),
               std::string(allowed));
}

/// Whether the mask hides the key of a weight from its query, by the weight's place in row-major order. The weights may
/// leave out the batch.
class HiddenPairs {
 public:
  explicit HiddenPairs(const Setup& setup) : setup_(setup), mask_(setup) {}

  bool operator()(Index offset) const {
    const Index keys = setup_.key_length(), queries = setup_.sizes.query_length;
    const Index item = offset / keys / queries / setup_.sizes.heads;
    return !mask_.visible(item, offset / keys % queries, offset % keys);
  }

 private:
  const Setup& setup_;
  Mask mask_;
};

/// Beside weights that are given alone: keys that would change what came before them, numbers below 0, and weights of
/// keys that the mask hides.
void check_attention_alone(Findings& findings, const Setup& setup) {
  if (!setup.has_attention_alone()) return;
  for (const SetupKey& key : setup_keys()) {
    findings.require(
        key.marked(beside_weights | by_weights) || key.is_default(setup), key.name, [&] { return key.text(setup); },
        [&] {
          return fmt::format("{}, its default: values.weights gives the weights, and nothing before them is known",
                             key.text(Setup{}));
        });
  }
  const GivenNumbers& given = *setup.values.whole(TensorId::weights);
  if (!has_sizes(setup) || given.first_not_finite() || misfit(setup, TensorId::weights, {}, given.tensor().shape()))
    return;
  require_none(findings, given, "numbers of at least 0, as after a softmax", [](Index, double w) { return w < 0; });
  if (setup.mask.kinds.empty()) return;
  // A setup whose masks are wrong themselves has problems already.
  if (setup.mask.has(MaskKind::padding) && std::ssize(setup.mask.valid_lengths) != setup.sizes.batch) return;
  const HiddenPairs is_hidden(setup);
  require_none(findings, given, "0 where the mask hides the key from the query",
               [&](Index offset, double w) { return w != 0 && is_hidden(offset); });
}

}  // namespace

std::vector<Problem> problems(const Setup& setup, const std::string& source, const Setup* valid) {
  // Where a trained layer is contradicted, everything that follows from it would be a problem too.
  if (valid == nullptr || !agree_about_model(setup, *valid)) {
    if (auto contradictions = contradictions_of_model(setup, source); !contradictions.empty()) return contradictions;
  }
  Findings findings(source);
  if (valid != nullptr && gives_other_numbers(*valid, setup)) {
    check_finite(findings, setup);
  } else {
    for (const SetupKey& key : setup_keys()) key.check(findings, setup);
  }
  check_attention_alone(findings, setup);
  return findings.take();
}

void require_valid(const Setup& setup, const std::string& source, const Setup* valid) {
  auto found = problems(setup, source, valid);
  if (!found.empty()) throw InputError(std::move(found));
}

}  // namespace headlight
