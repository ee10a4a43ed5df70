// The sizes of paper that a handout can be made for.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace headlight {

enum class Paper : std::uint8_t { a4, letter };

struct PaperInfo {
  Paper paper = Paper::a4;
  std::string_view name;   ///< for --paper and in settings
  std::string_view title;  ///< in the dialog, and in CSS
  double width = 0;        ///< centimetres
  double height = 0;
};
inline constexpr std::array all_papers{PaperInfo{Paper::a4, "a4", "A4", 21, 29.7},
                                       PaperInfo{Paper::letter, "letter", "Letter", 21.59, 27.94}};

constexpr const PaperInfo& info(Paper paper) { return all_papers[static_cast<std::size_t>(paper)]; }

/// The paper with this name; nullopt if there is none.
constexpr std::optional<Paper> paper_named(std::string_view name) {
  for (const PaperInfo& each : all_papers)
    if (each.name == name) return each.paper;
  return std::nullopt;
}

}  // namespace headlight
