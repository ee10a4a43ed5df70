// Owns objects of C libraries: their destroy function is called at the end of the scope.
#pragma once

#include <memory>

namespace headlight {

template <auto destroy>
struct Destroyer {
  template <class T>
  void operator()(T* object) const {
    destroy(object);
  }
};

/// A unique_ptr with the library's own destroy function, as in Owned<cairo_t, cairo_destroy>.
template <class T, auto destroy>
using Owned = std::unique_ptr<T, Destroyer<destroy>>;

}  // namespace headlight
