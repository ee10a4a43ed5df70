// Pictures: if any bytes are accepted as a PNG with a setup and a place in it, these are written into another picture
// and read back the same.
#include "app/platform/pictures/png.hpp"

#include "app/session/snapshot/snapshot.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/target.hpp"

namespace headlight::fuzz {
void judge(std::string_view bytes) {
  const MemoryFile file(bytes);
  const std::string source = file.path().string();
  PngText notes;
  Snapshot place;
  try {
    notes = read_png_text(file.path());
    place = remembered_by(notes, source);
  } catch (const InputError& error) {
    require_told(error, source);
    return;
  }
  require(place.setup.has_value(), "a picture that is accepted holds a setup");
  notes["Setup"] = write_setup(*place.setup);
  const std::vector<unsigned char> drawn = encode_png(Image(1, 1), notes);
  const MemoryFile again({reinterpret_cast<const char*>(drawn.data()), drawn.size()});
  const PngText read = read_png_text(again.path());
  require(read == notes, "notes are read again as they were written");
  require(remembered_by(read, "again") == place, "a setup and its place are read again as they were written");
}

}  // namespace headlight::fuzz
