// SPDX-License-Identifier: Apache-2.0
// What goes by memory: values into a file and out of it. `values`: an object that has the buffer protocol,
// C-contiguous.
#pragma once

#include <cstdint>
#include <string>

#include "handles.hpp"

namespace weir::python {

void put_att(const File& file, int var, const std::string& name, int type, nanobind::handle values);
void get_att(const File& file, int var, const std::string& name, nanobind::handle values);
io::Layout def_layout_map(const Instance& instance, const Indices& shape, nanobind::handle offsets);

void put_vara(const File& file, int var, const Indices& start, const Indices& count, int type, nanobind::handle values);
void put(const File& file, int var, std::int64_t record, const io::Layout& layout, int type, nanobind::handle values);
void put_var(const File& file, int var, std::int64_t record, int type, nanobind::handle values);
// This rank cannot do what the others do. Returns what all ranks will be told.
std::string fail(const File& file, int code, const std::string& sentence);
// The same where the others put boxes: all ranks agree in that call, and hear it there.
void fail_box(const File& file, int var, int code, const std::string& sentence);

void get_vara(const File& file, int var, const Indices& start, const Indices& count, int type, nanobind::handle values);
void get_vara_all(const File& file, int var, const Indices& start, const Indices& count, int type,
                  nanobind::handle values);
void get(const File& file, int var, std::int64_t record, const io::Layout& layout, int type, nanobind::handle values);

// Of a field; nullptr: of all files of all streams.
void put_field_att(const Instance& instance, const io::Field* field, const std::string& name, int type,
                   nanobind::handle values);
// None as `values`: this rank refuses them, and all ranks hear of it.
void set_field(const Instance& instance, const io::Field& field, int type, nanobind::handle values);
void send(const Instance& instance, const io::Field& field, double time, int type, nanobind::handle values);

}  // namespace weir::python
