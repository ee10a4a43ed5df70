// What a number that was given by hand changes further on: in every tensor the cell that moved most, before and after.
#pragma once

#include <cstdint>

#include "app/session/studies/comparison.hpp"
#include "app/views/base/later.hpp"

namespace headlight {

/// Compares the shown trace with the one without the person's number, once for each trace and cell.
class EffectStudy {
 public:
  /// Null while it is being worked out.
  const NumberEffects* of(Session& session, const Cell& given);

 private:
  struct Key {
    std::uint64_t version = 0;
    Cell cell;
    friend bool operator==(const Key&, const Key&) = default;
  };
  Later<Key, NumberEffects> effects_;
};

}  // namespace headlight
