// Collects the problems of a setup; a setup without problems costs nothing.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/model/problem.hpp"

namespace headlight {

/// The list of problems, all with the same source name.
class Findings {
 public:
  explicit Findings(std::string source) : source_(std::move(source)) {}

  template <class Key, class Found, class Allowed>
  void add(const Key& key, const Found& found, const Allowed& allowed) {
    problems_.push_back({source_, fmt::format("{}", key), fmt::format("{}", found), fmt::format("{}", allowed)});
  }
  /// Adds a problem if `holds` is false. Every edit is checked, and nearly all checks hold. So pass a function for a
  /// text that must be put together: it is called only for a problem.
  template <class Key, class Found, class Allowed>
  void require(bool holds, const Key& key, const Found& found, const Allowed& allowed) {
    if (!holds) add(text_of(key), text_of(found), text_of(allowed));
  }
  std::vector<Problem> take() { return std::move(problems_); }

 private:
  template <class Words>
  static decltype(auto) text_of(const Words& words) {
    if constexpr (std::is_invocable_v<Words>) return words();
    else return (words);
  }

  std::string source_;
  std::vector<Problem> problems_;
};

}  // namespace headlight
