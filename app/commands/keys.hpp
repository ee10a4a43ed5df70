// `headlight keys`
#pragma once

namespace headlight {

/// Prints a table of the setup's keys: default, allowed values, and what each does. Returns the exit code.
int list_keys();

}  // namespace headlight
