// SPDX-License-Identifier: Apache-2.0
// The schema of a stream's files: time and its bounds, the outputs, and the fixed fields that belong to them.
// streams/stream_plan.cpp chooses the outputs. Pure, Local.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "calendar/time_axis.hpp"
#include "streams/field.hpp"
#include "streams/stream_plan.hpp"

namespace weir {

// A field that a stream writes, under a name.
struct ChosenField {
  int field = -1;
  std::string name;
  const FieldChoice* choice = nullptr;
};

// A dimension of which a stream keeps some elements.
struct KeptDimension {
  std::string name;
  std::vector<std::int64_t> indices;
};

// What the files of one sequence have.
struct FileContent {
  std::vector<ChosenField> sent;
  std::vector<int> fixed;             // fields that the stream names
  std::vector<KeptDimension> kept;    // other dimensions are whole
  std::vector<Attribute> attributes;  // the model's, of all files
};

// The variables and dimensions that a stream's files have of themselves.
inline constexpr std::string_view time_name = "time";
inline constexpr std::string_view bounds_name = "time_bnds";
inline constexpr std::string_view bounds_dimension = "bnds";

// Completes a file whose stream, name and pattern are set.
// Errors: WEIR_ECONFIG, WEIR_EARGUMENT; the caller adds the stream, and the place of `line`: that of the output at
// fault, 0 for the stream's own.
void define_file(PlannedFile& file, const FileContent& content, const Fields& fields, const TimeAxis& axis, int& line);

}  // namespace weir
