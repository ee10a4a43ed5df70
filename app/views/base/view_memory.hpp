// What views remember between frames that is neither undone nor saved: an open list, a half-typed text, a zoom.
// Anything that should survive a restart belongs to the session instead.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace headlight {

/// One value of each type that a view asks for, made when it is first asked for. A view declares what it remembers in
/// its own folder, so nothing here knows the views.
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

  /// What is remembered of a card or a menu while it is open; nullopt while it is closed.
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
  /// Its address stands for the type.
  template <class Value>
  static constexpr char type = 0;

  template <class Value>
  Value& value_of() const {
    for (const auto& [key, box] : boxes_)
      if (key == &type<Value>) return static_cast<BoxOf<Value>&>(*box).value;
    boxes_.emplace_back(&type<Value>, std::make_unique<BoxOf<Value>>());
    return static_cast<BoxOf<Value>&>(*boxes_.back().second).value;
  }

  /// Some twenty, so a search from the front is quick. Reading a value for the first time makes it: it is as it is
  /// where nobody has written to it.
  mutable std::vector<std::pair<const char*, std::unique_ptr<Box>>> boxes_;
};

}  // namespace headlight
