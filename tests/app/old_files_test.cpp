// Settings and session files as earlier versions wrote them.
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

#include "app/session/settings/settings.hpp"
#include "app/session/snapshot/snapshot.hpp"

using namespace headlight;

namespace {

/// A file with this text, removed at the end.
class File {
 public:
  explicit File(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / ("headlight-old-" + std::to_string(::getpid()) + ".toml")) {
    std::ofstream(path_) << text;
  }
  ~File() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

Settings settings_in(const std::string& text) {
  const File file(text);
  const auto loaded = load_settings(file.path());
  CHECK(loaded.message.empty());
  return loaded.value;
}

Snapshot session_in(const std::string& text) {
  const File file(text);
  const auto loaded = load_session(file.path());
  CHECK(loaded.message.empty());
  return loaded.value;
}

std::string form_of(const Settings& settings, ExportWhat what) {
  ExportChoices choices = settings.export_choices;
  choices.what = what;
  return std::string(choices.form().name);
}

const std::string setup_of_two_heads = R"(version = 1
title = "two heads"

[sizes]
heads = 2
d_model = 8
)";

}  // namespace

TEST_CASE("settings of the first versions load") {
  const Settings settings = settings_in(R"(hint_seen = true
inspector_folded = false
recent_files = [ '/home/me/a.toml', "/home/me/it's.toml" ]
scale = 1.5
setup_folded = true
theme = 'light'
)");
  CHECK(settings.appearance.theme == ThemeName::light);
  CHECK(settings.appearance.scale == 1.5);
  CHECK(settings.appearance.setup_folded);
  CHECK(settings.hint_seen);
  CHECK(settings.recent_files == std::vector<std::string>{"/home/me/a.toml", "/home/me/it's.toml"});
  CHECK(settings.export_choices == ExportChoices{});
}

TEST_CASE("settings with panels and motion load, with widths as whole numbers too") {
  const Settings settings = settings_in(R"(hint_seen = false
inspector_width = 412.5
recent_files = []
reduce_motion = true
scale = 2
setup_width = 300
theme = 'dark'
)");
  CHECK(settings.appearance ==
        Appearance{.scale = 2, .setup_width = 300, .inspector_width = 412.5, .reduce_motion = true});
}

TEST_CASE("settings with all choices of an export load") {
  const Settings settings = settings_in(R"(hint_seen = true
inspector_folded = false
inspector_width = 340.0
recent_files = []
reduce_motion = false
scale = 1.0
setup_folded = false
setup_width = 280.0
theme = 'dark'

[export]
animated = 'equation'
centimetres = [ 8.5, 6.0 ]
digits = 7
dpi = 600.0
folder = '/home/me/Pictures'
frames = 'seed=0..9'
notes = true
paper = 'letter'
pixels = [ 800.0, 600.0 ]
played = 'W_q[2,5]'
scale = 3
seconds = 0.25
size = 'centimetres'
theme = 'dark'
transparent = true
watched = 'largest'
what = 'animation'

[export.forms]
animation = 'gif'
curve = 'curve'
equation = 'svg'
explanation = 'png'
handout = 'html'
heads = 'pdf'
heatmap = 'png'
lecture = 'lecture'
numbers = 'md'
play = 'png'
script = 'torch'
setup = 'setup'
tokens = 'png'
view = 'png'
window = 'png'
)");
  ExportChoices expected{.what = ExportWhat::animation,
                         .size = ExportSize::centimetres,
                         .pixels = {800, 600},
                         .centimetres = {8.5, 6},
                         .dpi = 600,
                         .scale = 3,
                         .theme = ThemeName::dark,
                         .transparent = true,
                         .digits = 7,
                         .animated = ExportWhat::equation,
                         .frames = "seed=0..9",
                         .seconds = 0.25,
                         .played = "W_q[2,5]",
                         .measure = Measure::largest,
                         .paper = Paper::letter,
                         .notes = true};
  expected.forms = settings.export_choices.forms;
  CHECK(settings.export_choices == expected);
  CHECK(form_of(settings, ExportWhat::equation) == "svg");
  CHECK(form_of(settings, ExportWhat::heads) == "pdf");
  CHECK(form_of(settings, ExportWhat::numbers) == "md");
  CHECK(form_of(settings, ExportWhat::script) == "torch");
  CHECK(form_of(settings, ExportWhat::curve) == "curve");
  CHECK(settings.export_folder == "/home/me/Pictures");
}

TEST_CASE("settings that name forms which are gone load") {
  const Settings settings = settings_in(R"([export]
animated = 'numbers'
what = 'handout'

[export.forms]
animation = 'apng'
handout = 'pdf'
)");
  CHECK(settings.export_choices.what == ExportWhat::handout);
  CHECK(settings.export_choices.animated == ExportWhat::heatmap);  // numbers are no picture
  CHECK(form_of(settings, ExportWhat::handout) == "html");
  CHECK(form_of(settings, ExportWhat::animation) == "gif");
}

