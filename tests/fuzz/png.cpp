// A picture's notes: the setup and the place inside any file that calls itself a PNG, read, drawn into another, and
// read again.
#include "app/platform/pictures/png.hpp"

#include "app/session/settings/settings.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/target.hpp"

namespace headlight::fuzz {
namespace {

RememberedSession place_in(const PngText& notes, const std::string& source) { return remembered_by(notes, source); }

}  // namespace

void judge(std::string_view bytes) {
  const MemoryFile file(bytes);
  const std::string source = file.path().string();
  RememberedSession place;
  try {
    place = place_in(read_png_text(file.path()), source);
  } catch (const InputError& error) {
    require_told(error, source);
    return;
  }
  require(place.setup.has_value(), "a picture that is accepted holds a setup");
  const PngText notes{{"Setup", write_setup(*place.setup)}, {"Session", to_toml(place)}};
  const std::vector<unsigned char> drawn = encode_png(Image(1, 1), notes);
  const MemoryFile again({reinterpret_cast<const char*>(drawn.data()), drawn.size()});
  const PngText read = read_png_text(again.path());
  require(read == notes, "notes are read again as they were written");
  const RememberedSession same = place_in(read, "again");
  require(same.setup == place.setup && same.reference == place.reference, "setups are read again as they were written");
  require(to_toml(same) == to_toml(place), "a place is read again as it was written");
}

}  // namespace headlight::fuzz
