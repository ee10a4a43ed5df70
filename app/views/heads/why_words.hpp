// Why a word looks at another one, in words: how much it gives, and what was measured of the head that gives it.
#pragma once

#include <string>

#include "core/model/cell.hpp"

namespace headlight {

class Session;

/// "In head 1, too gives 78% of its attention to tired."
struct WhyWords {
  std::string before = {};      ///< "In head 1,", or "Random numbers: in head 1,"
  std::string from = {};        ///< the query's word
  std::string share = {};       ///< "78%"
  std::string to = {};          ///< the key's word, or "itself"
  std::string about_head = {};  ///< what the head does in this text, as far as it is measured
  std::string exception = {};   ///< and the word of which that is least true; may be empty

  std::string sentence() const;
};

/// `weight` is a cell of the weights of the shown trace, which has tokens.
WhyWords why_words(const Session& session, const Cell& weight);

/// The dot product behind a share of attention, which is a sum of products; the share itself where there is none, or
/// where a mask hides it.
Cell sum_behind(const Session& session, const Cell& weight);

/// A token as a reader writes it, "·" before the parts of a word but its first; its place where it has none.
std::string word_at(const Session& session, bool of_key, Index index);

}  // namespace headlight
