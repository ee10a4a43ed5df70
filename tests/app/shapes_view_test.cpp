// The table of shapes, worked by a scripted person.
#include <doctest/doctest.h>

#include "core/model/shapes.hpp"
#include "probe.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

std::string row_of(TensorId id) { return std::to_string(static_cast<int>(id)) + "/row"; }

}  // namespace

TEST_CASE("the table of shapes has a row for every tensor that exists, which selects it") {
  Scripted person(lecture_session());
  person.run("view.shapes");
  REQUIRE(person.session().display().view == View::shapes);
  const Rect centre = layout_of(person, 1440, 900).centre;
  for (const TensorInfo& tensor : all_tensors()) {
    CAPTURE(tensor.name);
    CHECK(person.scroll_to(row_of(tensor.id), centre) == exists(tensor.id, person.session().setup()));
    person.surface.wheel(100);
    person.surface.settle();
  }
  for (TensorId id : {TensorId::W_q, TensorId::Q_heads}) {
    REQUIRE(person.scroll_to(row_of(id), centre));
    person.click_item(row_of(id));
    CHECK(person.session().selection().tensor == id);
  }
}
