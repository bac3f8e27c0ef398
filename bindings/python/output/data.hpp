// SPDX-License-Identifier: Apache-2.0
// Values into a file and out of it. `values`: an object that has the buffer protocol, C-contiguous.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "file.hpp"

namespace weir::python::data {

void put_vara(const File& file, int var, const Indices& start, const Indices& count, int type, nanobind::handle values);
void put(const File& file, int var, std::int64_t record, int layout, int type, nanobind::handle values);
void put_var(const File& file, int var, std::int64_t record, int type, nanobind::handle values);
// This rank cannot do what the others do. Returns what all ranks will be told.
std::string fail(const File& file, int code, const std::string& sentence);
// The same where the others put boxes: all ranks agree in that call, and hear it there.
void fail_box(const File& file, int var, int code, const std::string& sentence);
void sync(const File& file);

void get_vara(const File& file, int var, const Indices& start, const Indices& count, int type, nanobind::handle values);
void get_vara_all(const File& file, int var, const Indices& start, const Indices& count, int type,
                  nanobind::handle values);
void get(const File& file, int var, std::int64_t record, int layout, int type, nanobind::handle values);
void prefetch(const File& file, const std::vector<int>& vars, std::int64_t record, int layout);

}  // namespace weir::python::data
