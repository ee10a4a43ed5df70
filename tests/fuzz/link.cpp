// Links: whatever somebody follows is read as far as it goes, and a setup that is accepted makes the same link again.
#include "app/session/snapshot/shared_link.hpp"

#include "core/setup/validity.hpp"
#include "tests/fuzz/target.hpp"

namespace headlight::fuzz {
void judge(std::string_view bytes) {
  const std::string text(bytes);
  const FollowedLink followed = follow_link(text);
  for (const Problem& problem : followed.left_out)
    require(!problem.found.empty() && !problem.allowed.empty(), "what is left out is said");
  SharedLink link;
  try {
    link = read_link(text);
  } catch (const InputError& error) {
    require_told(error, "the link");
    return;
  }
  require(followed.left_out.empty(), "nothing is left out of a link that is accepted");
  require(link.setup || !link.lecture.empty(), "a link that is accepted leads somewhere");
  if (link.setup) require(problems(*link.setup).empty(), "a setup that is accepted is valid");
  try {
    require(read_link(to_text(link)).setup == link.setup, "a link is read again as it was written");
  } catch (const InputError& error) {
    require_told(error, "the link");  // it has grown too long
  }
}

}  // namespace headlight::fuzz
