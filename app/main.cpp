#include "app/commands/command_line.hpp"

int main(int argc, char** argv) { return headlight::run_command_line(argc, argv); }
