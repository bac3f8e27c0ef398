// SPDX-License-Identifier: Apache-2.0
#include "write/zarr/shard_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "plan/packing_rules.hpp"
#include "write/storage_clock.hpp"
#include "write/path_problem.hpp"
#include "write/whole_write.hpp"
#include "write/zarr/chunk_files.hpp"
#include "write/zarr/folder.hpp"

namespace weir {

namespace {

constexpr std::size_t most_unsynced = 64;  // files that wait for a commit, open

// The index has the byte order that zarr.json tells of it: this machine's.
void add_index(PackedBatch& batch, std::span<const std::uint64_t> index) {
  const std::vector<std::byte> packed = pack_index(index);
  std::copy(packed.begin(), packed.end(), batch.room(std::ssize(packed)).begin());
  batch.add_from_room(std::ssize(packed));
}

}  // namespace

Status ShardFiles::begin(const std::string& folder, const std::string& name, std::int64_t chunks) {
  index_.assign(2 * static_cast<std::size_t>(chunks), ShardIndex::no_chunk);
  batch_.clear();
  written_ = taken_ = 0;
  if (!keeps_) return {};
  const CompressClock::Pause pause(compressing_);
  const std::string path = folder + "/" + name;
  if (Status status = make_folders_of(folder, name, folders_); !status.ok()) return status;
  file_ = Descriptor(
      uninterrupted([&] { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666); }),
      path);
  return file_.number() >= 0 ? Status{} : failed_call("making", path);
}

Status ShardFiles::take(std::int64_t chunk) {
  const std::int64_t end = written_ + batch_.bytes();
  if (!index_.empty()) {
    std::uint64_t* const entry = &index_[2 * static_cast<std::size_t>(chunk)];
    entry[0] = static_cast<std::uint64_t>(taken_);
    entry[1] = static_cast<std::uint64_t>(end - taken_);
  }
  taken_ = end;
  return batch_.bytes() >= packed_batch_bytes(FormatKind::zarr) ? write_batch() : Status{};
}

// 0, or the errno of what failed.
int ShardFiles::write_extents() {
  if (!keeps_) return 0;
  for (const Extent& extent : batch_.extents(written_)) {
    const std::span bytes(extent.data, static_cast<std::size_t>(extent.bytes));
    if (const int error = write_whole(file_.number(), bytes, extent.offset)) return error;
  }
  return 0;
}

Status ShardFiles::write_batch() {
  const std::int64_t bytes = batch_.bytes();
  const CompressClock::Pause pause(compressing_);
  if (storage_) {
    const StorageClock::Time end = storage_->take(bytes);
    errno = write_extents();
    if (errno == 0) StorageClock::wait(end);
  } else {
    errno = write_extents();
  }
  if (errno != 0) return failed_call("writing", file_.path());
  written_ += bytes;
  bytes_written_ += bytes;
  batch_.clear();
  return {};
}

Status ShardFiles::end() {
  if (!index_.empty()) add_index(batch_, index_);
  Status status = write_batch();
  if (!keeps_ || !status.ok()) return status;
  const CompressClock::Pause pause(compressing_);
  if (durability_ == Durability::cache) return file_.close() ? Status{} : failed_call("closing", file_.path());
  // Let the system begin now what the commit waits for. Only a hint: an error shows there.
  ::sync_file_range(file_.number(), 0, 0, SYNC_FILE_RANGE_WRITE);
  unsynced_.push_back(std::move(file_));
  return unsynced_.size() > most_unsynced ? sync_oldest() : Status{};
}

Status ShardFiles::sync_oldest() {
  const Descriptor file = std::move(unsynced_.front());
  unsynced_.pop_front();
  return uninterrupted([&] { return ::fsync(file.number()); }) == 0 ? Status{} : failed_call("fsync", file.path());
}

Status ShardFiles::make_durable() {
  Status status;
  while (!unsynced_.empty()) status.merge(sync_oldest());
  for (const std::string& folder : std::exchange(folders_, {}))
    if (status.ok() && durability_ == Durability::storage) status = sync_folder(folder + "/c");
  return status;
}

}  // namespace weir
