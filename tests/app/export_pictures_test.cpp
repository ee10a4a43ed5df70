// Golden pictures of the export dialog, whose previews the program draws, and of the card that asks for a path.
#include <doctest/doctest.h>

#include "app/views/base/last_export.hpp"
#include "app/views/overlays/path_card.hpp"
#include "at_dialog.hpp"
#include "golden.hpp"

using namespace headlight;
using namespace headlight::testing;

TEST_CASE("every page of the dialog, and the card that asks for a path, look as when they were found good") {
  struct Page {
    const char* picture;
    ExportWhat what;
    std::size_t form = 0;
    ThemeName theme = ThemeName::dark;
    double scale = 1;
  };
  constexpr Page pages[] = {{"export-picture", ExportWhat::heatmap},
                            {"export-picture-light", ExportWhat::explanation, 1, ThemeName::light},
                            {"export-numbers", ExportWhat::numbers, 3},
                            {"export-animation", ExportWhat::animation, 0, ThemeName::light},
                            {"export-low", ExportWhat::animation, 1, ThemeName::dark, 2}};
  const TemporaryFolder folder("export pages");
  for (const Page& page : pages) {
    CAPTURE(page.picture);
    AtDialog person(folder.path());
    person.session().set_timed(false);
    Display display = person.session().display();
    display.appearance.theme = page.theme;
    display.appearance.scale = page.scale;
    person.session().set_display(display);
    // A long path that does not depend on the machine.
    choose(person.dialog(), page.what, page.form,
           "/home/a-person/Documents/Lectures/Winter/Attention/weights-of-head-1.png");
    if (page.what == ExportWhat::numbers) person.dialog().part = "weights[0,1]";  // the step asks about the other head
    person.wait_for_preview();
    person.surface.settle();
    expect_picture(person.picture_below_top_bar(), page.picture);
  }
}

TEST_CASE("the card that asks for a path looks as when it was found good") {
  const TemporaryFolder folder("path card");
  const std::string at = "/home/a-person/Documents/Lectures/Winter semester/Attention and what it attends to/";
  for (const PathPurpose purpose : {PathPurpose::open, PathPurpose::save_setup}) {
    AtDialog person(folder.path());
    person.session().set_timed(false);
    person.press(Key::escape);
    ViewMemory& memory = person.app.memory();
    memory.get<FilesMemory>().recent = {at + "two-heads-causal.toml", "/home/a-person/notes.md"};
    PathPrompt prompt;
    prompt.purpose = purpose;
    prompt.text = at;
    prompt.home = "/home/a-person";
    prompt.shortcuts = {{"Home", "/home/a-person"}, {"Downloads", "/home/a-person/Downloads"}, {"Winter semester", at}};
    prompt.entries = {
        {"figures", true}, {"lecture.md", false}, {"a-setup-with-a-very-long-name-that-says-all-of-it.toml", false}};
    if (purpose == PathPurpose::save_setup) prompt.asked_to_replace = (prompt.text += "lecture.toml");
    prompt.listed = prompt.text;
    memory.opened<PathPrompt>() = prompt;
    expect_picture(person.picture_below_top_bar(), purpose == PathPurpose::open ? "path-open" : "path-save");
  }
}
