// What a number that was given by hand changes further on: in every tensor the cell that moved most, before and after.
#pragma once

#include <cstdint>
#include <vector>

#include "app/session/studies/comparison.hpp"
#include "app/views/inspector/inspector_column.hpp"
#include "app/views/tensors/later.hpp"

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

/// Draws them where the cell was given by hand; nothing for other cells.
void draw_effects(Column& column, const Cell& cell);

}  // namespace headlight
