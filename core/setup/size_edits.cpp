#include "core/setup/edits.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "core/model/shapes.hpp"
#include "core/model/tensor.hpp"

namespace headlight {
namespace {

/// Whether the tensors of a setup are so large that the engine will refuse it, even if many of them share their memory.
bool is_hopeless(const Setup& setup) {
  const auto element = static_cast<double>(bytes_per_element(setup.attention.precision));
  double bytes = 0;
  for (const TensorInfo& tensor : all_tensors())
    if (exists(tensor.id, setup)) bytes += element * static_cast<double>(shape(tensor.id, setup).elements());
  return bytes > 8 * static_cast<double>(default_memory_limit);
}

/// The divisor of `number` nearest to `wanted`: not smaller than it if `upwards`, else not larger.
Index snapped(Index wanted, Index number, bool upwards) {
  const std::vector<Index> choices = divisors(number);
  const auto above = std::lower_bound(choices.begin(), choices.end(), wanted);
  if (above != choices.end() && (*above == wanted || upwards)) return *above;
  return above == choices.begin() ? choices.front() : *std::prev(above);
}

std::vector<std::string> words(std::string_view sentence) {
  std::istringstream stream{std::string(sentence)};
  std::vector<std::string> found;
  for (std::string word; stream >> word;) found.push_back(std::move(word));
  return found;
}

Setup with_labels(const Setup& setup, std::string_view sentence, std::vector<std::string> Setup::* labels,
                  Setup (*with_length)(const Setup&, Index)) {
  Setup edited = setup;
  edited.*labels = words(sentence);
  const auto count = static_cast<Index>((edited.*labels).size());
  return count == 0 ? edited : with_length(edited, count);
}

bool is_position(const Setup& setup, Index position) { return position >= 0 && position < setup.token_count(); }

/// Gives every position a label, also if the setup had none.
Setup labelled(Setup setup) {
  if (setup.tokens.empty()) setup.tokens.push_back(setup.token_label(0));
  return with_fitting_labels(std::move(setup));
}

/// Drops labels and masks from a setup whose sizes the engine will refuse. Adapting them could take all memory, and
/// without them the refusal speaks of the sizes alone.
Setup without_details(Setup setup) {
  setup.tokens.clear();
  setup.key_tokens.clear();
  setup.mask = {};
  return setup;
}

Index in_range(Index size) { return std::clamp<Index>(size, 1, largest_size); }

Setup resized_by(const Setup& setup, Index Sizes::* size, Index value) {
  Sizes sizes = setup.sizes;
  sizes.*size = value;
  return resized(setup, sizes);
}

/// The most token labels that are made or kept. Nobody names more positions, and longer lists only cost memory.
constexpr Index most_labels = 100'000;

}  // namespace

Setup with_fitting_labels(Setup setup) {
  const auto fit = [](std::vector<std::string>& labels, Index length) {
    if (labels.empty() || length < 1 || length > largest_size) return;
    if (length > most_labels) {
      labels.clear();
      return;
    }
    const auto count = static_cast<std::size_t>(length);
    for (std::size_t position = labels.size(); position < count; ++position) labels.push_back(std::to_string(position));
    labels.resize(count);
  };
  fit(setup.tokens, setup.token_count());
  fit(setup.features, setup.sizes.d_model);
  fit(setup.head_names, setup.sizes.heads);
  if (setup.is_cross()) fit(setup.key_tokens, setup.key_length());
  else setup.key_tokens.clear();
  return setup;
}

std::vector<Index> divisors(Index number) {
  std::vector<Index> low;
  std::vector<Index> high;
  for (Index divisor = 1; divisor * divisor <= number; ++divisor) {
    if (number % divisor != 0) continue;
    low.push_back(divisor);
    if (divisor * divisor != number) high.push_back(number / divisor);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

Setup resized(const Setup& setup, Sizes sizes) {
  const Sizes& old = setup.sizes;
  for (Index* size : {&sizes.batch, &sizes.query_length, &sizes.d_model, &sizes.heads}) *size = in_range(*size);
  if (sizes.key_length) sizes.key_length = in_range(*sizes.key_length);
  sizes.past = std::clamp<Index>(sizes.past, 0, largest_size);
  sizes.layers = std::clamp<Index>(sizes.layers, 1, largest_model);
  for (std::optional<Index>* size : {&sizes.kv_heads, &sizes.d_head, &sizes.d_out, &sizes.d_source})
    if (*size) *size = in_range(**size);
  const bool shared = !sizes.d_head && !setup.has_attention_alone();
  if (shared) sizes.heads = snapped(sizes.heads, sizes.d_model, sizes.heads > old.heads);

  const bool kv_edited = sizes.kv_heads && sizes.kv_heads != old.kv_heads;
  const bool kv_follow = !kv_edited && old.kv_heads.value_or(old.heads) == old.heads;
  if (sizes.kv_heads && !kv_follow) {
    sizes.kv_heads = snapped(*sizes.kv_heads, sizes.heads, *sizes.kv_heads > old.kv_heads.value_or(old.heads));
  }
  if (sizes.kv_heads && kv_follow) sizes.kv_heads = sizes.heads;

  Setup edited = setup;
  edited.sizes = sizes;
  if (old.layers == 1 && sizes.layers > 1) draw_each_layer(edited);
  if (old.layers > 1 && sizes.layers == 1) draw_one_layer(edited);
  if (is_hopeless(edited)) return without_details(std::move(edited));
  add_head_draws(edited, setup);
  return fitted(std::move(edited));
}

Setup with_query_length(const Setup& setup, Index length) { return resized_by(setup, &Sizes::query_length, length); }

Setup with_token_count(const Setup& setup, Index count) {
  Sizes sizes = setup.sizes;
  if (!setup.is_cross()) sizes.past = std::clamp<Index>(sizes.past, 0, std::max<Index>(count - 1, 0));
  sizes.query_length = count - (setup.is_cross() ? 0 : sizes.past);
  return resized(setup, sizes);
}

Setup with_d_model(const Setup& setup, Index d_model) { return resized_by(setup, &Sizes::d_model, d_model); }
Setup with_heads(const Setup& setup, Index heads) { return resized_by(setup, &Sizes::heads, heads); }

Setup with_key_length(const Setup& setup, Index length) {
  if (!setup.is_cross()) return with_token_count(setup, length);
  Sizes sizes = setup.sizes;
  sizes.key_length = length;
  return resized(setup, sizes);
}

Setup with_sentence(const Setup& setup, std::string_view sentence) {
  return with_labels(setup, sentence, &Setup::tokens, with_token_count);
}

Setup with_key_sentence(const Setup& setup, std::string_view sentence) {
  if (!setup.is_cross()) return with_sentence(setup, sentence);
  return with_labels(setup, sentence, &Setup::key_tokens, with_key_length);
}

std::string sentence(const std::vector<std::string>& labels) { return fmt::format("{}", fmt::join(labels, " ")); }

Setup with_token(const Setup& setup, Index position, std::string_view label) {
  if (!is_position(setup, position)) return setup;
  Setup edited = labelled(setup);
  edited.tokens[static_cast<std::size_t>(position)] = label;
  return edited;
}

Setup with_source(const Setup& setup, Source source) {
  Setup edited = setup;
  edited.attention.source = source;
  if (source == Source::cross && !setup.is_cross()) {
    edited.sizes.key_length = setup.token_count();
    edited.sizes.past = 0;
    const auto distribution = distribution_of(setup, TensorId::X);
    if (distribution) edited = with_distribution(edited, TensorId::Y, *distribution);
  }
  if (source == Source::self) {
    edited.sizes.key_length.reset();
    edited.sizes.d_source.reset();
    edited.key_tokens.clear();
    erase_draws(edited, TensorId::Y);
  }
  return fitted(std::move(edited));
}

Setup without_missing_gains(Setup setup) {
  for (const TensorId id : drawn_tensors()) {
    const TensorKind kind = info(id).kind;
    if ((kind == TensorKind::gain || kind == TensorKind::shift) && !exists(id, setup)) forget(setup, id);
  }
  return setup;
}

Setup fitted(Setup setup) {
  Sizes& sizes = setup.sizes;
  fit_layers(setup);
  if (!setup.is_cross()) {
    if (sizes.key_length) sizes.key_length = setup.token_count();
    sizes.d_source.reset();
    setup.key_tokens.clear();
  }
  if (setup.position.is_added()) sizes.d_source.reset();
  if (setup.shares_d_model() && sizes.d_model % sizes.heads != 0)
    sizes.heads = snapped(sizes.heads, sizes.d_model, false);
  if (sizes.kv_heads && sizes.heads % *sizes.kv_heads != 0)
    sizes.kv_heads = snapped(*sizes.kv_heads, sizes.heads, false);
  drop_head_draws(setup);
  for (auto* heads : {&setup.attention.ablated_heads, &setup.training.with_heads, &setup.training.without_heads})
    std::erase_if(*heads,
                  [&](const LayerHead& each) { return each.head >= sizes.heads || each.layer >= sizes.layers; });
  fit_mask(setup);
  return with_fitting_labels(std::move(setup));
}

}  // namespace headlight
