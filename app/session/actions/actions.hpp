// All actions that take one key press or click, in one table (action_table.cpp). Menus, buttons, the palette, keys and
// tests find actions in it by id, keys, typed letters or target, and run them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/keys.hpp"
#include "app/machine.hpp"
#include "app/session/actions/target.hpp"
#include "app/session/session.hpp"

namespace headlight {

/// The parts of a context menu from top to bottom, divided by lines.
enum class MenuPart : std::uint8_t { explain, change, copy, pin, hide, export_as, compare };

/// The context menus that an action is in, and what it does to their target.
struct InMenus {
  TargetKinds of = {};  ///< none: it is in no context menu
  MenuPart part = MenuPart::explain;
  bool (*fits)(const Session&, const Target&) = nullptr;  ///< null: it fits while the action is enabled
  void (*run)(Session&, const Target&) = nullptr;         ///< null: it runs the action
};

/// What is particular about an action, by name.
struct ActionFacts {
  bool presenting = false;  ///< its keys count only while presenting, and take precedence over those of other actions
  /// What quick keys are taken together for; what moves is also repeated while its key is held down.
  KeyEffect effect = KeyEffect::anything;
  bool embedded = false;       ///< its keys count in an embedded figure, too: those of others are the page's around it
  bool changes_layer = false;  ///< in a lesson, none of its keys is a letter alone
  bool (*possible)(const Machine&) = nullptr;  ///< whether the machine can do it; null: every machine can
  std::optional<View> in = {};                 ///< its keys count only in this view, and take precedence there
  InMenus menus = {};
  std::string (*detail)(const Session&) = nullptr;  ///< what it would do now: "Temperature 1.00 → 2.00"
};

struct Action {
  std::string id;             ///< "edit.undo"; buttons, hints and tests name it
  std::string title;          ///< "Undo": the text in menus, tooltips and the palette
  std::string_view group;     ///< "Edit": heading of the menu and of the list of keys
  std::vector<Chord> chords;  ///< key combinations; menus show the first
  /// The table gives lambdas as functions, +[](Session& s) {...}: to compile a std::function of each took half of its
  /// time.
  std::function<bool(const Session&)> enabled;
  std::function<void(Session&)> run;
  ActionFacts facts = {};

  /// The title with the detail, if there is any: "Undo: Temperature 1.00 → 2.00".
  std::string title_now(const Session& session) const;

  /// The key combination that menus and tooltips show; empty if the action has none.
  std::string keys() const { return chords.empty() ? std::string() : to_string(chords.front()); }
};

/// All actions, in the order of menus and of the list of keys, sorted by group.
std::span<const Action> actions();

/// The action with this id; null if there is none.
const Action* action_named(std::string_view id);
/// The action of a key combination, while presenting or not, in a view; null if it has none.
const Action* action_for(const Chord& chord, bool presenting = false, std::optional<View> view = {});
/// The key combinations that count in the window as it is. In a lesson no letter alone changes the layer, and once
/// nothing is asked, Enter does what the large button does, whatever has the focus.
std::vector<Chord> chords_now(const Action& action, const Session& session);
/// The first of them in words; empty if there is none.
std::string keys_now(const Action& action, const Session& session);
/// The action that a key combination has now; null if it has none.
const Action* action_now(const Chord& chord, const Session& session);
/// Runs the action if it is enabled. Returns whether it did.
bool run(const Action& action, Session& session);
/// The same for the target of a context menu.
bool run(const Action& action, Session& session, const Target& target);

/// The entries of a target's context menu from top to bottom: the actions that apply to it now.
std::vector<const Action*> menu_of(const Session& session, const Target& target);

}  // namespace headlight
