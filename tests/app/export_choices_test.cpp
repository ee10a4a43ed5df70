#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "app/session/checking.hpp"
#include "app/session/export/export_job.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"

using namespace headlight;

namespace {

Session small() {
  Setup setup;
  setup.random.draws = {SeedDraw{0}, *parse_draw("X uniform"), *parse_draw("W_q uniform"), *parse_draw("W_k uniform")};
  Session session(setup);
  Selecting(session).select_tensor(TensorId::weights);
  Selecting(session).select_head(1);
  return session;
}

const WindowSize window_size{{1600, 1000}, 1.25};
const ZoomRanges zoom{std::nullopt, CellRange{2, 3.5}, std::nullopt};
const std::vector<std::string> what_is_shown{"--setup", "mine.toml"};

ExportJob job_for(const ExportChoices& choices, const Session& session) {
  return export_job(session, choices, "weights[0,1]", window_size, zoom);
}

std::string command(const ExportChoices& choices, const Session& session) {
  return as_typed(command_of(job_for(choices, session), what_is_shown, "f.png"));
}

ExportChoices choosing(ExportWhat what_, std::size_t form = 0) {
  ExportChoices choices;
  choices.what = what_;
  choices.forms[static_cast<std::size_t>(what_)] = form;
  return choices;
}

}  // namespace

TEST_CASE("choices become the command that a person would type") {
  Session session = small();
  ExportChoices heatmap = choosing(ExportWhat::heatmap);
  CHECK(command(heatmap, session) ==
        "headlight render --setup mine.toml --tensor weights --head 1 --figure heatmap --theme light -o f.png");
  heatmap.size = ExportSize::centimetres;
  heatmap.scale = 2;
  heatmap.transparent = true;
  heatmap.theme = ThemeName::dark;
  CHECK(command(heatmap, session) ==
        "headlight render --setup mine.toml --tensor weights --head 1 --figure heatmap --size 12cmx9cm --dpi 300 "
        "--scale 2 --theme dark --transparent -o f.png");
  Selecting(session).pin(Cell{TensorId::scores, {0, 1, 2, 3}});
  ExportChoices window = choosing(ExportWhat::window);
  window.size = ExportSize::pixels;
  CHECK(command(window, session) ==
        "headlight render --setup mine.toml --view pipeline --cell 'scores[0,1,2,3]' "
        "--zoom rows=2..3.5 --figure window --size 1440x900 --theme light -o f.png");
  window.size = ExportSize::own;
  CHECK(command(window, session).find("--size 1600x1000 --scale 1.25 ") != std::string::npos);
  window.scale = 4;
  CHECK(command(window, session).find("--size 5120x3200 --scale 4 ") != std::string::npos);
  CHECK(command(choosing(ExportWhat::numbers, 3), session) ==
        "headlight export --setup mine.toml --tensor 'weights[0,1]' --as md --digits 4 -o f.png");
  CHECK(command(choosing(ExportWhat::numbers), session) == "headlight export --setup mine.toml --as npz -o f.png");
  CHECK(command(choosing(ExportWhat::script, 1), session) == "headlight export --setup mine.toml --as torch -o f.png");
  CHECK(command(choosing(ExportWhat::animation), session)
            .ends_with("--figure heatmap --frames temperature=0.25..4/16 --seconds 0.5 --theme light -o f.png"));
}

TEST_CASE("the learning curve is drawn, or written as the numbers behind it") {
  const Session session = small();
  CHECK(command(choosing(ExportWhat::curve), session).ends_with("--figure curve --theme light -o f.png"));
  CHECK(command(choosing(ExportWhat::curve, 3), session) == "headlight export --setup mine.toml --as curve -o f.png");
  CHECK_FALSE(why_not(ExportWhat::curve, session).empty());
  CHECK_FALSE(why_not(ExportWhat::handout, session).empty());
  for (const ExportWhat what_ : {ExportWhat::heatmap, ExportWhat::numbers, ExportWhat::animation})
    CHECK(why_not(what_, session).empty());
}

TEST_CASE("a number over a number is named in the command") {
  const Session session = small();
  ExportChoices choices = choosing(ExportWhat::play);
  choices.played = "attention.temperature=0.1..10";
  choices.measure = Measure::entropy;
  CHECK(command(choices, session)
            .ends_with("--figure play --play attention.temperature=0.1..10 --watch entropy "
                       "--theme light -o f.png"));
}

TEST_CASE("a size has the lengths that its command takes") {
  ExportChoices choices = choosing(ExportWhat::heatmap);
  choices.size = ExportSize::pixels;
  choices.pixels = {64, 64};
  choices.centimetres = {100, 40};
  const auto with = [&](std::string_view name, const ControlInput& input) {
    const auto entry = std::ranges::find(export_entries(), name, &Entry<ExportChoices>::name);
    choices = entry->with(choices, input).owner.value();
  };
  with("what", "window");
  CHECK(choices.pixels == std::array{320.0, 320.0});
  with("size", "centimetres");
  CHECK(choices.centimetres == std::array{69.35, 27.74});
  with("dpi", 2400.0);
  CHECK(choices.centimetres == std::array{8.66, 3.46});
  choices.centimetres = {0.1, 90};
  CHECK(export_choices_of(toml_of(choices)).centimetres == std::array{0.34, 8.66});
}

