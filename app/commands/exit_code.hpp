// The exit codes of the program.
#pragma once

namespace headlight {

/// Commands return `done` or `check_failed`. The other two come from exceptions: InputError gives `bad_input`,
/// MachineError and anything else `machine_cannot`. README.md documents the numbers.
enum ExitCode : int { done = 0, check_failed = 1, bad_input = 2, machine_cannot = 3 };

}  // namespace headlight
