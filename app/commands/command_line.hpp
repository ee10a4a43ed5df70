// The command line: reads the arguments, runs the command, and turns what is thrown into a message and an exit code.
#pragma once

namespace headlight {

/// Runs the command line. Returns the exit code: 0 done, 1 a check failed, 2 bad input, 3 the machine cannot do it.
int run_command_line(int argc, char** argv);

}  // namespace headlight