TEST_CASE("a preview has no more pixels than can be seen") {
  Session session = small();
  ExportChoices choices = choosing(ExportWhat::heads);
  choices.size = ExportSize::pixels;
  choices.pixels = {8000, 4000};
  const auto previewed = [&] {
    return as_typed(command_of(preview_of(job_for(choices, session)), what_is_shown, "p.png"));
  };
  CHECK(previewed().find("--size 1600x800 ") != std::string::npos);
  choices.pixels = {700, 500};
  CHECK(previewed().find("--size 700x500 ") != std::string::npos);
  choices.what = ExportWhat::window;
  choices.pixels = {3000, 2000};
  CHECK(previewed().find("--size 3000x2000 ") != std::string::npos);
}

TEST_CASE("the command says what the screen shows") {
  Session session = small();
  Display display = session.display();
  display.view = View::compare;
  display.heatmap(TensorId::weights).range = RangeKind::min_max;
  display.heads.hidden = {1};
  display.appearance.setup_folded = true;
  session.set_display(display);
  Checking(session).set_reference();
  Setup next = session.setup();
  next.attention.temperature = 2;
  session.edit(next);
  const std::string shown = command(choosing(ExportWhat::window), session);
  for (const char* words : {"--view compare", "--was attention.temperature=1.0", "--show hidden_heads=1",
                            "--show weights.range=min_max", "--show setup_folded=true", "--zoom rows=2..3.5"})
    CHECK(shown.find(words) != std::string::npos);
  const std::string heatmap = command(choosing(ExportWhat::heatmap), session);
  CHECK(heatmap.find("--show weights.range=min_max") != std::string::npos);
  for (const char* words : {"--was", "--zoom", "setup_folded"}) CHECK(heatmap.find(words) == std::string::npos);
}

TEST_CASE("a setup that nobody named has no command, and one that was changed says how") {
  Session session = small();
  CHECK(what_arguments(session, {}).empty());
  const Setup saved = session.setup();
  CHECK(what_arguments(session, {.setup_file = NamedSources::File{"/a/b.toml", saved}, .lectures = {}}) ==
        std::vector<std::string>{"--setup", "/a/b.toml"});
  Setup next = saved;
  next.mask.kinds = {MaskKind::causal};
  session.edit(next);
  CHECK(what_arguments(session, {.setup_file = NamedSources::File{"/a/b.toml", saved}, .lectures = {}}) ==
        std::vector<std::string>{"--setup", "/a/b.toml", "--set", "mask.kinds=[\"causal\"]"});
}

TEST_CASE("the part is the matrix that is shown") {
  Session session = small();
  CHECK(shown_part(session) == "weights[0,1]");
  Selecting(session).select_tensor(TensorId::X);
  CHECK(shown_part(session) == "X[0]");
  Selecting(session).select_tensor(TensorId::W_q);
  CHECK(shown_part(session) == "W_q");
}

TEST_CASE("a shell reads a typed command as its arguments") {
  CHECK(as_typed(std::vector<std::string>{"a b", "it's", "", "$x", "plain-1.png"}) ==
        "headlight 'a b' 'it'\\''s' '' '$x' plain-1.png");
}

TEST_CASE("the table of forms says of each how it is written, once") {
  std::set<std::string_view> named;
  std::set<std::pair<FormKind, std::string_view>> drawn;
  for (const ExportForm& form : all_forms()) {
    CAPTURE(form.name);
    CHECK(std::ranges::count(forms_of(form.kind), form.name, &ExportForm::name) == 1);
    for (const std::string_view words : {form.name, form.title, form.words}) CHECK_FALSE(words.empty());
    CHECK(form.ending.starts_with('.'));
    CHECK(form.drawn() ==
          (form.kind == FormKind::picture || form.kind == FormKind::handout || form.kind == FormKind::animation));
    CHECK((form_named(form.name) == &form) != form.drawn());
    // Pictures and animations are chosen by the file ending alone, so each ending must be unique.
    if (form.drawn()) CHECK(drawn.insert({form.kind, form.ending}).second);
    else CHECK(named.insert(form.name).second);
  }
  CHECK(endings_of(FormKind::picture) == ".png, .svg or .pdf");
}

TEST_CASE("a form replaces an ending of another form, and no other") {
  const ExportForm& png = forms_of(FormKind::picture).front();
  const ExportForm& csv = *form_named("csv");
  CHECK(with_ending("/a/run-0.5", png) == "/a/run-0.5.png");
  CHECK(with_ending("/a/run-0.5.svg", png) == "/a/run-0.5.png");
  CHECK(with_ending("/a/run-0.5.png", png) == "/a/run-0.5.png");
  CHECK(with_ending("v1.2/run.toml", csv) == "v1.2/run.csv");
  CHECK(with_ending("run", csv) == "run.csv");
}

TEST_CASE("every kind has a form, and a form that is gone is its last") {
  for (const ExportWhat kind : all_exports) {
    CHECK_FALSE(forms_of(kind).empty());
    CHECK(choosing(kind, 99).form().name == forms_of(kind).back().name);
    CHECK_FALSE(title_of(kind).empty());
  }
}

TEST_CASE("a handout is the lecture's own, whatever was set") {
  const Session session = small();
  const std::vector<std::string> lecture{"--lecture", "masks", "--step", "3", "--set", "x=1", "--lectures", "own"};
  ExportChoices choices = choosing(ExportWhat::handout);
  CHECK(choices.form().ending == ".html");
  CHECK(as_typed(command_of(job_for(choices, session), lecture, "f.html")) ==
        "headlight handout --lecture masks --lectures own --paper a4 -o f.html");
  choices.paper = Paper::letter;
  choices.notes = true;
  CHECK(as_typed(command_of(job_for(choices, session), lecture, "f.html")) ==
        "headlight handout --lecture masks --lectures own --paper letter --notes -o f.html");
}
