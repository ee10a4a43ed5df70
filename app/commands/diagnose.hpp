// `headlight diagnose`
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/commands/what.hpp"
#include "core/diagnose/report.hpp"

namespace headlight {

struct DiagnoseArguments {
  std::filesystem::path mine;      ///< npz, npy, or a printout
  std::vector<std::string> names;  ///< "THEIRS=OURS"
  Tolerance tolerance;
  bool json = false;
};

/// Somebody's arrays against the trace, on standard output. Returns check_failed where something differs.
int diagnose_arrays(const What& what, const DiagnoseArguments& arguments);

}  // namespace headlight
