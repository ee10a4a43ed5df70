#include "app/shaping/system_fonts.hpp"

#include <fontconfig/fontconfig.h>

#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "app/shaping/destroyer.hpp"
#include "core/formats/files.hpp"
#include "core/model/problem.hpp"

namespace headlight {
namespace {

using FcConfigPtr = Owned<FcConfig, FcConfigDestroy>;
using FcPatternPtr = Owned<FcPattern, FcPatternDestroy>;
using FcFontSetPtr = Owned<FcFontSet, FcFontSetDestroy>;

/// A file that was read, and its face.
struct ReadFace {
  std::string family;
  std::vector<unsigned char> file;
  FontFace face;
};

/// Bytes. No font is larger.
constexpr std::uint64_t largest_font = std::uint64_t{1} << 30;

/// All of a font's file. Empty if it can't be read, or if by now something else is in its place, as a pipe.
std::vector<unsigned char> bytes_of(const std::filesystem::path& path) {
  try {
    FileReader file(path);
    if (file.size() > largest_font) return {};
    std::vector<unsigned char> bytes(file.size());
    bytes.resize(file.read(reinterpret_cast<char*>(bytes.data()), bytes.size()));
    return bytes;
  } catch (const InputError&) {
    return {};
  }
}

class SystemFonts {
 public:
  SystemFonts() : config_(FcInitLoadConfigAndFonts()) {
    if (!config_) return;
    const FcPatternPtr wanted(FcPatternCreate());
    FcPatternAddString(wanted.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>("sans-serif"));
    FcConfigSubstitute(config_.get(), wanted.get(), FcMatchPattern);
    FcDefaultSubstitute(wanted.get());
    FcResult result = FcResultNoMatch;
    sorted_.reset(FcFontSort(config_.get(), wanted.get(), FcFalse, nullptr, &result));
  }

  const FontFace* with(char32_t character) {
    const std::scoped_lock lock(mutex_);
    const auto [found, is_new] = known_.try_emplace(character, nullptr);
    if (is_new) found->second = search(character, [](const FontFace&) { return true; });
    return found->second;
  }

  const FontFace* with(char32_t character, const std::function<bool(const FontFace&)>& fits) {
    const std::scoped_lock lock(mutex_);
    return search(character, fits);
  }

 private:
  const FontFace* search(char32_t character, const std::function<bool(const FontFace&)>& fits) {
    for (const bool in_colour : {false, true}) {
      for (int i = 0; sorted_ && i < sorted_->nfont; ++i) {
        FcPattern* const font = sorted_->fonts[i];
        FcCharSet* characters = nullptr;
        FcBool colour = FcFalse;
        FcPatternGetBool(font, FC_COLOR, 0, &colour);
        if ((colour != FcFalse) != in_colour) continue;
        if (FcPatternGetCharSet(font, FC_CHARSET, 0, &characters) != FcResultMatch ||
            !FcCharSetHasChar(characters, character))
          continue;
        if (const FontFace* face = read(font); face && fits(*face)) return face;
      }
    }
    return nullptr;
  }

  /// Null if the file cannot be read or is no format of FreeType's that HarfBuzz knows too.
  const FontFace* read(FcPattern* font) {
    if (const auto found = read_.find(font); found != read_.end()) return found->second;
    const FontFace*& kept = read_[font];
    kept = nullptr;
    FcChar8 *path = nullptr, *family = nullptr, *format = nullptr;
    int index = 0, weight = FC_WEIGHT_REGULAR;
    if (FcPatternGetString(font, FC_FILE, 0, &path) != FcResultMatch) return nullptr;
    if (FcPatternGetString(font, FC_FONTFORMAT, 0, &format) != FcResultMatch) return nullptr;
    const std::string_view kind = reinterpret_cast<const char*>(format);
    if (kind != "TrueType" && kind != "CFF") return nullptr;
    FcPatternGetString(font, FC_FAMILY, 0, &family);
    FcPatternGetInteger(font, FC_INDEX, 0, &index);
    FcPatternGetInteger(font, FC_WEIGHT, 0, &weight);
    std::vector<unsigned char> bytes = bytes_of(reinterpret_cast<const char*>(path));
    if (bytes.empty()) return nullptr;
    constexpr int face_bits = 0xFFFF;  // above them fontconfig counts the instances of a variable font
    ReadFace& made = faces_.emplace_back();
    made.family = family ? reinterpret_cast<const char*>(family) : "sans-serif";
    made.file = std::move(bytes);
    made.face = {
        .family = made.family, .weight = FcWeightToOpenType(weight), .file = made.file, .index = index & face_bits};
    kept = &made.face;
    return kept;
  }

  std::mutex mutex_;
  FcConfigPtr config_;
  FcFontSetPtr sorted_;
  std::map<char32_t, const FontFace*> known_;
  std::map<const FcPattern*, const FontFace*> read_;
  std::list<ReadFace> faces_;
};

SystemFonts& system_fonts() {
  static SystemFonts fonts;
  return fonts;
}

}  // namespace

const FontFace* system_face_with(char32_t character) { return system_fonts().with(character); }

const FontFace* system_face_with(char32_t character, const std::function<bool(const FontFace&)>& fits) {
  return system_fonts().with(character, fits);
}

}  // namespace headlight
