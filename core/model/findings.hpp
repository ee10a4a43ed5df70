// Collects what is wrong with a setup, at no cost where nothing is.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/model/problem.hpp"

namespace headlight {

/// Problems under one source name.
class Findings {
 public:
  explicit Findings(std::string source) : source_(std::move(source)) {}

  template <class Key, class Found, class Allowed>
  void add(const Key& key, const Found& found, const Allowed& allowed) {
    problems_.push_back({source_, fmt::format("{}", key), fmt::format("{}", found), fmt::format("{}", allowed)});
  }
  /// Every edit is checked, and nearly all of it holds: literals cost nothing, and what must be put together is given
  /// as functions, which are called for problems only.
  template <class Key, class Found, class Allowed>
  void require(bool holds, const Key& key, const Found& found, const Allowed& allowed) {
    if (!holds) add(said(key), said(found), said(allowed));
  }
  std::vector<Problem> take() { return std::move(problems_); }

 private:
  template <class Words>
  static decltype(auto) said(const Words& words) {
    if constexpr (std::is_invocable_v<Words>) return words();
    else return (words);
  }

  std::string source_;
  std::vector<Problem> problems_;
};

}  // namespace headlight
