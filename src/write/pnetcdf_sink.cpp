// SPDX-License-Identifier: Apache-2.0
// pnetcdf: collective writes through the MPI-IO layer PnetCDF writes through, at the places PnetCDF gave the variables;
// hints pass through. PnetCDF's own put calls are not used: they raise the record count in the file before the record's
// bytes are on stable storage (contract 3; docs/decisions/002-pnetcdf-sink.md).
#include <mpi.h>

#include <algorithm>

#include "write/sink.hpp"

namespace weir {

namespace {

// A rank's share of one collective call: MPI counts in ints, and MPI-IO layers do so further inside.
constexpr std::int64_t most_bytes_a_call = 1 << 30;

// An MPI datatype of this scope.
class Type {
 public:
  Type(const std::vector<int>& lengths, const std::vector<MPI_Aint>& places) {
    check_mpi(
        MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), MPI_BYTE, &type_),
        "MPI_Type_create_hindexed");
    check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  ~Type() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  MPI_Datatype raw() const noexcept { return type_; }
  // ROMIO lists what it has made of a memory datatype under its handle, and takes it off the list when a write has gone
  // well. After an error the entry stays: another type that were given the same handle would be written by it, to
  // wherever that led. So the handle of a failed write is never given back.
  void keep_handle() noexcept { type_ = MPI_DATATYPE_NULL; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

class PnetcdfSink final : public Sink {
 public:
  PnetcdfSink(const Comm& comm, const SinkOptions& options)
      : comm_(comm.raw()), path_(options.path), durability_(options.durability) {
    MPI_Info info = MPI_INFO_NULL;
    check_mpi(MPI_Info_create(&info), "MPI_Info_create");
    // Sieving data (ROMIO: read a stretch, change some of it, write it back) would read over a network what is then
    // overwritten, and what another host writes into a gap meanwhile is lost where locks and caches of hosts differ.
    MPI_Info_set(info, "romio_ds_write", "disable");
    for (const auto& [key, value] : options.hints) MPI_Info_set(info, key.c_str(), value.c_str());
    const int result = MPI_File_open(comm.raw(), path_.c_str(), MPI_MODE_WRONLY, info, &file_);
    MPI_Info_free(&info);
    failure("MPI_File_open", result).raise();
    failure("MPI_File_get_size", MPI_File_get_size(file_, &length_)).raise();
  }
  ~PnetcdfSink() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (file_ != MPI_FILE_NULL && !finalized) MPI_File_close(&file_);
  }

  SinkKind kind() const noexcept override { return SinkKind::pnetcdf; }
  bool collective() const noexcept override { return true; }
  void renamed(const std::string& path) override { path_ = path; }

  Status write(std::span<const Extent> extents) override {
    std::int64_t bytes = 0;
    for (const Extent& extent : extents) bytes += extent.bytes;
    const MPI_Offset end = extents.empty() ? 0 : extents.back().offset + extents.back().bytes;
    MPI_Offset calls = (bytes + most_bytes_a_call - 1) / most_bytes_a_call;
    if (Status status = lengthen(end, calls); !status.ok()) return status;
    extents_ = extents;
    written_of_first_ = 0;
    Status status;
    for (MPI_Offset call = 0; call < calls; ++call) status.merge(write_some());  // also where one fails: others wait
    return status;
  }

  Status make_durable() override {
    if (durability_ == Durability::cache) return {};
    return failure("MPI_File_sync", MPI_File_sync(file_));
  }

 private:
  // MPI-IO layers that sieve data read a gap between extents before they write over it, and leave what is beyond the
  // end of the file as it happens to be in their memory: the file must be long enough first. `calls` becomes the most
  // that any rank needs. Collective.
  Status lengthen(MPI_Offset end, MPI_Offset& calls) {
    MPI_Offset most[] = {end, calls};
    if (const int result = MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_OFFSET, MPI_MAX, comm_); result != MPI_SUCCESS)
      return failure("MPI_Allreduce", result);
    calls = most[1];
    if (most[0] <= length_) return {};
    length_ = most[0];
    return failure("MPI_File_set_size", MPI_File_set_size(file_, length_));
  }

  // The next most_bytes_a_call bytes of what is left in extents_; none where nothing is. Collective.
  Status write_some() {
    lengths_.clear();
    in_file_.clear();
    in_memory_.clear();
    for (std::int64_t room = most_bytes_a_call; room > 0 && !extents_.empty();) {
      const Extent& first = extents_.front();
      const std::int64_t bytes = std::min(room, first.bytes - written_of_first_);
      append({first.offset + written_of_first_, bytes, first.data + written_of_first_});
      room -= bytes;
      written_of_first_ += bytes;
      if (written_of_first_ < first.bytes) break;
      extents_ = extents_.subspan(1);
      written_of_first_ = 0;
    }
    // MPI-IO layers stumble over datatypes of nothing: a rank with nothing takes part with plain bytes, none of them.
    if (lengths_.empty()) return write_view(MPI_BYTE, 0, MPI_BYTE);
    const Type in_file(lengths_, in_file_);
    Type in_memory(lengths_, in_memory_);
    Status status = write_view(in_file.raw(), 1, in_memory.raw());
    if (!status.ok()) in_memory.keep_handle();
    return status;
  }

  Status write_view(MPI_Datatype in_file, int count, MPI_Datatype in_memory) {
    char native[] = "native";
    const int result = MPI_File_set_view(file_, 0, MPI_BYTE, in_file, native, MPI_INFO_NULL);
    if (result != MPI_SUCCESS) return failure("MPI_File_set_view", result);
    return failure("MPI_File_write_all", MPI_File_write_all(file_, MPI_BOTTOM, count, in_memory, MPI_STATUS_IGNORE));
  }

  // Joined to the last one where it continues it in the file and in memory. All of a call fits an int.
  void append(const Extent& extent) {
    MPI_Aint address = 0;
    MPI_Get_address(extent.data, &address);
    const auto bytes = static_cast<int>(extent.bytes);
    if (!lengths_.empty() && in_file_.back() + lengths_.back() == extent.offset &&
        in_memory_.back() + lengths_.back() == address) {
      lengths_.back() += bytes;
      return;
    }
    lengths_.push_back(bytes);
    in_file_.push_back(extent.offset);
    in_memory_.push_back(address);
  }

  Status failure(const char* call, int result) const {
    if (result == MPI_SUCCESS) return {};
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(result, text, &length);
    return {WEIR_EIO, std::string(call) + " of " + path_ + ": " + text, -1};
  }

  MPI_Comm comm_;  // the caller's
  std::string path_;
  Durability durability_;
  MPI_File file_ = MPI_FILE_NULL;
  MPI_Offset length_ = 0;            // of the file, alike on all ranks
  std::span<const Extent> extents_;  // of the write under way: what is left
  std::int64_t written_of_first_ = 0;
  std::vector<int> lengths_;
  std::vector<MPI_Aint> in_file_, in_memory_;
};

}  // namespace

std::unique_ptr<Sink> make_pnetcdf_sink(const Comm& comm, const SinkOptions& options) {
  return std::make_unique<PnetcdfSink>(comm, options);
}

}  // namespace weir
