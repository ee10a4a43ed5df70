// What actions do with the thing that they are about. Keys pass what is shown, a context menu what it was opened on.
#pragma once

#include "app/session/actions/target.hpp"

namespace headlight {

/// Shows where a number comes from and where it goes; a head and a tensor in the pipeline, a token among the tokens.
void explain(Session& session, const Target& target);
void walk_upstream(Session& session, const Target& target);
void walk_downstream(Session& session, const Target& target);

/// Copy text to the clipboard: the number, its row, its matrix for a spreadsheet or as a table, the token's word.
void copy_number(Session& session, const Target& target);
void copy_row(Session& session, const Target& target);
void copy_matrix(Session& session, const Target& target);
void copy_as_markdown(Session& session, const Target& target);
void copy_as_latex(Session& session, const Target& target);
void copy_word(Session& session, const Target& target);

/// Pins the target's cell; if it is pinned already, lets it go.
void pin_or_release(Session& session, const Target& target);

void toggle_head(Session& session, const Target& target);
/// Takes the target's head away, or brings it back.
void toggle_ablated(Session& session, const Target& target);
/// Shows what the target's head asks for (W_qk), or what it writes (W_vo).
void show_asking(Session& session, const Target& target);
void show_writing(Session& session, const Target& target);
/// Hides the cell's key from its query in the painted mask, or shows it again; or the key from every query.
void toggle_blocked_cell(Session& session, const Target& target);
void toggle_blocked_key(Session& session, const Target& target);

/// Puts the target's number on the stage.
void play_with(Session& session, const Target& target);

/// Opens the export dialog with what suits the target.
void take_away(Session& session, const Target& target);
void compare_with_reference(Session& session, const Target& target);

// --- What they need --------------------------------------------------------------------------------------------------

/// Whether the target's cell has a query and a key.
bool is_on_a_query_and_key(const Session& session, const Target& target);
/// Whether the target names a key: a token that is one, or a cell that has one.
bool names_a_key(const Session& session, const Target& target);
/// Whether it is a number of an input, a weight or a bias.
bool is_a_drawn_number(const Session& session, const Target& target);
/// Whether it lies in one of several heads.
bool is_in_a_head(const Session& session, const Target& target);
/// Whether it lies in a head.
bool has_a_head(const Session& session, const Target& target);
bool has_reference(const Session& session, const Target& target);

}  // namespace headlight
