// `headlight keys`
#pragma once

namespace headlight {

/// A table of the keys of a setup on standard output. Returns the exit code.
int list_keys();

}  // namespace headlight
