#include "app/session/lecture_writing.hpp"

#include "app/session/session.hpp"
#include "app/view_table.hpp"
#include "core/formats/files.hpp"
#include "core/formats/lecture/lecture_file.hpp"

namespace headlight {
namespace {

/// The view's name in a step. A view of two states has none, because `compare` opens it.
std::string_view view_word(const Session& session) {
  const ViewInfo& view = info(session.display().view);
  return view.of_two_states || view.of_model || view.of_step ? std::string_view{} : view.word;
}

}  // namespace

std::string lecture_start(const Session& session, const std::filesystem::path& folder) {
  return write_lecture_start(session.setup(), session.cell(), view_word(session), folder);
}

std::string with_shown_step(const Session& session, const std::string& text, const std::filesystem::path& file) {
  const auto read = [&](const std::string& written) {
    return parse_lecture(written, file.string(), id_in_name(file), lecture_views(), folder_of(file));
  };
  const AddedStep added{.setup = session.setup(),
                        .look_at = session.cell(),
                        .part = session.lesson().part() ? std::string_view(session.lesson().part()->id) : "main",
                        .view = view_word(session),
                        .compare = info(session.display().view).of_two_states};
  std::string longer = with_step_added(text, read(text), added);
  read(longer);
  return longer;
}

}  // namespace headlight
