#include "app/session/failure.hpp"

#include <new>

namespace headlight {

std::string words_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return "not enough free memory";
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "internal error";
  }
}

}  // namespace headlight
