// What the Learn view has worked out, once for each trace and each film.
#pragma once

#include <cstdint>
#include <vector>

#include "app/session/training/learning_studies.hpp"
#include "app/views/tensors/later.hpp"

namespace headlight {

struct LearnMemory {
  Later<FilmKey, Film> film;
  Later<std::uint64_t, std::vector<HeadPrice>> prices;  ///< by the version of the trace
};

}  // namespace headlight
