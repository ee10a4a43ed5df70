#include "app/ui/drawing/glyph_atlas.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace headlight {
namespace {

/// Pixels between glyphs, so that none bleeds into its neighbour when the texture is sampled between pixels.
constexpr int padding = 1;
constexpr int white_side = 2;
/// Heights of shelves are multiples of this, so that glyphs of similar size share a shelf.
constexpr int shelf_step = 4;

}  // namespace

void GlyphAtlas::Free::operator()(unsigned char* memory) const { std::free(memory); }

GlyphAtlas::GlyphAtlas(int side)
    : side_(side),
      pixels_(
          static_cast<unsigned char*>(std::calloc(static_cast<std::size_t>(side), static_cast<std::size_t>(side)))) {
  if (!pixels_) throw std::bad_alloc();
  add({0, 0, white_side, white_side, std::vector<unsigned char>(white_side * white_side, 255)});
}

GlyphAtlas::Shelf* GlyphAtlas::shelf_for(int width, int height) {
  const int high = (height + shelf_step - 1) / shelf_step * shelf_step;
  const auto fits = [&](const Shelf& shelf) { return shelf.height == high && shelf.used + width <= side_; };
  const auto found = std::find_if(shelves_.begin(), shelves_.end(), fits);
  if (found != shelves_.end()) return &*found;
  const int top = shelves_.empty() ? 0 : shelves_.back().top + shelves_.back().height;
  if (top + high > side_ || width > side_) return nullptr;
  return &shelves_.emplace_back(Shelf{top, high, 0});
}

std::optional<AtlasSlot> GlyphAtlas::add(const DrawnGlyph& picture) {
  Shelf* const shelf = shelf_for(picture.width + padding, picture.height + padding);
  if (!shelf) return std::nullopt;
  const AtlasSlot slot{shelf->used, shelf->top};
  shelf->used += picture.width + padding;
  for (int row = 0; row < picture.height; ++row)
    std::copy_n(picture.coverage.begin() + row * picture.width, picture.width,
                pixels_.get() + static_cast<std::ptrdiff_t>(slot.y + row) * side_ + slot.x);
  const bool first = changed_.begin == changed_.end;
  changed_ = {first ? slot.y : std::min(changed_.begin, slot.y), std::max(changed_.end, slot.y + picture.height)};
  return slot;
}

GlyphAtlas::Rows GlyphAtlas::take_changed() {
  const Rows changed = changed_;
  changed_ = {};
  return changed;
}

}  // namespace headlight
