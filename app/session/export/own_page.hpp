// Everything that a page of your own needs to show the same as a session.
#pragma once

#include <filesystem>
#include <optional>

#include "app/session/session.hpp"
#include "core/formats/page_document.hpp"

namespace headlight {

/// The session's lecture, setup or model, at its step, view and cell. With it go the files that it is made of:
///
///   - `lecture_file`, if the open lecture is not one of the program's own, and the arrays beside it that it names;
///   - the files of the open model;
///   - the arrays that the setup takes from other files.
///
/// It is named after the lecture or the setup; what has no title has no name here.
///
/// Throws InputError if a file cannot be read, or if they are larger than most_document_bytes together.
PageDocument own_page_of(const Session& session, const std::optional<std::filesystem::path>& lecture_file);

}  // namespace headlight
