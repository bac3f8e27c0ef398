// SPDX-License-Identifier: Apache-2.0
// Encodes and decodes a classic file's header: definitions and offsets on one side, bytes on the other. Pure: no file,
// no MPI. Source: The NetCDF Classic Format Specification, "header", and its notes on vsize and padding.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "formats/classic/header.hpp"
#include "formats/definition.hpp"
#include "schema/schema.hpp"

namespace weir {

// Returns the header of a file with this geometry; it has header_bytes(schema, format) bytes.
// Requires: the format can hold the schema (format_obstacle()).
std::vector<std::byte> encode_header(const Schema& schema, const Geometry& geometry);

// Returns what a header says that read_header() has checked; records are left 0. `path` is for messages.
// Errors: WEIR_EFORMAT if it is impossible: a name that netCDF forbids or that is there twice, a variable that begins
// within the header or overlaps another.
DefinedFile decode_header(const HeaderImage& image, const std::string& path);

}  // namespace weir
