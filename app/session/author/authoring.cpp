#include "app/session/author/authoring.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/view_table.hpp"
#include "core/formats/files.hpp"
#include "core/formats/lecture/lecture_file.hpp"

namespace headlight {
namespace {

constexpr std::size_t most_kept = 200;

Authoring in_range(Authoring authoring) {
  authoring.place = std::min(authoring.place, authoring.draft.steps.size());
  return authoring;
}

/// Exchanges the draft for the last one of `from`, and keeps it in `to`.
Authoring exchanged(Authoring authoring, std::vector<LectureDraft> Authoring::* from,
                    std::vector<LectureDraft> Authoring::* to) {
  if ((authoring.*from).empty()) return authoring;
  (authoring.*to).push_back(std::exchange(authoring.draft, std::move((authoring.*from).back())));
  (authoring.*from).pop_back();
  authoring.gesture.clear();
  return in_range(std::move(authoring));
}

}  // namespace

Authoring begun_writing(const std::filesystem::path& file, std::string_view text) {
  Authoring authoring;
  authoring.file = file;
  authoring.draft = authoring.saved = draft_of(text);
  return in_range(std::move(authoring));
}

Authoring with_draft(Authoring authoring, LectureDraft draft, std::string_view gesture) {
  if (draft == authoring.draft) return authoring;
  const bool goes_on = !gesture.empty() && gesture == authoring.gesture;
  if (!goes_on) authoring.before.push_back(std::move(authoring.draft));
  if (authoring.before.size() > most_kept) authoring.before.erase(authoring.before.begin());
  authoring.draft = std::move(draft);
  authoring.after.clear();
  authoring.gesture = gesture;
  return in_range(std::move(authoring));
}

Authoring with_text(Authoring authoring, std::size_t place, std::string text) {
  LectureDraft draft = authoring.draft;
  draft.at(place) = std::move(text);
  return with_draft(std::move(authoring), std::move(draft), fmt::format("type {}", place));
}

Authoring with_step(Authoring authoring, std::string step) {
  LectureDraft draft = authoring.draft;
  const std::size_t place = authoring.place;
  draft.steps.insert(draft.steps.begin() + static_cast<std::ptrdiff_t>(place), std::move(step));
  authoring = with_draft(std::move(authoring), std::move(draft));
  authoring.place = place + 1;
  return authoring;
}

Authoring without_step(Authoring authoring) {
  if (authoring.place == 0 || authoring.draft.steps.size() < 2) return authoring;
  LectureDraft draft = authoring.draft;
  draft.steps.erase(draft.steps.begin() + static_cast<std::ptrdiff_t>(authoring.place) - 1);
  return with_draft(std::move(authoring), std::move(draft));
}

Authoring with_step_moved(Authoring authoring, int direction) {
  const std::size_t from = authoring.place;
  const std::size_t to = direction < 0 ? from - 1 : from + 1;
  if (from == 0 || to == 0 || to > authoring.draft.steps.size()) return authoring;
  LectureDraft draft = authoring.draft;
  std::swap(draft.at(from), draft.at(to));
  authoring = with_draft(std::move(authoring), std::move(draft));
  authoring.place = to;
  return authoring;
}

Authoring undone(Authoring authoring) { return exchanged(std::move(authoring), &Authoring::before, &Authoring::after); }
Authoring redone(Authoring authoring) { return exchanged(std::move(authoring), &Authoring::after, &Authoring::before); }

Lecture lecture_of(const Authoring& authoring) {
  const std::string source = authoring.file.filename().string();
  for (std::size_t place = 1; place <= authoring.draft.steps.size(); ++place)
    if (title_of(authoring.draft.at(place)).empty())
      throw InputError({fmt::format("{}:{}", source, first_line(authoring.draft, place)), "",
                        "a step that does not begin with its title", "## Title"});
  return parse_lecture(text_of(authoring.draft), source, authoring.file.stem().string(), lecture_views(),
                       folder_of(authoring.file));
}

}  // namespace headlight
