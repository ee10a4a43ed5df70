// A page of your own: the app in one HTML file, with a setup, a lecture or a model inside.
//
// The one-file page has one place for it, which is empty where nothing is inside:
//
//   <script type="application/json" id="headlight-document"></script>
//
// Its text is
//
//   {"version": 1, "arguments": ["--setup", "#setup=..."], "files": {"W_q-0.npy": "Y2Bg..."}, "crc32": "1c291ca3"}
//
// The page puts the files into an empty folder, under these names (with "/" between folders), and starts the program
// there with these arguments, as a shell would. Each file is packed as packed_text does: raw deflate, then base64url
// without padding. The text has no "<" in it, so that nothing in it ends the element.
//
// A page that is made for a frame may also have "told_as", a name. Then it tells the page around the frame what it
// shows, at first and after each change: a message {headlight: name, session: text}, where the text is the session
// file.
//
// The check sum, of all arguments, then each name and its packed file, a line feed behind each, tells a page that was
// damaged on its way. The page says so, as it does for a document of a later version, and starts without it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

struct PageDocument {
  std::string title;  ///< of the page; if it is empty, the page keeps the one that it has
  std::vector<std::string> arguments;
  std::map<std::string, std::string> files;  ///< bytes, by names
};

/// The most bytes that all files of a document may have together: a browser keeps them in memory.
inline constexpr std::size_t most_document_bytes = std::size_t{256} << 20;

/// The page with the document in its place, instead of what was there, and with its title. Throws InputError, which
/// names `source`, if the page does not have that place exactly once.
std::string with_document(std::string page, const PageDocument& document, const std::string& source);

}  // namespace headlight
