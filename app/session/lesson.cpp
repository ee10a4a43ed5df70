#include "app/session/lesson.hpp"

#include <algorithm>
#include <utility>

#include "app/session/checking.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/session/trainer.hpp"
#include "core/formats/setup/setup_overrides.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/table.hpp"
#include "core/text/numbers.hpp"

namespace headlight {

// --- Opening ---------------------------------------------------------------------------------------------------------

namespace {

/// Why a lecture cannot be opened; empty if it can.
std::vector<Problem> problems_of(const Lecture& lecture) {
  if (lecture.parts.empty() || lecture.steps.empty())
    return {{lecture.id, "steps", "none", "at least one step and one part"}};
  for (const Part& part : lecture.parts)
    if (auto found = refusals(part.setup, default_memory_limit); !found.empty()) return found;
  for (const Step& step : lecture.steps)
    if (step.changed_setup)
      if (auto found = refusals(*step.changed_setup, default_memory_limit); !found.empty()) return found;
  return {};
}

}  // namespace

std::vector<Problem> Lesson::set_lectures(std::vector<std::shared_ptr<const Lecture>> lectures) {
  session_.lectures_ = std::move(lectures);
  ++session_.revision_;
  const LessonState& lesson = session_.lesson();
  if (lesson.lecture() == nullptr) return {};
  const auto same_id = [&](const auto& candidate) { return candidate->id == lesson.lecture()->id; };
  const auto found = std::ranges::find_if(session_.lectures_, same_id);
  if (found == session_.lectures_.end() || found->get() == lesson.lecture()) return {};
  return replace(std::shared_ptr(*found));
}

/// Replaces the open lecture by its new version from disk. Also in the history, so that undo finds the new version.
std::vector<Problem> Lesson::replace(const std::shared_ptr<const Lecture>& lecture) {
  if (auto found = problems_of(*lecture); !found.empty()) return found;
  const auto old = session_.lesson().at;
  const auto entering = session_.changes().empty() ? Entering::fresh : Entering::keeping_edits;
  if (auto found = enter(step_of(lecture, old.index), entering); !found.empty()) return found;
  session_.history_.replace_lecture(old.lecture, session_.wanted_step().lecture);
  return {};
}

std::vector<Problem> Lesson::open(std::string_view id, std::size_t step) {
  const auto& lectures = session_.lectures();
  const auto found = std::ranges::find_if(lectures, [&](const auto& lecture) { return lecture->id == id; });
  if (found != lectures.end()) return open(std::shared_ptr(*found), step);
  std::string ids;
  for (const auto& lecture : lectures) ids += (ids.empty() ? "" : ", ") + lecture->id;
  return {{"", "lecture", std::string(id), ids}};
}

std::vector<Problem> Lesson::open(const Lecture& lecture, std::size_t step) {
  return open(std::make_shared<const Lecture>(lecture), step);
}

std::vector<Problem> Lesson::open(const std::shared_ptr<const Lecture>& lecture, std::size_t step) {
  if (lecture->is_outline()) {
    session_.request(
        WithTrainedLayer{[id = lecture->id, step](Session& later) { return Lesson(later).open(id, step); }});
    return {};
  }
  // What is known of a lecture's facts stays true when it is opened again.
  if (const auto& open = session_.lesson().at.lecture; open && open->lecture == lecture && open->facts)
    return enter(moved_to(std::make_shared<OpenLecture>(*open), {nullptr, step}), Entering::opening);
  if (auto found = problems_of(*lecture); !found.empty()) return found;
  return enter(step_of(lecture, step), Entering::opening);
}

std::vector<Problem> Lesson::begin(std::string_view id) {
  const auto& lectures = session_.lectures();
  const auto found = std::ranges::find_if(lectures, [&](const auto& lecture) { return lecture->id == id; });
  if (found == lectures.end()) return open(id);
  const SessionState& state = session_.state();
  const std::size_t step = step_to_go_on_at(**found, *state.marks);
  const LectureProgress progress = progress_in(**found, *state.marks);
  std::vector<ReviewItem> items;
  if (!progress.begun() && !progress.done()) items = questions_before(**found, lectures, *state.marks, *state.reviews);
  if (items.empty()) return open(id, step);
  session_.change([&](SessionState& changed) { changed.review = Review{std::move(items), 0, false, std::string(id)}; });
  open_reviewed();
  return {};
}

const Review* review_of(const Session& session) {
  const auto& review = session.state().review;
  const auto is_it = [&](const LectureStep& at) {
    return at.lecture && at.lecture->lecture->id == review->item().lecture && at.index == review->item().step;
  };
  return review && (is_it(session.lesson().at) || is_it(session.wanted_step())) ? &*review : nullptr;
}

/// Opens the present question, or the next that can be opened.
void Lesson::open_reviewed() {
  const Review review = *session_.state().review;
  if (!open(review.item().lecture, review.item().step).empty()) go_on_in_review();
}

void Lesson::go_on_in_review() {
  const Review& review = *session_.state().review;
  if (review.at + 1 >= review.items.size()) return skip_review();
  session_.change([](SessionState& state) {
    ++state.review->at;
    state.review->noted = false;
  });
  open_reviewed();
}

void Lesson::skip_review() {
  const std::string lecture = session_.state().review->lecture;
  session_.change([](SessionState& state) { state.review.reset(); });
  open(lecture);
}

void Lesson::restart() {
  if (session_.lesson().lecture() == nullptr) return;
  session_.change([](SessionState& state) {
    state.lesson.answers.clear();
    LectureMarks marks = *state.marks;
    marks.erase(state.lesson.lecture()->id);
    state.marks = std::make_shared<const LectureMarks>(std::move(marks));
  });
  enter({session_.lesson().at.lecture, 0}, Entering::fresh);
}

namespace {

/// The setup, asked about the layer of the step's cell.
Setup in_layer_of(const Step& step, const Setup& setup) {
  return seen_at(setup, std::min(step.look_at.layer, setup.sizes.layers - 1));
}

}  // namespace

std::vector<Problem> Lesson::enter(const LectureStep& step, Entering entering) {
  session_.stop_playing();
  const Setup target =
      entering == Entering::keeping_edits ? session_.wanted() : in_layer_of(*step.step(), *step.setup());
  if (auto found = session_.go_to(target, Session::at_step(step)); !found.empty()) return found;
  if (entering == Entering::opening) session_.begin_start(nullptr);
  if (entering == Entering::fresh) session_.forget_draft();
  session_.history_.remember(session_.entry());
  return {};
}

void Lesson::close() {
  session_.end_gesture();
  if (session_.pending_ && session_.pending_->destination) session_.stop_computing();
  session_.change([](SessionState& state) { state.lesson = {}; });
  session_.set_display(session_.display());  // the picture of its step goes with it
  if (session_.pending_) session_.pending_->changes.clear();
  session_.history_.remember(session_.entry());
}

// --- Steps -----------------------------------------------------------------------------------------------------------

void Lesson::go_to(std::size_t target) {
  const LessonState& lesson = session_.lesson();
  if (target >= lesson.step_count()) return;
  Trainer(session_).set_playing(false);
  session_.end_gesture();
  const bool changes_step = target != lesson.at.index;
  const auto destination = Session::at_step({lesson.at.lecture, target});
  const auto elsewhere = [&] { return !in_same_setup(session_.wanted_step(), destination.step); };
  const auto& pending = session_.pending_;
  if (elsewhere() && pending && pending->destination) session_.stop_computing();
  Setup setup = elsewhere() ? *destination.step.setup() : session_.wanted();
  if (!elsewhere() && target != lesson.at.index && answer_is_set()) setup = lesson.experiment->before;
  // A task is judged by its own numbers.
  if (changes_step && destination.step.step()->practice) setup = *destination.step.setup();
  setup = in_layer_of(*destination.step.step(), setup);
  const bool edit_goes_on = pending && !pending->destination && setup == session_.wanted();
  if (edit_goes_on && setup.layer == session_.setup().layer &&
      session_.needs_no_more(session_.task_for(session_.setup(), destination)))
    session_.show(session_.shown(), destination);
  else if (!session_.go_to(setup, destination).empty()) return;
  if (changes_step) session_.forget_draft();
  session_.history_.remember(session_.entry());
}

bool can_step(const Session& session, int direction) {
  if (review_of(session) != nullptr) return direction > 0;
  const LessonState& lesson = session.lesson();
  const std::size_t index = lesson.at.index;
  if (lesson.lecture() != nullptr) return direction < 0 ? index > 0 : index + 1 < lesson.step_count();
  const TensorId tensor = session.selection().tensor;
  return (direction < 0 ? previous_tensor(tensor, session.setup()) : next_tensor(tensor, session.setup())) != tensor;
}

const Lecture* lecture_beside(const Session& session, int direction) {
  const auto& all = session.lectures();
  if (all.empty()) return nullptr;
  if (session.lesson().lecture() == nullptr) return all.front().get();
  const auto here =
      std::find_if(all.begin(), all.end(), [&](const auto& l) { return l->id == session.lesson().lecture()->id; });
  if (here == all.end()) return all.front().get();
  if (direction < 0) return here == all.begin() ? nullptr : std::prev(here)->get();
  return std::next(here) == all.end() ? nullptr : std::next(here)->get();
}

void Lesson::step_by(int direction) {
  if (!can_step(session_, direction)) return;
  if (review_of(session_) != nullptr) return go_on_in_review();
  const LessonState& lesson = session_.lesson();
  const TensorId tensor = session_.selection().tensor;
  const Setup& setup = session_.setup();
  if (lesson.lecture() != nullptr) go_to(direction < 0 ? lesson.at.index - 1 : lesson.at.index + 1);
  else Selecting(session_).select_tensor(direction < 0 ? previous_tensor(tensor, setup) : next_tensor(tensor, setup));
}

void Lesson::set_playing(bool playing) {
  session_.seconds_on_step_ = 0;
  const bool waits = playing && session_.lesson().asks();
  if (waits) session_.notify("The question waits for an answer. The arrow goes on without one.");
  session_.change([&](SessionState& state) { state.lesson.playing = playing && !waits && can_step(session_, 1); });
}

void Lesson::advance(double seconds) {
  constexpr double seconds_per_step = 6;
  if (!session_.lesson().playing || session_.state_.computing) return;
  session_.seconds_on_step_ += seconds;
  if (session_.seconds_on_step_ < seconds_per_step) return;
  session_.seconds_on_step_ = 0;
  step_by(1);
  if (!can_step(session_, 1) || session_.lesson().asks()) set_playing(false);
}

// --- Marks -----------------------------------------------------------------------------------------------------------

void Lesson::pass_practice() {
  session_.change([](SessionState& state) {
    state.marks = with_mark(state.marks, state.lesson.lecture()->id, state.lesson.at.index, StepMark::passed);
  });
}

void Lesson::add_marks(const LectureMarks& earlier) {
  auto all = std::make_shared<const LectureMarks>(joined(earlier, *session_.state().marks));
  session_.change([&](SessionState& state) { state.marks = std::move(all); });
}

void Lesson::add_reviews(const Reviews& earlier) {
  auto all = std::make_shared<const Reviews>(joined(earlier, *session_.state().reviews));
  session_.change([&](SessionState& state) { state.reviews = std::move(all); });
}

// --- Questions -------------------------------------------------------------------------------------------------------

template <class Edit>
void Lesson::answer_with(Edit&& edit) {
  if (session_.lesson().asks())
    session_.change([&](SessionState& state) { edit(state.lesson.answers[state.lesson.at.index]); });
}

void Lesson::guess(std::optional<double> guess) {
  session_.change([&](SessionState& state) { state.lesson.guess(guess); });
}

/// Whether the guess is wrong, as far as that can be told before the answer shows.
bool Lesson::is_missed() const {
  const auto scope = scope_of_answer(session_.state());
  if (!scope) return false;
  const Question& question = *session_.lesson().question();
  try {
    return !is_right(question, *session_.lesson().answer_state().guess, answer_of(question, *scope));
  } catch (const InputError&) {
    return false;
  }
}

void Lesson::check_guess() {
  const LessonState& lesson = session_.lesson();
  if (!lesson.asks()) return;
  const AnswerState said = lesson.answer_state();
  if (!said.guess || said.missed) return show_answer();
  if (!lesson.question()->set.empty() && !compute_answer()) return show_answer();
  session_.when_shown([](Session& session) {
    Lesson asking(session);
    if (!session.lesson().asks()) return;
    if (!asking.is_missed()) return asking.show_answer();
    asking.answer_with([](AnswerState& state) {
      state.missed = std::exchange(state.guess, std::nullopt);
      state.hint = false;  // what is said about the guess takes its place, until it is asked for again
    });
  });
}

void Lesson::show_hint() {
  answer_with([](AnswerState& said) { said.hint = true; });
}

void Lesson::show_answer() {
  const LessonState& lesson = session_.lesson();
  if (!lesson.asks()) return;
  const auto& set = lesson.question()->set;
  if (!set.empty() && !experiment_with(set).empty()) return;
  session_.when_shown([](Session& session) {
    Lesson(session).answer_with([](AnswerState& said) { said.shown = true; });
    session.mark_step();
    session.look_at_answer();
  });
}

/// Whether the setup has the changes that the answer of the step's question makes.
bool Lesson::answer_is_set() const {
  const LessonState& lesson = session_.lesson();
  const Question* const question = lesson.question();
  return question != nullptr && !question->set.empty() && lesson.answer_state().shown && lesson.experiment &&
         session_.wanted() == lesson.experiment->after;
}

void Lesson::ask_again() {
  if (session_.lesson().question() == nullptr) return;
  if (answer_is_set()) session_.edit(Setup(session_.lesson().experiment->before));
  session_.change([](SessionState& state) { state.lesson.answers.erase(state.lesson.at.index); });
}

void Lesson::set_answers(std::map<std::size_t, AnswerState> answers) {
  session_.change([&](SessionState& state) {
    state.lesson.answers = std::move(answers);
    for (std::size_t step = 0; step < state.lesson.step_count(); ++step) state.lesson.hide_answer_that_sets(step);
  });
}

View wanted_view(const Session& session) {
  const LectureStep step = session.wanted_step();
  if (!step.lecture || step == session.lesson().at) return session.display().view;
  const Step& own = *step.step();
  if (own.compare || !own.mistake.empty()) return View::compare;
  return look_of_step(*step.lecture->lecture, step.index, session.wanted()).view;
}

std::optional<double> answer_of(const Session& session) {
  if (session.lesson().question() == nullptr) return std::nullopt;
  return session.step_words()->question->answer;
}

double choice_beside(const Session& session, double choice, Direction direction) {
  const Question& question = *session.lesson().question();
  const Setup& setup = session.setup();
  const auto choice_of = [&](const Cell& cell) -> std::optional<double> { return choice_at(question, cell, setup); };
  const std::vector<Cell> cells = cells_of(question, setup);
  const auto own = std::ranges::find_if(cells, [&](const Cell& cell) { return choice_of(cell) == choice; });
  if (own == cells.end()) return choice;
  // A part may leave out rows or columns.
  for (Selection at = at_cell(session.selection(), *own, setup), next = moved(at, direction, setup); next != at;
       at = std::exchange(next, moved(next, direction, setup)))
    if (const auto other = choice_of(cell_of(next, setup)); other && other != choice) return *other;
  return choice;
}

// --- Links and the user's changes ------------------------------------------------------------------------------------

namespace {

/// The files that the open lecture may read: those in its own folder after a click, none before.
ValueFiles files_of(const Session& session, ValueFiles::Access access) {
  const Lecture* const lecture = session.lesson().lecture();
  return {.folder = lecture ? lecture->folder : std::string(), .access = access};
}

}  // namespace

/// Changes settings for the lecture, and keeps the state before as A.
std::vector<Problem> Lesson::experiment_with(const std::vector<std::string>& assignments) {
  try {
    const Setup wanted = session_.wanted();
    const auto changed = [&](const Setup& setup) {
      const Setup next = with_overrides(setup, assignments, "set", files_of(session_, ValueFiles::Access::in_folder));
      return seen_at(next, std::min(setup.layer, next.sizes.layers - 1));  // still about the same layer
    };
    Setup after = changed(wanted);
    // If it is set already, as after a restart, the state before is the step's own.
    const LectureStep step = session_.wanted_step();
    const bool is_set_already = step.lecture && (after == wanted || changed(*step.setup()) == wanted);
    const Setup before = is_set_already ? *step.setup() : wanted;
    if (is_set_already) after = wanted;
    if (before == wanted) Checking(session_).set_reference();
    session_.end_gesture();
    session_.change([&](SessionState& state) {
      state.lesson.experiment = std::make_shared<const Experiment>(Experiment{before, after});
    });
    if (before == wanted) return session_.edit(after);
    const auto& pending = session_.pending_;
    auto destination = pending && pending->destination ? *pending->destination : Session::Destination{step};
    destination.reference = before;
    return session_.go_to(after, destination);
  } catch (const InputError& error) {
    return session_.refuse(error.problems());
  }
}

/// Computes the state that the answer sets, without showing it. False if it cannot be computed, or if another step is
/// about to show.
bool Lesson::compute_answer() {
  if (session_.pending_) return false;
  try {
    Session::Destination here{session_.lesson().at};
    here.answered = with_overrides(session_.wanted(), session_.lesson().question()->set, "set",
                                   files_of(session_, ValueFiles::Access::in_folder));
    return session_.go_to(session_.wanted(), here).empty();
  } catch (const InputError&) {
    return false;
  }
}

/// If a link's settings are set already, resets them.
std::vector<Problem> Lesson::follow_setting(const Link& link) {
  const auto& experiment = session_.lesson().experiment;
  if (is_set(session_, link)) {
    session_.end_gesture();
    if (experiment && session_.wanted() == experiment->after) return session_.edit(Setup(experiment->before));
    return reset();
  }
  auto problems = experiment_with(link.assignments());
  if (problems.empty() && link.kind == Link::Kind::compare) session_.show(View::compare);
  return problems;
}

std::vector<Problem> Lesson::follow(const Link& link) {
  switch (link.kind) {
    case Link::Kind::set:
    case Link::Kind::compare: return follow_setting(link);
    case Link::Kind::reset: return reset();
    case Link::Kind::open:
      if (const auto view = view_named(link.target)) session_.show(*view);
      return {};
    case Link::Kind::step:
      if (const auto number = number_from<std::size_t>(link.target)) go_to(*number - 1);
      return {};
    case Link::Kind::lecture: {
      const auto mark = std::min(link.target.find('#'), link.target.size());
      const auto number =
          number_from<std::size_t>(std::string_view(link.target).substr(std::min(mark + 1, link.target.size())));
      return open(link.target.substr(0, mark), number && *number > 0 ? *number - 1 : 0);
    }
    case Link::Kind::select:
      try {
        const auto tensor = tensor_named(link.target);
        if (tensor && exists(*tensor, session_.setup())) Selecting(session_).select_tensor(*tensor);
        else Selecting(session_).pin(parse_cell(link.target, session_.setup()));
      } catch (const InputError& error) {
        return session_.refuse(error.problems());
      }
      return {};
    case Link::Kind::page: break;
  }
  return {};
}

bool is_set(const Session& session, const Link& link) {
  if (!link.changes_settings()) return false;
  auto& known = session.set_links_;
  if (known.setup != session.wanted()) known = {session.wanted(), {}};
  if (const auto found = known.found.find(link.target); found != known.found.end()) return found->second;
  bool set = false;
  try {
    const ValueFiles files = files_of(session, ValueFiles::Access::known);
    const auto gives = [&](const Setup& setup) {
      return with_overrides(setup, link.assignments(), "set", files) == session.wanted();
    };
    // A link that adds a word would add another one: it is set where it was followed last.
    const auto& last = session.lesson().experiment;
    set = gives(session.wanted()) || (last && last->after == session.wanted() && gives(last->before));
  } catch (const InputError&) {
    // Settings that do not fit cannot be set.
  }
  return known.found[link.target] = set;
}

std::vector<Problem> Lesson::reset(std::string_view key) {
  const Setup* const own = session_.wanted_step().setup();
  if (own == nullptr) return {};
  session_.end_gesture();
  return session_.edit(set_back(*own, session_.wanted(), key));
}

namespace {

/// The step's setup with what the shown answer of its question has set; null if no such answer shows.
std::optional<Setup> answered_setup(const Session& session) {
  const LessonState& lesson = session.lesson();
  const Question* const question = lesson.question();
  const bool is_set = question != nullptr && !question->set.empty() && lesson.answer_state().shown;
  if (!is_set || session.wanted_step() != lesson.at) return std::nullopt;
  try {
    return with_overrides(*lesson.setup(), question->set, "set", files_of(session, ValueFiles::Access::known));
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<Problem> Lesson::reset() {
  const Setup* const own = session_.wanted_step().setup();
  if (own == nullptr) return {};
  session_.end_gesture();
  const std::optional<Setup> answered = answered_setup(session_);
  if (!answered) return session_.edit(Setup(*own));
  session_.change([&](SessionState& state) {
    state.lesson.experiment = std::make_shared<const Experiment>(Experiment{*own, *answered});
  });
  Session::Destination here{session_.wanted_step()};
  here.reference = *own;  // what was there before the answer
  return session_.go_to(*answered, here);
}

bool differs_from_step(const Session& session) {
  if (session.changes().empty()) return false;
  const std::optional<Setup> answered = answered_setup(session);
  return !answered || !changes(*answered, session.wanted()).empty();
}

Badge badge_of(const Session& session) {
  const LessonState& lesson = session.lesson();
  if (lesson.lecture() == nullptr || lesson.step()->changed_setup) return {};  // the printed numbers are about its part
  const bool differs = std::ranges::any_of(*lesson.changes, &Change::affects_numbers);
  return badge_of(*lesson.lecture(), lesson.at.index, *lesson.at.lecture->facts, differs ? lesson.changes->size() : 0);
}

bool points_at_answer(const Session& session) {
  const LessonState& lesson = session.lesson();
  if (!lesson.asks()) return false;
  const bool is_pointed_out = session.state().pinned || session.state().hovered.has_value();
  if (!is_pointed_out) return asks_for(*lesson.question(), session.cell(), session.setup());
  // Light would lead from a cell that is hidden to the one that is to be found.
  return lesson.question()->kind == Question::Kind::find && lesson.hides(session.cell(), session.setup());
}

// --- The matrix of a step -------------------------------------------------------------------------------------------

const MatrixChoices& matrix_choices(const Session& session) {
  static const MatrixChoices none;
  const Step* const step = session.lesson().step();
  // The step's own picture is its author's, whatever is selected in it.
  const bool shows_step =
      step != nullptr && (session.display().view == View::picture ||
                          made_alike(step->look_at.tensor, session.selection().tensor, session.setup()));
  return shows_step ? step->matrix : none;
}

const MatrixChoices& matrix_choices(const Session& session, TensorId shown) {
  static const MatrixChoices none;
  const Step* const step = session.lesson().step();
  const bool fits = step != nullptr && shown == step->look_at.tensor && exists(shown, session.setup()) &&
                    shape(shown, session.setup()) == shape(shown, *session.lesson().setup());
  return fits ? step->matrix : none;
}

// --- Lesson and workbench -------------------------------------------------------------------------------------------

bool in_lesson_mode(const Session& session) {
  const Lecture* const lecture = session.lesson().lecture();
  if (lecture == nullptr) return false;
  const WindowMode shown = session.display().mode;
  if (session.display().presentation.presenting || session.display().embedded != Embedded::none) return false;
  if (review_of(session) != nullptr) return true;
  if (shown == WindowMode::lesson || shown == WindowMode::workbench) return shown == WindowMode::lesson;
  const LectureModes& modes = *session.state().modes;
  const auto left = modes.find(lecture->id);
  return left != modes.end() ? left->second == WindowMode::lesson
                             : lecture->list_position.group == LectureGroup::course;
}

void Lesson::show_workbench(bool shown) {
  const Lecture* const lecture = session_.lesson().lecture();
  if (lecture == nullptr) return;
  LectureModes modes = *session_.state().modes;
  modes[lecture->id] = shown ? WindowMode::workbench : WindowMode::lesson;
  session_.change([&](SessionState& state) {
    state.modes = std::make_shared<const LectureModes>(std::move(modes));
    state.display.mode = WindowMode::automatic;
  });
}

void Lesson::add_modes(const LectureModes& earlier) {
  LectureModes all = *session_.state().modes;
  all.insert(earlier.begin(), earlier.end());
  session_.change([&](SessionState& state) { state.modes = std::make_shared<const LectureModes>(std::move(all)); });
}

// --- The words beside the picture ------------------------------------------------------------------------------------

bool words_folded(const Session& session) { return session.display().words == WordsFold::folded; }

void Lesson::fold_words(bool folded) {
  session_.change(
      [&](SessionState& state) { state.display.words = folded ? WordsFold::folded : WordsFold::automatic; });
}

}  // namespace headlight
