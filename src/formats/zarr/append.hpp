// SPDX-License-Identifier: Apache-2.0
// How Weir writes the variables of an existing Zarr folder, of any origin. Where a file holds one record, or a fixed
// variable, in chunks that Weir packs, writers write it as in a new folder. What is in another form (several records in
// a file, chunks longer than the array, big-endian elements) and small is kept by rank 0 (kept_records.hpp). What is
// large then cannot be put. Pure, Local.
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

// A variable each.
std::vector<ZarrArray> arrays_to_append(const StoredTables& tables);

// One file of an array that rank 0 keeps, unpacked: all its elements, of all its records, in external form and the
// order of the file's lengths. Local.

class KeptPart {
 public:
  // Of an array of this element size; fill value throughout.
  KeptPart(const ZarrArray& array, int element_bytes);

  // As the file `path` has it, if it is there, but for records from `length` on, which were never committed. Throws
  // Error: WEIR_EIO, WEIR_EFORMAT (it is damaged).
  void read(const std::string& path, std::int64_t first_record, Unpacker& unpacker);
  std::span<std::byte> elements() noexcept { return elements_; }
  // The bytes of the file; what is in elements() is lost. Throws Error(WEIR_EMEMORY).
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

// Variables that rank 0 keeps (array.hpp): the holders of a record store its values, a commit gathers them on rank 0,
// and rank 0 rewrites their files. Local.

class KeptRecords {
 public:
  // `folder`: where the files are.
  KeptRecords(const Schema& schema, const std::vector<ZarrArray>& arrays, std::string folder)
      : schema_(schema), arrays_(arrays), folder_(std::move(folder)) {}

  // Writes, under pending names, the files in which the noted values are; `notes`: of all ranks. They are added to
  // `files`.
  Status write(std::span<const std::byte> notes, Durability durability, std::vector<ZarrFolder::Pending>& files);

 private:
  using Files = std::map<std::string, KeptPart>;  // of one variable, by their names
  void put(const DeferredValues::Head& head, std::span<const std::byte> values, Files& files);
  KeptPart& part_of(int var, std::int64_t record, IndexView index, Files& files);

  const Schema& schema_;
  const std::vector<ZarrArray>& arrays_;
  std::string folder_;
  Unpacker unpacker_;
};

}  // namespace weir
