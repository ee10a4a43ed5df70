// The views' state between frames that is neither undone nor saved: an open list, a half-typed text, a zoom. State that
// should survive a restart belongs to the session.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace headlight {

/// One value of each type that a view asks for, created at the first request. A view declares its types in its own
/// folder, so this class does not depend on the views.
class ViewMemory {
 public:
  /// The value of this type, the same one in every frame.
  template <class Value>
  Value& get() {
    return value_of<Value>();
  }
  template <class Value>
  const Value& get() const {
    return value_of<Value>();
  }

  /// The state of a card or a menu while it is open; nullopt while it is closed.
  template <class Card>
  std::optional<Card>& opened() {
    return get<std::optional<Card>>();
  }
  template <class Card>
  const std::optional<Card>& opened() const {
    return get<std::optional<Card>>();
  }

 private:
  struct Box {
    virtual ~Box() = default;
  };
  template <class Value>
  struct BoxOf : Box {
    Value value{};
  };
  /// Its address identifies the type.
  template <class Value>
  static constexpr char type = 0;

  template <class Value>
  Value& value_of() const {
    for (const auto& [key, box] : boxes_)
      if (key == &type<Value>) return static_cast<BoxOf<Value>&>(*box).value;
    boxes_.emplace_back(&type<Value>, std::make_unique<BoxOf<Value>>());
    return static_cast<BoxOf<Value>&>(*boxes_.back().second).value;
  }

  /// About twenty, so a linear search is quick. Mutable because reading a value for the first time creates it.
  mutable std::vector<std::pair<const char*, std::unique_ptr<Box>>> boxes_;
};

}  // namespace headlight
