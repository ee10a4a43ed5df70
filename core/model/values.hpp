// Numbers that the user gave: what fills a tensor, or a part of it, instead of a draw.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/array_part.hpp"
#include "core/model/layer_head.hpp"
#include "core/model/names.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// Where numbers were read: an array of a file, and what was taken of it.
struct ArraySource {
  std::string path;   ///< from the root, so that it means the same everywhere
  std::string name;   ///< empty where the file has only one array
  std::string steps;  ///< what was done to it, in order: "", ".T", "[0:768].T"

  friend bool operator==(const ArraySource&, const ArraySource&) = default;
};

/// An array of numbers, shared by all copies and never changed: copying a setup, which every edit does, costs a
/// pointer.
class GivenNumbers {
 public:
  /// `numbers` has up to four axes; none of them for a single number.
  explicit GivenNumbers(const Tensor& numbers, std::optional<ArraySource> source = std::nullopt);
  static GivenNumbers single(double number);

  const Tensor& tensor() const { return data_->numbers; }
  /// Empty for numbers that are written in the setup itself.
  const std::optional<ArraySource>& source() const { return data_->source; }
  /// 16 hexadecimal digits that change when a number, the shape or the precision does. Written beside a file's name, to
  /// tell later whether the file has changed.
  const std::string& digest() const { return data_->digest; }
  /// The index of the first infinity or NaN.
  const std::optional<Shape>& first_not_finite() const { return data_->first_not_finite; }

  /// Whether they are the same numbers, bit for bit, from the same place. Copies are found equal at once.
  friend bool operator==(const GivenNumbers& a, const GivenNumbers& b);

 private:
  struct Data {
    Tensor numbers;
    std::optional<ArraySource> source;
    std::string digest;
    std::optional<Shape> first_not_finite;
  };
  std::shared_ptr<const Data> data_;
};

/// What is filled: a tensor, or a part of one.
struct GivenValue {
  TensorId tensor = TensorId::X;
  ArrayPart part;  ///< empty for the whole tensor
  GivenNumbers numbers;
  Index layer = 0;  ///< 0 for tensors that a model has once

  friend bool operator==(const GivenValue&, const GivenValue&) = default;
};

/// "W_q", "W_v[2,5]", "L1.W_k": the key of the value in a setup file.
std::string to_string(TensorId tensor, const ArrayPart& part, Index layer = 0);
std::string key_of(const GivenValue& value);

/// What such a key names.
struct ValuePlace {
  TensorId tensor = TensorId::X;
  ArrayPart part = {};
  Index layer = 0;
};
/// nullopt if the key names nothing that can be given, or its part cannot be read.
std::optional<ValuePlace> parse_value_key(std::string_view key);

/// All values of a setup, by their keys. What is asked about a tensor is asked about that of one layer: the first one,
/// or that of look_at(), which isn't compared. Whole tensors are filled first, then parts, which do not overlap if
/// valid; so their order has no meaning.
class Values {
 public:
  Values() = default;
  // A moved-from object keeps its list, so that it is still values: moving is copying, which only counts one owner
  // more.
  Values(const Values&) = default;
  Values& operator=(const Values&) = default;

  const std::vector<GivenValue>& entries() const { return list_->entries; }
  bool empty() const { return entries().empty(); }
  void look_at(Index layer) { layer_ = layer; }

  /// Gives the value of a tensor or of a part, in place of the one with the same key.
  void set(TensorId tensor, ArrayPart part, GivenNumbers numbers) {
    set({tensor, std::move(part), std::move(numbers), own_layer(tensor, layer_)});
  }
  /// The same in the layer that the value says.
  void set(GivenValue value);
  void erase(TensorId tensor, const ArrayPart& part) { erase(tensor, part, own_layer(tensor, layer_)); }
  void erase(TensorId tensor, const ArrayPart& part, Index layer);

  /// The numbers of the whole tensor; null where it is not given as a whole.
  const GivenNumbers* whole(TensorId tensor) const { return whole(tensor, layer_); }
  const GivenNumbers* whole(TensorId tensor, Index layer) const;
  /// Whether the tensor or any part of it is given.
  bool has(TensorId tensor) const { return is_in(list_->given, tensor, layer_); }
  /// Whether the value is one for the tensor, in the layer that is asked about.
  bool is_for(const GivenValue& value, TensorId tensor) const {
    return value.tensor == tensor && value.layer == own_layer(tensor, layer_);
  }
  /// The values for parts of tensors, without those for whole tensors.
  Values parts() const;
  /// Whether both give the same for one tensor.
  bool same(TensorId tensor, const Values& other) const;
  /// Whether both give the same tensors as wholes, with whatever numbers.
  bool same_wholes(const Values& other) const { return list_->wholes == other.list_->wholes; }

  friend bool operator==(const Values& a, const Values& b) { return a.list_ == b.list_ || a.entries() == b.entries(); }

 private:
  struct List {
    std::vector<GivenValue> entries;               ///< sorted by key
    std::vector<std::bitset<tensor_count>> given;  ///< as wholes or in part, by layer and TensorId
    std::vector<std::bitset<tensor_count>> wholes;
  };
  using Flags = std::vector<std::bitset<tensor_count>>;
  static Index own_layer(TensorId tensor, Index layer) { return info(tensor).is_of_model() ? 0 : layer; }
  static bool is_in(const Flags& flags, TensorId tensor, Index layer) {
    const auto at = static_cast<std::size_t>(own_layer(tensor, layer));
    return at < flags.size() && flags[at][index_of(tensor)];
  }
  static void put_in(Flags& flags, TensorId tensor, Index layer, bool is_in);
  static const std::shared_ptr<List>& empty_list();
  /// The list, to be changed: one that no copy shares.
  List& own_list();

  std::shared_ptr<List> list_ = empty_list();
  Index layer_ = 0;
};

/// `base` with the setup's values for the tensor in it. `extents` and `precision` are those that the setup asks for; a
/// value with fewer axes is repeated along the axes that it leaves out. Without parts a value that is as it should be
/// is returned without a copy. The values must fit (see check_values). An empty `base` means zeros.
Tensor with_values(const Values& values, TensorId tensor, const Tensor& base, Precision precision,
                   const Shape& extents);

/// Whether the trace's tensor is the given array itself, which then takes no memory of its own.
bool is_used_as_given(const Values& values, TensorId tensor, Precision precision, const Shape& extents);

}  // namespace headlight
