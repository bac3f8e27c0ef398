// SPDX-License-Identifier: Apache-2.0
// The chunks of a netCDF-4 file, whose tables all ranks have. Each rank that reads from it opens it once, with its
// first read. file/opening.cpp makes it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "formats/chunked/chunk_store.hpp"
#include "formats/chunked/filter.hpp"
#include "formats/stored_array.hpp"
#include "storage/identity.hpp"

namespace weir {

// Methods keep the contracts of ChunkStore.
class Netcdf4Store final : public ChunkStore {
 public:
  struct Known {
    std::string path;
    FileIdentity identity;
    std::shared_ptr<const StoredTables> tables;
  };
  // `opened`: the file, if it was opened before.
  Netcdf4Store(Known known, std::optional<Descriptor> opened);

  const StoredArray& array(int var) const override { return known_.tables->arrays[static_cast<std::size_t>(var)]; }
  std::optional<ChunkPlace> find(int var, std::int64_t number) override;
  void check() override;
  void read(std::int64_t file, std::int64_t address, std::span<std::byte> to) override;
  void ask_for(const ChunkPlace& place) noexcept override;
  std::string path(std::int64_t) const override { return known_.path; }
  ReadCount count() const noexcept override { return count_; }

 private:
  Known known_;
  std::int64_t least_bytes_;
  std::optional<Descriptor> file_;
  ReadCount count_;
};

// Returns the least length of a file with all that its tables describe. Saturates.
std::int64_t least_file_bytes(const StoredTables& tables);

// How Weir writes the variables of an existing file. If chunks are in the form that Weir packs, writers pack and place
// them as in a new file. A small variable in another form (one piece, big-endian elements, chunks longer than the
// variable) goes to rank 0, whose HDF5 writes it at a commit. A large one cannot be put.

// Returns how each variable is written.
std::vector<StoredVariable> append_forms(const StoredTables& tables);
// Sets chunks and quantization in the schema to the file's, for variables whose chunks writers pack.
void take_storage(const StoredTables& tables, Schema& schema);

}  // namespace weir
