// What the window's export makes of a job, and what the command makes that the window shows for it: the same.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "../core/setups.hpp"
#include "../core/temporary_folder.hpp"
#include "app/commands/command_line.hpp"
#include "app/platform/pictures/png.hpp"
#include "app/session/checking.hpp"
#include "app/session/export/export_job.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "core/formats/files.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "tests/effort.hpp"

using namespace headlight;
using headlight::testing::is_long_run;
using headlight::testing::small_setup;
using headlight::testing::TemporaryFolder;

namespace {

int run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "headlight");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  return run_command_line(static_cast<int>(pointers.size()), pointers.data());
}

class Choosing {
 public:
  explicit Choosing(unsigned seed) : random_(seed) {}

  Index below(Index count) { return std::uniform_int_distribution<Index>(0, count - 1)(random_); }
  bool flip() { return below(2) == 0; }
  template <class Value>
  Value one_of(std::initializer_list<Value> values) {
    return *(values.begin() + below(static_cast<Index>(values.size())));
  }

  ExportChoices choices() {
    ExportChoices choices;
    choices.what =
        one_of({ExportWhat::window, ExportWhat::view, ExportWhat::heatmap, ExportWhat::heads, ExportWhat::equation,
                ExportWhat::tokens, ExportWhat::explanation, ExportWhat::play, ExportWhat::numbers, ExportWhat::numbers,
                ExportWhat::script, ExportWhat::setup, ExportWhat::lecture, ExportWhat::animation});
    choices.forms[static_cast<std::size_t>(choices.what)] =
        static_cast<std::size_t>(below(static_cast<Index>(forms_of(choices.what).size())));
    choices.animated = one_of({ExportWhat::heatmap, ExportWhat::heads, ExportWhat::equation});
    choices.frames = one_of<std::string>({"heads", "temperature=0.5..2/2"});
    choices.size = one_of({ExportSize::own, ExportSize::pixels, ExportSize::centimetres});
    const double least = one_of({64.0, 320.0});
    choices.pixels = {least + 10 * static_cast<double>(below(9)), least + 10 * static_cast<double>(below(9))};
    choices.dpi = one_of({90.0, 2400.0});
    choices.centimetres = {945 / choices.dpi, 900 / choices.dpi};
    choices.scale = static_cast<double>(1 + below(2));
    choices.theme = flip() ? ThemeName::light : ThemeName::dark;
    choices.transparent = flip();
    choices.digits = 1 + below(9);
    choices.played = one_of<std::string>({"temperature=0.5..2", "W_q[2,5]"});
    choices.measure = one_of({Measure::cell, Measure::entropy, Measure::largest});
    return export_choices_of(toml_of(choices));
  }

  Display display() {
    Display display;
    display.view = one_of({View::pipeline, View::heads, View::tokens, View::compare});
    display.heads.order = one_of({HeadOrder::index, HeadOrder::entropy, HeadOrder::peak});
    if (flip()) display.heads.hidden = {below(2)};
    display.tokens = {0.01 * static_cast<double>(below(30)), flip()};
    display.appearance.setup_folded = flip();
    display.appearance.inspector_width = 300 + static_cast<double>(below(60));
    display.heatmap(TensorId::weights) = {.colour_map = one_of({ColourMap::automatic, ColourMap::magma}),
                                          .range = one_of({RangeKind::automatic, RangeKind::min_max, RangeKind::top}),
                                          .per_head = flip()};
    display.heatmap(TensorId::scores) = {.range = RangeKind::fixed, .low = -1.5, .high = 2.25, .mean = flip()};
    return display;
  }

  /// Lets the session show something else.
  void change(Session& session) {
    Setup setup = session.setup();
    setup.attention.temperature = one_of({0.5, 1.0, 3.0});
    setup.mask.kinds.clear();
    if (flip()) setup.mask.kinds.push_back(MaskKind::causal);
    REQUIRE(session.edit(setup).empty());
    if (flip()) Checking(session).set_reference();
    setup.attention.temperature = one_of({0.25, 1.0, 2.0});
    REQUIRE(session.edit(setup).empty());
    session.set_display(display());
    Selecting(session).select({});  // a command can only name another cell by pinning it
    Selecting(session).select_tensor(one_of({TensorId::weights, TensorId::scores, TensorId::X, TensorId::W_q}));
    Selecting(session).select_head(below(2));
    Selecting(session).release();
    if (flip()) Selecting(session).pin(Cell{TensorId::context, {0, below(2), below(3), below(4)}});
  }

 private:
  std::mt19937 random_;
};

/// What must be the same: of a PNG its pixels and its setup. It also says where the person was, which a command says
/// only as far as it shows in the picture.
std::string content(const std::filesystem::path& file) {
  if (file.extension() != ".png") return read_bytes(file, 1 << 30);
  const Image picture = read_png(file);
  std::string all = std::to_string(picture.width) + "x" + std::to_string(picture.height) + "\n";
  all += read_png_text(file).at("Setup");
  return all.append(picture.rgba.begin(), picture.rgba.end());
}

void compare(const TemporaryFolder& folder, const ExportJob& job, const std::vector<std::string>& what) {
  const auto exported = folder / ("job" + std::string(job.choices.form().ending));
  const auto commanded = folder / ("command" + std::string(job.choices.form().ending));
  write_file(folder / "job.toml", to_text(job));
  const auto command = command_of(job, what, commanded);
  CAPTURE(as_typed(command));
  REQUIRE(run({"run-export", (folder / "job.toml").string(), "-o", exported.string()}) == 0);
  REQUIRE(run(command) == 0);
  CHECK_MESSAGE((content(exported) == content(commanded)), "they differ");
}

}  // namespace

TEST_CASE("random exports are what their commands make") {
  const TemporaryFolder folder;
  Setup setup = small_setup();
  setup.sizes.heads = 2;
  write_file(folder / "mine.toml", write_setup(setup));
  // A page is the app for browsers with a document inside. Any page with a place for one will do.
  std::filesystem::create_directories(folder / "headlight");
  write_file(folder / "headlight/headlight.html",
             R"(<script type="application/json" id="headlight-document"></script>)");
  ::setenv("XDG_DATA_HOME", folder.path().c_str(), 1);
  const NamedSources sources{.setup_file = NamedSources::File{folder / "mine.toml", setup}, .lectures = {}};
  Session session(setup);
  Choosing choosing(1);
  for (int i = 0; i < (is_long_run() ? 200 : 60); ++i) {
    CAPTURE(i);
    choosing.change(session);
    const ZoomRanges zoom{std::nullopt, choosing.flip() ? std::optional(CellRange{1, 3.5}) : std::nullopt, {}};
    const ExportJob job =
        export_job(session, choosing.choices(), shown_part(session), {{800, 600}, choosing.one_of({1.0, 1.25})}, zoom);
    compare(folder, job, what_arguments(session, sources));
  }
}

TEST_CASE("a job reads back from its text") {
  Session session(small_setup());
  Choosing choosing(2);
  for (int i = 0; i < 50; ++i) {
    choosing.change(session);
    const ExportJob job = export_job(session, choosing.choices(), "weights[0,1]", {{801.5, 600}, 1.25},
                                     {CellRange{0, 2}, std::nullopt, CellRange{1.25, 3}});
    CHECK(parse_export_job(to_text(job), "job.toml") == job);
  }
  CHECK_THROWS_WITH_AS(parse_export_job("[choices]\n", "job.toml"), doctest::Contains("job.toml"), InputError);
}
