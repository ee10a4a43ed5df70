// What a C library made, given back to it at the end of a scope.
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

/// "Owned<cairo_t, cairo_destroy>"
template <class T, auto destroy>
using Owned = std::unique_ptr<T, Destroyer<destroy>>;

}  // namespace headlight
