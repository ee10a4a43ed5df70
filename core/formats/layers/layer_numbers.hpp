// The numbers of layers, read for a setup.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "core/formats/arrays/array_file.hpp"
#include "core/formats/layers/model_arrays.hpp"
#include "core/model/problem.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// An array after some steps, with a number added to each of its numbers.
GivenNumbers given_numbers(const StoredArray& array, const std::string& steps, double added, ArrayFiles& files);

/// Before any is read: a file of holes is as long as it says, and still takes all the memory. Throws InputError where
/// all of them, some of which may be null, take more than `limit` bytes; its problem has `where`'s source and key, and
/// its words before the size.
void require_few(const std::set<const StoredArray*>& arrays, const Problem& where, std::int64_t limit);

/// The masks of a captured file, for the setup's sizes. `causal` hides every later key besides. Throws InputError where
/// a setup has none like them.
MaskSettings captured_mask(const StoredArray& mask, const Setup& setup, bool causal, ArrayFiles& files,
                           std::int64_t limit);

}  // namespace headlight
