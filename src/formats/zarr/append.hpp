// SPDX-License-Identifier: Apache-2.0
// How Weir writes the variables of an existing Zarr folder. If its chunks are in the form that Weir packs, writers
// write it as in a new folder. A small variable in another form (chunks longer than the array, big-endian elements) is
// kept by rank 0. A large one cannot be put. Also files of several records, unpacked. zarr/zarr_file.cpp uses it.
// Local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/config.hpp"
#include "base/error.hpp"
#include "formats/chunked/deferred_values.hpp"
#include "formats/chunked/packer.hpp"
#include "formats/chunked/unpacker.hpp"
#include "formats/stored_array.hpp"
#include "formats/zarr/array.hpp"
#include "formats/zarr/folder.hpp"
#include "schema/schema.hpp"

namespace weir {

// Returns how each variable is written. `schema`: with the chunks and quantization of `tables`. Pure.
std::vector<ZarrArray> arrays_to_append(const StoredTables& tables, const Schema& schema);

// Returns how each variable is written to a folder that goes back to its first `records` records.
// Errors: WEIR_EFORMAT if a file holds records that stay and others, and is in a form that Weir does not write.
std::vector<ZarrArray> arrays_to_go_back(const std::string& path, const StoredTables& tables, const Schema& schema,
                                         std::int64_t records);

// One file of an array that rank 0 keeps, unpacked: all its elements, of all its records, in external form and the
// order of the file's lengths.
class KeptPart {
 public:
  // Begins with the fill value throughout.
  KeptPart(const ZarrArray& array, int element_bytes);

  // Reads the first `records` records of the file `path`, if it is there.
  // Errors: WEIR_EIO, WEIR_EFORMAT (damaged).
  void read(const std::string& path, std::int64_t records, Unpacker& unpacker);
  std::span<std::byte> elements() noexcept { return elements_; }
  // Returns the bytes of the file; overwrites elements().
  // Errors: WEIR_EMEMORY.
  std::vector<std::byte> packed(Packer& packer);

 private:
  void read_chunk(const Descriptor& file, const Chunk& chunk, std::span<const std::uint64_t> place, Unpacker& unpacker);
  void spread(const Chunk& chunk, std::span<const std::byte> values);
  void fill(std::span<std::byte> elements) const;

  const ZarrArray& array_;
  int element_bytes_;
  ChunkGrid grid_;  // of the file
  std::vector<std::byte> elements_;
};

// Variables that rank 0 keeps: the holders of a record store its values, a commit gathers them on rank 0
// (chunked/deferred_values.hpp), and rank 0 rewrites their files.
class KeptRecords {
 public:
  // `folder`: of the files. `schema` and `arrays` outlive this.
  KeptRecords(const Schema& schema, const std::vector<ZarrArray>& arrays, std::string folder)
      : schema_(schema), arrays_(arrays), folder_(std::move(folder)) {}

  // Takes the files of kept variables in which records that stay are followed by others: write() writes them without
  // these.
  // Errors: as KeptPart::read().
  void take_boundaries();
  // Writes the files of the stored values, under pending names, and adds them to `files`. `notes`: the values of all
  // ranks.
  Status write(std::span<const std::byte> notes, Durability durability, std::vector<ZarrFolder::Pending>& files);

 private:
  using Files = std::map<std::string, KeptPart>;  // of one variable, by name
  void put(const DeferredValues::Head& head, std::span<const std::byte> values, Files& files);
  KeptPart& part_of(int var, std::int64_t record, IndexView index, Files& files);

  const Schema& schema_;
  const std::vector<ZarrArray>& arrays_;
  std::string folder_;
  Unpacker unpacker_;
  std::map<int, Files> all_;  // by variable
};

}  // namespace weir
