// Writing a text with the session's model, and how it is written.
#pragma once

#include <cstdint>
#include <string_view>

#include "app/session/state/draft.hpp"

namespace headlight {

class Session;

/// Each change of the draft is a step of undo.
class Drafting {
 public:
  explicit Drafting(Session& session) : session_(session) {}

  /// Changes with the same gesture are undone together.
  void set(const Draft& draft, std::string_view gesture = {});
  /// Without a step of undo, for what was written earlier.
  void restore(const Draft& draft);
  /// Writes a symbol after the draft, if there is room. Symbol 0, the line break, ends it.
  void write(std::int64_t symbol, std::string_view gesture = {});
  /// Takes the last symbol back that was written.
  void take_back();
  /// Another text from the prompt on, with the next seed.
  void begin_another();
  /// So many more symbols are to be written, as the die chooses them: the view that computes their chances writes them.
  void owe(Index symbols);
  /// Makes the draft the text that the task shows, so that every view explains it. What the model has learnt stays as
  /// it is; undo returns to its training.
  void explain();

 private:
  Session& session_;
};

/// The draft's symbols under the shown setup, of which the model must be able to write.
DraftSymbols drafted(const Session& session);

/// Whether the view Write shows a model that can write.
bool writes(const Session& session);

}  // namespace headlight
