#include <atomic>

#include "core/model/problem.hpp"
#include "core/trained/encoder_numbers.hpp"

/// In app/platform/web/page.js: the bytes, which stay for good; null if they can't be had.
extern "C" const char* page_trained_layer();
/// An Arrival.
extern "C" int page_trained_layer_arrival();
extern "C" void page_fetch_trained_layer();

namespace headlight::sentence_encoder {

const char* numbers() {
  static std::atomic<const char*> fetched = nullptr;  // threads ask for them, too; twice does no harm
  if (fetched == nullptr) fetched = page_trained_layer();
  if (fetched == nullptr)
    throw InputError({"sentence-encoder", "", "its numbers, which are not in this page and can't be fetched",
                      "headlight-trained.html, which has them inside, or the page with its folder on a web server"});
  return fetched;
}

Arrival arrival() { return static_cast<Arrival>(page_trained_layer_arrival()); }

void fetch() { page_fetch_trained_layer(); }

}  // namespace headlight::sentence_encoder
