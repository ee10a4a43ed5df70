// WHAT a command works on, as the help calls it: --lecture ID, --setup FILE (a setup file, or a picture that holds a
// setup) or --model FILE (the layers of a model), and any number of --set overrides.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/progress_line.hpp"
#include "app/session/session.hpp"
#include "app/session/snapshot/snapshot.hpp"
#include "core/compute/threads.hpp"
#include "core/lecture/lecture.hpp"
#include "core/model/setup.hpp"
#include "core/model/tensor.hpp"
#include "core/model/trace.hpp"

namespace headlight {

struct What {
  std::string lecture;              ///< id; empty: none
  std::string part;                 ///< id of a part of the lecture; empty: the step's part, or the first
  std::optional<std::size_t> step;  ///< counted from 1
  std::optional<std::filesystem::path> setup_file;
  std::optional<std::filesystem::path> model;     ///< a file or folder with the layers of a model
  std::optional<std::size_t> layer;               ///< of the model, counted from 0; none: the first
  std::vector<std::string> overrides;             ///< "sizes.heads=4"
  std::optional<std::filesystem::path> lectures;  ///< a folder with a lecturer's own lectures
  std::int64_t memory_limit = default_memory_limit;
  std::shared_ptr<Threads> threads = std::make_shared<Threads>();  ///< the program's threads; copies of What share them
};

/// The setup that WHAT names, with its overrides. Throws InputError if it names no setup or two, if a file or lecture
/// is missing or broken, if the setup is impossible, or if its trace would be larger than memory_limit bytes.
Setup setup_of(const What& what);

/// The practice of the step that WHAT names, if that has one.
std::optional<Practice> practice_of(const What& what);

/// Computes the traces of setup_of(what). `report` gets the progress. Throws as setup_of does.
ModelTrace model_trace_of(const What& what, const Report& report = {});
/// That of the first layer.
std::shared_ptr<const Trace> trace_of(const What& what, const Report& report = {});

/// The session after opening WHAT: a lecture at its step, with the lecture's selection and view; the place that a
/// picture shows; or a setup. `report`, which may be empty, gets the progress. Throws InputError as setup_of does.
Session session_of(const What& what, const Report& report);

/// The session that a snapshot is of, with what `what` says about lectures, memory and threads.
Session session_of(const Snapshot& snapshot, const What& what, const Report& report);

/// A session that compares two states. State B is WHAT with its overrides. State A is state B with the assignments
/// `was`; if `was` is empty, state A is the one that a picture of a comparison holds, or else WHAT without its
/// overrides. Throws as session_of does.
Session compared_session_of(const What& what, const std::vector<std::string>& was, const Report& report);

}  // namespace headlight
