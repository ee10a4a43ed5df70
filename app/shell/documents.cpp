#include "app/shell/documents.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "app/lectures/library.hpp"
#include "app/machine.hpp"
#include "app/platform/pictures/png.hpp"
#include "app/session/checking.hpp"
#include "app/session/files/known_problems.hpp"
#include "app/session/lecture_writing.hpp"
#include "app/session/lesson.hpp"
#include "app/session/snapshot/shared_link.hpp"
#include "app/shell/user_folders.hpp"
#include "core/formats/arrays/array_file.hpp"
#include "core/formats/files.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/trained/encoder_numbers.hpp"

namespace headlight {
namespace {

using Lectures = std::vector<std::shared_ptr<const Lecture>>;

void add_problems(std::vector<Problem>& all, const std::vector<Problem>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// Adds the lecture that `read` returns, or replaces the one with the same id. What `read` throws is added to
/// `problems`.
void add_lecture(Lectures& lectures, std::vector<Problem>& problems, const std::function<Lecture()>& read) {
  try {
    auto lecture = std::make_shared<const Lecture>(read());
    const auto same =
        std::find_if(lectures.begin(), lectures.end(), [&](const auto& l) { return l->id == lecture->id; });
    if (same == lectures.end()) lectures.push_back(std::move(lecture));
    else *same = std::move(lecture);
  } catch (const InputError& error) {
    add_problems(problems, error.problems());
  }
}

/// The id of the open lecture; empty if none is open.
std::string lecture_id(const Session& session) {
  return session.lesson().lecture() == nullptr ? std::string{} : session.lesson().lecture()->id;
}

}  // namespace

void require_done(std::vector<Problem> problems, const std::string& source) {
  if (problems.empty()) return;
  for (Problem& problem : problems)
    if (problem.source.empty()) problem.source = source;
  throw InputError(std::move(problems));
}

Documents::Documents(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) { watch_again(); }

std::vector<Problem> Documents::load_lectures(Session& session) {
  Lectures lectures;
  std::vector<Problem> problems;
  const LectureLibrary library(folder_);
  const bool lacks_layer = sentence_encoder::arrival() == sentence_encoder::Arrival::failed;
  const auto listed = [&](const std::string& id) {
    Lecture lecture = library.listed(id);
    if (lacks_layer && lecture.is_outline()) lecture.in_short = "Not in this file: open headlight-trained.html";
    return lecture;
  };
  for (const std::string& id : library.ids()) add_lecture(lectures, problems, [&] { return listed(id); });
  for (const auto& file : lecture_files_)
    add_lecture(lectures, problems, [&] { return read_lecture(file, lecture_views()); });
  std::ranges::stable_sort(lectures, {}, [](const auto& lecture) { return lecture->list_position; });
  add_problems(problems, Lesson(session).set_lectures(std::move(lectures)));
  return problems;
}

bool Documents::complete_outlines(Session& session) {
  using sentence_encoder::Arrival;
  const auto is_outline = [](const auto& lecture) { return lecture->is_outline(); };
  Lectures lectures = session.lectures();
  if (sentence_encoder::arrival() != Arrival::here || std::ranges::none_of(lectures, is_outline)) return false;
  const LectureLibrary library(folder_);
  for (auto& lecture : lectures)
    if (is_outline(lecture)) lecture = std::make_shared<const Lecture>(library.lecture(lecture->id));
  require_done(Lesson(session).set_lectures(std::move(lectures)));
  return true;
}

void Documents::require_whole(Session& session, const std::string& lecture) {
  const auto found = std::ranges::find(session.lectures(), lecture, [](const auto& each) { return each->id; });
  if (found == session.lectures().end() || !(*found)->is_outline()) return;
  sentence_encoder::numbers();  // fetches them
  complete_outlines(session);
}

void Documents::open(Session& session, const std::filesystem::path& file) {
  if (is_link(file)) open_link(session, file);
  else if (file.extension() == ".toml") open_setup(session, file);
  else if (file.extension() == ".md") open_lecture(session, file);
  else if (names_picture(file)) open_picture(session, file);
  else {
    refuse_pickle(file);
    throw InputError(
        {file.string(), "", file.extension().empty() ? "a name without an ending" : file.extension().string(),
         "a setup (.toml), a lecture (.md), a picture (.png) that Headlight drew, arrays or a model (.npz, "
         ".safetensors), or a link"});
  }
  watch_again();
}

void Documents::open_setup(Session& session, const std::filesystem::path& file) {
  const Setup setup = read_setup(file);
  require_done(session.open_setup(setup), file.string());
  opened_ = {file, setup, session.start()};
}

void Documents::open_lecture(Session& session, const std::filesystem::path& file) {
  const Lecture lecture = read_lecture(file, lecture_views());
  require_done(Lesson(session).open(lecture), file.string());
  if (std::find(lecture_files_.begin(), lecture_files_.end(), file) == lecture_files_.end())
    lecture_files_.push_back(file);
  load_lectures(session);
}

void Documents::open_picture(Session& session, const std::filesystem::path& file) {
  const Snapshot snapshot = snapshot_in_picture(file);
  require_fits(*snapshot.setup, default_memory_limit, file.string());
  require_whole(session, snapshot.lecture);
  require_done(go_to(session, snapshot), file.string());
  if (!snapshot.work.file.empty()) work_ = snapshot.work.file;
}

void Documents::open_link(Session& session, const std::filesystem::path& file) {
  FollowedLink followed = follow_link(file.string());
  require_whole(session, followed.link.lecture);
  if (const std::string left_out = go_near(session, std::move(followed)); !left_out.empty()) session.notify(left_out);
}

void Documents::resume(Session& session, const Snapshot& snapshot) {
  const auto with_file = [&](const std::string& file, const std::function<void()>& read) {
    if (file.empty()) return;
    try {
      read();
    } catch (const InputError& error) {
      session.notify(error.problems().front().message());
    }
  };
  with_file(snapshot.lecture_file, [&] {
    if (LectureLibrary(folder_).file(snapshot.lecture) == snapshot.lecture_file) return;
    read_lecture(snapshot.lecture_file, lecture_views());
    lecture_files_.emplace_back(snapshot.lecture_file);
    load_lectures(session);
  });
  with_file(snapshot.lecture, [&] { require_whole(session, snapshot.lecture); });
  restore(session, snapshot);
  // Without folders, what was saved has gone to the person.
  if (machine().has_folders || is_file(snapshot.setup_file))
    with_file(snapshot.setup_file,
              [&] { opened_ = {snapshot.setup_file, read_setup(snapshot.setup_file), session.start()}; });
  if (!snapshot.work.file.empty()) work_ = snapshot.work.file;
  watch_again();
}

bool Documents::is_about(const Session& session) const { return opened_ && opened_->start == session.start(); }

std::optional<Documents::SetupFile> Documents::setup_file(const Session& session) const {
  if (!is_about(session)) return std::nullopt;
  return SetupFile{opened_->path, session.wanted() != opened_->setup, opened_->setup};
}

std::optional<std::filesystem::path> Documents::lecture_file(const Session& session) const {
  const std::string id = lecture_id(session);
  const auto opened = std::find_if(lecture_files_.begin(), lecture_files_.end(),
                                   [&](const std::filesystem::path& file) { return id_in_name(file) == id; });
  return opened != lecture_files_.end() ? *opened : LectureLibrary(folder_).file(id);
}

void Documents::check(Session& session, const std::filesystem::path& file) {
  CheckedWork work = session.state().checking.work();
  work.shown = true;
  work.file = file;
  try {
    HandedIn given = handed_in(file);  // before the work is moved: it stays where this throws
    work = with_arrays(std::move(work), std::move(given));
  } catch (const InputError& error) {
    work.problems = as_known(error.problems());
  }
  Checking(session).set_work(std::move(work));
  work_ = file;
  watch_again();
}

void Documents::save_setup(const Session& session, const std::filesystem::path& file) {
  const std::filesystem::path folder = machine().has_folders ? folder_of(file) : std::filesystem::path();
  write_file(file, as_known(write_setup(session.wanted(), folder)));
  opened_ = {file, session.wanted(), session.start()};
  watch_again();
}

void Documents::start_lecture(Session& session, const std::filesystem::path& file) {
  write_file(file, lecture_start(session, folder_of(file)));
  open(session, file);
}

void Documents::add_step(Session& session, const std::filesystem::path& file) {
  write_file(file, with_shown_step(session, read_text(file), file));
  require_done(load_lectures(session), file.string());
  watch_again();
  Lesson(session).go_to(session.lesson().lecture()->steps.size() - 1);
}

bool Documents::reload(Session& session) {
  if (complete_outlines(session)) return true;
  const auto changed = watch_.poll();
  if (changed.empty()) return false;
  std::vector<Problem> problems;
  const auto is_work = [&](const std::filesystem::path& path) { return path == work_; };
  if (!std::ranges::all_of(changed, is_work)) problems = load_lectures(session);
  if (is_about(session) && std::find(changed.begin(), changed.end(), opened_->path) != changed.end()) {
    opened_->setup = read_setup(opened_->path);
    add_problems(problems, session.edit(opened_->setup));
  }
  const CheckedWork& work = session.state().checking.work();
  const bool follows = work_ && work.follows && work.file == *work_;  // the user may have forgotten it since
  if (follows && std::find(changed.begin(), changed.end(), *work_) != changed.end()) check(session, *work_);
  watch_again();
  require_done(std::move(problems));
  return true;
}

void Documents::watch_again() {
  std::vector<std::filesystem::path> paths = lecture_files_;
  if (opened_) paths.push_back(opened_->path);
  if (work_) paths.push_back(*work_);
  if (folder_) {
    paths.push_back(*folder_);  // a folder's time changes when a lecture is added or removed
    for (const auto& file : headlight::lecture_files(*folder_)) paths.push_back(file);
  }
  watch_ = FileWatch(paths);
}

std::filesystem::path keep_picture(const Session& session, const Image& picture, const std::filesystem::path& folder,
                                   std::time_t now) {
  make_folder(folder);
  const auto path = free_name(folder, now, ".png");
  write_png(path, picture, picture_notes(session));
  return path;
}

bool names_picture(const std::filesystem::path& path) { return ending_of(path) == ".png"; }

Snapshot snapshot_in_picture(const std::filesystem::path& path) {
  return remembered_by(read_png_text(path), path.string(), folder_of(path));
}

}  // namespace headlight
