// The findings about the user's arrays, as text: for programs, and for people.
#pragma once

#include <string>

#include "core/diagnose/arrays/report.hpp"
#include "core/diagnose/model_check.hpp"
#include "core/stages/code.hpp"

namespace headlight {

/// The line (or lines) of Python that mend what was diagnosed, under the names of the names table: the stages' own
/// lines of code, or all draws in their order.
std::string fix_of(const Diagnosis& diagnosis, const Setup& setup, Framework framework);

/// The library in whose words a fix is written: that of the setup's generator.
Framework framework_of(const Setup& setup);

/// What would tell where the first difference begins, in a sentence; empty where there is nothing more to know. The
/// setup is that of the layer.
std::string next_step_text(const CheckReport& report, const Setup& setup);

/// The same two for a model. In JSON names say the layer ("L1.scores") where there are several; the text has the
/// verdict, what explains it and the notes.
std::string report_json(const ModelReport& report, const Setup& setup);
std::string report_text(const ModelReport& report, const Setup& setup);

/// A JSON object:
///   agrees            true or false
///   first_difference  "scores", or null
///   tensors           [{name, yours, shape, max_abs, cells_off, agrees, step_agrees}], in the order of the stages
///   diagnoses         [{tensor, tensors, mistake, misfit, explains, fix}], best first; `tensors` are all places in
///   which
///                     the mistake was made
///   unrecognised      names of arrays
///   notes             what is no mistake, but worth knowing: sentences
///   hand_over         where no known mistake explains the difference: the tensors that would tell where it begins
/// Numbers that JSON has no words for are the texts "inf" and "nan".
std::string report_json(const CheckReport& report, const Setup& setup);

/// The same in sentences for a terminal, to go below a table of the tensors.
std::string report_text(const CheckReport& report, const Setup& setup);

}  // namespace headlight
