// How a command ends.
#pragma once

namespace headlight {

/// Bad input is thrown as InputError, what the machine cannot do as MachineError; both become codes at the edge.
enum ExitCode : int { done = 0, check_failed = 1, bad_input = 2, machine_cannot = 3 };

}  // namespace headlight
