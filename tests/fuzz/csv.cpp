// A table as text: what is accepted, written with every digit, is read again bit for bit.
#include "core/formats/arrays/csv.hpp"

#include <fmt/format.h>

#include "tests/fuzz/target.hpp"

namespace headlight::fuzz {
void judge(std::string_view bytes) {
  Tensor table;
  try {
    table = parse_csv(bytes, "input");
  } catch (const InputError& error) {
    require_told(error, "input");
    return;
  }
  require(table.shape().rank() == 2 && table.elements() > 0, "a table has rows and columns");
  std::string text = "header";
  for (Index column = 1; column < table.shape()[1]; ++column) text += ",header";
  for (Index row = 0; row < table.shape()[0]; ++row) {
    for (Index column = 0; column < table.shape()[1]; ++column)
      text += fmt::format("{}{}", column == 0 ? '\n' : ',', table.at({row, column}));
  }
  require(identical(parse_csv(text, "written"), table), "a table is read again as it was written");
}

}  // namespace headlight::fuzz