TEST_CASE("settings of a later version load as far as they are known") {
  const Settings settings = settings_in(R"(theme = 'sepia'
scale = 'huge'
reduce_motion = true
when = 2030-01-01

[export]
dpi = -5.0
pixels = [ 800.0 ]
scale = 12
size = 'inches'
what = 'hologram'
)");
  CHECK(settings.appearance == Appearance{.reduce_motion = true});
  CHECK(settings.export_choices == ExportChoices{});
}

TEST_CASE("sessions of the first versions load") {
  const Snapshot session = session_in(R"(batch = 0
cell = 'scores[0,1,2,0]'
head = 1
lecture = 'udl-12-2'
pinned = true
step = 3
view = 'heads'
)");
  Snapshot expected;
  expected.lecture = "udl-12-2";
  expected.step = 3;
  expected.cell = "scores[0,1,2,0]";
  expected.head = 1;
  expected.pinned = true;
  expected.display.view = View::heads;
  CHECK(session == expected);
}

TEST_CASE("sessions with a setup of their own and a reference load") {
  const Snapshot session =
      session_in("cell = 'weights[0,0,1,1]'\nlecture = ''\nsetup = '''\n" + setup_of_two_heads +
                 "'''\nsetup_file = '/home/me/two.toml'\nreference = '''\n" + setup_of_two_heads + "'''\n");
  REQUIRE(session.setup.has_value());
  CHECK(session.setup->title == "two heads");
  CHECK(session.setup->sizes.d_model == 8);
  CHECK(session.reference == session.setup);
  CHECK(session.setup_file == "/home/me/two.toml");
}

TEST_CASE("sessions with everything about the display load") {
  const Snapshot session = session_in(R"(batch = 1
cell = 'X[0,1,2]'
colours = [ 'weights.range=min_max', 'scores.colour_map=magma' ]
full_screen = false
head = 0
head_order = 'peak'
hidden_heads = [ 1, 3 ]
lecture = ''
painting = true
pinned = false
pointer_circle = true
presenting = true
projector = true
selected_head_only = false
step = 0
threshold = 0.25
view = 'tokens'
words_folded = true
)");
  const Display& display = session.display;
  CHECK(display.view == View::tokens);
  CHECK(display.heads == HeadsOptions{HeadOrder::peak, {1, 3}});
  CHECK(display.tokens == TokensOptions{0.25, false});
  CHECK(display.presentation.presenting);
  CHECK(display.presentation.pointer_circle);
  CHECK_FALSE(display.presentation.full_screen);
  CHECK(display.projector());
  CHECK(display.painting);
  CHECK(display.words == WordsFold::folded);
  CHECK(display.heatmap(TensorId::weights).range == RangeKind::min_max);
  CHECK(display.heatmap(TensorId::scores).colour_map == ColourMap::magma);
  CHECK(session.batch == 1);
}

TEST_CASE("sessions from before full screen was kept present in full screen") {
  const Snapshot session = session_in("presenting = true\nview = 'gone'\ncolours = [ 'weights.range=gone' ]\n");
  CHECK(session.display.presentation.full_screen);
  CHECK(session.display.view == View::pipeline);
  CHECK(session.display.heatmaps == Display{}.heatmaps);
}

TEST_CASE("sessions keep the colours that this version knows") {
  const Snapshot session = session_in(R"([colours.gone]
mean = true

[colours.scores]
mean = true

[colours.weights]
colour_map = 'gone'
range = 'min_max'
)");
  Display expected;
  expected.heatmap(TensorId::scores).mean = true;
  expected.heatmap(TensorId::weights).range = RangeKind::min_max;
  CHECK(session.display.heatmaps == expected.heatmaps);
}

TEST_CASE("sessions with answers and checked work load") {
  const Snapshot session = session_in(R"(lecture = 'masks'
lecture_file = '/home/me/masks.md'
step = 2

[[answers]]
guess = 2.0
hint = true
shown = false
step = 1

[[answers]]
hint = false
shown = true
step = 2

[work]
atol = 1e-06
file = '/home/me/mine.npz'
follows = true
ours = [ 'weights' ]
rtol = 0.001
shown = true
theirs = [ 'att' ]
)");
  REQUIRE(session.answers.size() == 2);
  CHECK(session.answers.at(1) == AnswerState{2.0, true, false});
  CHECK(session.answers.at(2) == AnswerState{std::nullopt, false, true});
  CHECK(session.lecture_file == "/home/me/masks.md");
  CHECK(session.work.file == "/home/me/mine.npz");
  CHECK(session.work.tolerance.absolute == 1e-6);
  CHECK(session.work.tolerance.relative == 1e-3);
  CHECK(session.work.follows);
  CHECK(session.work.names == std::vector<std::pair<std::string, std::string>>{{"att", "weights"}});
}
