#include "app/views/tensors/cell_tip.hpp"

#include <fmt/format.h>

#include "app/views/tensors/axis_labels.hpp"
#include "core/model/tensor.hpp"

namespace headlight {
namespace {

std::string tokens_of(const Cell& cell, const LabelSource& words) {
  std::string tokens;
  for (const bool last : {false, true}) {
    const int from_end = last ? 0 : 1;
    if (cell.index.rank() <= from_end) continue;
    const std::string token = axis_label(cell.tensor, last, cell.index.back(from_end), words).token;
    if (!token.empty()) tokens += (tokens.empty() ? "" : " · ") + token;
  }
  return tokens;
}

Index cells_in(const GridBlock& block) { return block.rows.size() * block.columns.size(); }

}  // namespace

std::string cell_tip(const TensorPicture& picture, GridCell at, const GridBlock& pixel, std::string_view of,
                     const LabelSource& words) {
  const Cell cell = picture.cell_at(at, words.setup);
  const std::string number =
      picture.slice.kind(at.row, at.column) == CellKind::masked && !info(picture.tensor).hides_as_infinity()
          ? "0, masked"
          : exact_text(picture.slice.value(at.row, at.column), picture.slice.values.precision());
  std::string tip = fmt::format("{}{}{} = {}", of, of.empty() ? "" : " ", to_string(cell), number);
  if (const std::string tokens = tokens_of(cell, words); !tokens.empty()) tip += "\n" + tokens;
  if (picture.shade && picture.slice.kind(at.row, at.column) == CellKind::number)
    tip += fmt::format("\n{:.3g} times even attention", picture.shade->value(at.row, at.column));
  if (const Index cells = cells_in(pixel); cells > 1)
    tip += fmt::format("\nthe largest of the {} cells in this pixel", cells);
  return tip;
}

}  // namespace headlight
