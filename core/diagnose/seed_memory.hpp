// What other seeds give, kept for the many works that are checked against one trace: a class's. A work that nothing
// explains is compared with what each of ten thousand seeds gives, which takes longer than everything else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "core/diagnose/arrays/digits.hpp"
#include "core/model/names.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// Any thread may call it.
class SeedMemory {
 public:
  struct Given {
    Tensor tensor;
    double rounding = 0;  ///< how far it may have moved the numbers
  };
  /// Which seed of the draws is another one, in which digits, and the tensors from the draws to the one that is
  /// compared.
  using Key = std::tuple<std::size_t, Digits, std::vector<TensorId>>;
  using Of = std::function<Given(std::int64_t seed)>;

  /// What each seed gives, in their order, from 0 to seeds_tried less one. Null where that is too much to keep.
  std::shared_ptr<const std::vector<Given>> all(const Key& key, const Of& of);

 private:
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<const std::vector<Given>>> kept_;
};

}  // namespace headlight
