#include "app/export/font_subset.hpp"

#include <algorithm>
#include <map>

#include <hb-subset.h>

#include "app/shaping/destroyer.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

using HbBlob = Owned<hb_blob_t, hb_blob_destroy>;
using HbFace = Owned<hb_face_t, hb_face_destroy>;
using HbSet = Owned<hb_set_t, hb_set_destroy>;
using HbSubsetInput = Owned<hb_subset_input_t, hb_subset_input_destroy>;

HbFace open(const FontFace& face) {
  const HbBlob blob(hb_blob_create(reinterpret_cast<const char*>(face.file.data()),
                                   static_cast<unsigned>(face.file.size()), HB_MEMORY_MODE_READONLY, nullptr, nullptr));
  return HbFace(hb_face_create(blob.get(), static_cast<unsigned>(face.index)));
}

}  // namespace

Coverage::Coverage(const FontFace& face) {
  const HbSet all(hb_set_create());
  hb_face_collect_unicodes(open(face).get(), all.get());
  for (hb_codepoint_t character = HB_SET_VALUE_INVALID; hb_set_next(all.get(), &character);)
    characters_.insert(character);
}

bool Coverages::has_all(const TextShape& text) {
  const Coverage& own = of(face_of(text.style));
  const Coverage& fallback = of(fallback_face());
  const auto characters = characters_of(text.text);
  return std::all_of(characters.begin(), characters.end(),
                     [&](char32_t character) { return own.has(character) || fallback.has(character); });
}

namespace {

UsedFace& of_face(std::vector<UsedFace>& used, const FontFace& face) {
  const auto found = std::ranges::find(used, &face, &UsedFace::face);
  return found == used.end() ? used.emplace_back(UsedFace{&face, {}}) : *found;
}

}  // namespace

std::vector<UsedFace> faces_in(const TextShape& text, Coverages& coverages, Shaper& shaper) {
  std::vector<UsedFace> used;
  const FontFace& own = face_of(text.style);
  if (!needs_shaping(text.text) && coverages.has_all(text)) {
    const Coverage& coverage = coverages.of(own);
    for (char32_t character : characters_of(text.text))
      of_face(used, coverage.has(character) ? own : fallback_face()).characters.insert(character);
    return used;
  }
  for (const ShapedGlyph& glyph : shaper.shape(text.text, own, fallback_face()).glyphs) {
    UsedFace& face = of_face(used, *glyph.face);
    face.shapes |= needs_shaping(text.text);
    for (char32_t character : characters_of(text.text.substr(glyph.begin, glyph.end - glyph.begin)))
      face.characters.insert(character);
  }
  return used;
}

std::vector<UsedFace> used_faces(const DisplayList& drawing) {
  Coverages coverages;
  Shaper shaper;
  std::vector<UsedFace> used;
  for (const Drawn& drawn : drawing.drawn) {
    const auto* text = std::get_if<TextShape>(&drawn.shape);
    if (!text) continue;
    for (const UsedFace& here : faces_in(*text, coverages, shaper)) {
      UsedFace& all = of_face(used, *here.face);
      all.characters.insert(here.characters.begin(), here.characters.end());
      all.shapes |= here.shapes;
    }
  }
  return used;
}

std::vector<unsigned char> subset_of(const UsedFace& used) {
  const HbFace face = open(*used.face);
  const HbSubsetInput input(hb_subset_input_create_or_fail());
  if (!input) throw std::bad_alloc();
  hb_set_t* characters = hb_subset_input_unicode_set(input.get());
  for (char32_t character : used.characters) hb_set_add(characters, character);
  hb_set_t* dropped = hb_subset_input_set(input.get(), HB_SUBSET_SETS_DROP_TABLE_TAG);
  if (!used.shapes)
    for (hb_tag_t tag : {HB_TAG('G', 'S', 'U', 'B'), HB_TAG('G', 'P', 'O', 'S'), HB_TAG('G', 'D', 'E', 'F'),
                         HB_TAG('k', 'e', 'r', 'n')})
      hb_set_add(dropped, tag);
  const HbFace subset(hb_subset_or_fail(face.get(), input.get()));
  if (!subset) return {};
  const HbBlob blob(hb_face_reference_blob(subset.get()));
  unsigned length = 0;
  const char* data = hb_blob_get_data(blob.get(), &length);
  return {data, data + length};
}

}  // namespace headlight
