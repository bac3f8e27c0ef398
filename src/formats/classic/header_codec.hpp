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

// The header of a file in geometry.format with geometry.records records, whose variables begin where `geometry` says.
// The format holds the schema (format_obstacle). What it returns has header_bytes(schema, format) bytes.
std::vector<std::byte> encode_header(const Schema& schema, const Geometry& geometry);

// What a header that read_header() has walked says; records are left 0. Throws Error(WEIR_EFORMAT) where it is
// impossible: a name that netCDF forbids or that is there twice, a variable that begins within the header or lies over
// another. `path` is for messages.
DefinedFile decode_header(const HeaderImage& image, const std::string& path);

}  // namespace weir
