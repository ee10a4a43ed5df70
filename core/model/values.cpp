#include "core/model/values.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "core/text/characters.hpp"

namespace headlight {
namespace {

/// Mixes numbers into 64 bits: after each the whole state has changed.
class Digest {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9E37'79B9'7F4A'7C15U;
    state_ ^= state_ >> 32;
  }
  std::string text() const { return fmt::format("{:016x}", state_); }

 private:
  std::uint64_t state_ = 0xCBF2'9CE4'8422'2325U;
};

template <class T>
std::uint64_t bits_of(T value) {
  if constexpr (sizeof(T) == 4) return std::bit_cast<std::uint32_t>(value);
  else return std::bit_cast<std::uint64_t>(value);
}

std::string digest_of(const Tensor& tensor) {
  Digest digest;
  digest.add(bytes_per_element(tensor.precision()));
  for (const Index extent : tensor.shape()) digest.add(static_cast<std::uint64_t>(extent));
  with_element_type(tensor.precision(), [&](auto zero) {
    using T = decltype(zero);
    const T* numbers = tensor.data<T>();
    for (Index i = 0; i < tensor.elements(); ++i) digest.add(bits_of(numbers[i]));
  });
  return digest.text();
}

/// Another tensor with the same numbers, repeated along the leading axes that they leave out.
Tensor copied(const Tensor& from, Precision precision, const Shape& extents) {
  if (from.empty()) return Tensor::zeros(precision, extents);
  Tensor copy = Tensor::uninitialized(precision, extents);
  copy_numbers(from, copy);
  return copy;
}

bool has_parts(const Values& values, TensorId tensor) {
  return std::ranges::any_of(
      values.entries(), [&](const GivenValue& value) { return values.is_for(value, tensor) && !value.part.empty(); });
}

}  // namespace

GivenNumbers::GivenNumbers(const Tensor& numbers, std::optional<ArraySource> source) {
  const Tensor rows = numbers.contiguous();
  data_ = std::make_shared<const Data>(
      Data{rows, std::move(source), digest_of(rows),
           first_where(rows, [](Index, double number) { return !std::isfinite(number); })});
}

GivenNumbers GivenNumbers::single(double number) {
  Tensor tensor = Tensor::uninitialized(Precision::float64, Shape{});
  *tensor.writable<double>() = number;
  return GivenNumbers(tensor);
}

bool operator==(const GivenNumbers& a, const GivenNumbers& b) {
  if (a.data_ == b.data_) return true;
  return a.digest() == b.digest() && a.source() == b.source() && identical(a.tensor(), b.tensor());
}

std::string to_string(TensorId tensor, const ArrayPart& part, Index layer) {
  return layer_prefix(layer).append(name(tensor)) + to_string(part);
}

std::string key_of(const GivenValue& value) { return to_string(value.tensor, value.part, value.layer); }

std::optional<ValuePlace> parse_value_key(std::string_view key) {
  const Index layer = take_layer_prefix(key);
  const auto open = key.find('[');
  const auto id = tensor_named(trimmed(key.substr(0, open), " "));
  if (!id || !info(*id).can_be_given() || (layer != 0 && info(*id).is_of_model())) return std::nullopt;
  if (open == std::string_view::npos) return ValuePlace{*id, {}, layer};
  const auto part = parse_array_part(key.substr(open));
  if (!part) return std::nullopt;
  return ValuePlace{*id, *part, layer};
}

const std::shared_ptr<Values::List>& Values::empty_list() {
  static const auto empty = std::make_shared<List>();
  return empty;
}

Values::List& Values::own_list() {
  if (list_.use_count() > 1) list_ = std::make_shared<List>(*list_);
  return *list_;
}

void Values::set(GivenValue value) {
  List& list = own_list();
  put_in(list.given, value.tensor, value.layer, true);
  if (value.part.empty()) put_in(list.wholes, value.tensor, value.layer, true);
  const std::string key = key_of(value);
  const bool comes_last = list.entries.empty() || key_of(list.entries.back()) < key;  // as those of a file do
  const auto found = comes_last ? list.entries.end() : std::ranges::lower_bound(list.entries, key, {}, key_of);
  if (found != list.entries.end() && key_of(*found) == key) *found = std::move(value);
  else list.entries.insert(found, std::move(value));
}

void Values::erase(TensorId tensor, const ArrayPart& part, Index layer) {
  List& list = own_list();
  const auto is_beside = [&](const GivenValue& value) { return value.tensor == tensor && value.layer == layer; };
  std::erase_if(list.entries, [&](const GivenValue& value) { return is_beside(value) && value.part == part; });
  put_in(list.given, tensor, layer, std::ranges::any_of(list.entries, is_beside));
  if (part.empty()) put_in(list.wholes, tensor, layer, false);
}

void Values::put_in(Flags& flags, TensorId tensor, Index layer, bool is_in) {
  const auto at = static_cast<std::size_t>(own_layer(tensor, layer));
  if (at >= flags.size()) {
    if (!is_in) return;
    flags.resize(at + 1);
  }
  flags[at][index_of(tensor)] = is_in;
  while (!flags.empty() && flags.back().none()) flags.pop_back();
}

const GivenNumbers* Values::whole(TensorId tensor, Index layer) const {
  if (!is_in(list_->wholes, tensor, layer)) return nullptr;
  const auto is_it = [&](const GivenValue& value) {
    return value.tensor == tensor && value.layer == own_layer(tensor, layer) && value.part.empty();
  };
  return &std::ranges::find_if(entries(), is_it)->numbers;
}

Values Values::parts() const {
  Values parts;
  List& list = parts.own_list();
  std::ranges::copy_if(entries(), std::back_inserter(list.entries),
                       [](const GivenValue& one) { return !one.part.empty(); });
  for (const GivenValue& one : list.entries) put_in(list.given, one.tensor, one.layer, true);
  parts.layer_ = layer_;
  return parts;
}

bool Values::same(TensorId tensor, const Values& other) const {
  if (list_ == other.list_) return true;
  const auto of_tensor = std::views::filter([&](const GivenValue& value) { return is_for(value, tensor); });
  return std::ranges::equal(entries() | of_tensor, other.entries() | of_tensor);
}

bool is_used_as_given(const Values& values, TensorId tensor, Precision precision, const Shape& extents) {
  const GivenNumbers* whole = values.whole(tensor);
  return whole != nullptr && whole->tensor().precision() == precision && whole->tensor().shape() == extents &&
         !has_parts(values, tensor);
}

Tensor with_values(const Values& values, TensorId tensor, const Tensor& base, Precision precision,
                   const Shape& extents) {
  const GivenNumbers* whole = values.whole(tensor);
  if (is_used_as_given(values, tensor, precision, extents)) return whole->tensor();
  Tensor filled = copied(whole != nullptr ? whole->tensor() : base, precision, extents);
  for (const GivenValue& value : values.entries()) {
    if (!values.is_for(value, tensor) || value.part.empty()) continue;
    copy_numbers(value.numbers.tensor(), window_on(filled, *ranges_of(value.part, extents)));
  }
  return filled;
}

}  // namespace headlight
