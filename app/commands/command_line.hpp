// The command line: reads the arguments, runs the command, and turns what is thrown into a message and an exit code.
#pragma once

namespace headlight {

/// Exit codes: 0 done, 1 a check failed, 2 bad input, 3 the machine cannot.
int run_command_line(int argc, char** argv);

}  // namespace headlight
