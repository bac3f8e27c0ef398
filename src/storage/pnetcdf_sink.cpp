// SPDX-License-Identifier: Apache-2.0
// pnetcdf: writes through the MPI-IO layer that PnetCDF writes through, and calls no PnetCDF; hints pass through. Its
// own put calls would raise the record count in the file before the record's bytes are on stable storage
// (contract 3; docs/decisions/002-pnetcdf-sink.md). MPI-IO's collective calls are not used either: they have no
// deadline: a rank that dies in one leaves all others in it for ever. Where ranks have short runs, they are joined here
// in two phases (Thakur, Gropp and Lusk 1999): ranks send what they have of a stretch of the file to the rank that
// writes it, by messages with a deadline, and each rank has the file to itself (MPI_COMM_SELF), so that opening,
// writing, syncing and closing wait for no rank.
#include <mpi.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "base/archive.hpp"
#include "base/text.hpp"
#include "mpi/comm.hpp"
#include "mpi/exchange.hpp"
#include "plan/file_runs.hpp"
#include "storage/filesystem.hpp"
#include "storage/sink.hpp"
#include "storage/storage_calls.hpp"

namespace weir {

namespace {

constexpr std::int64_t most_bytes_a_call = 1 << 30;  // MPI counts in ints, and MPI-IO layers do so further inside
constexpr std::int64_t nothing = std::numeric_limits<std::int64_t>::max();
constexpr int first_tag = 10, tags = 2;

// Extents, consumed from the front in pieces.
class Rest {
 public:
  explicit Rest(std::span<const Extent> extents) : extents_(extents) {}
  std::int64_t next() const noexcept { return extents_.empty() ? nothing : extents_.front().offset + done_; }
  // The next piece that begins before `end`, up to there.
  bool take_before(std::int64_t end, Extent& piece) noexcept {
    if (next() >= end) return false;
    const Extent& first = extents_.front();
    const std::int64_t bytes = std::min(first.bytes - done_, end - next());
    piece = {first.offset + done_, bytes, first.data + done_};
    done_ += bytes;
    if (done_ == first.bytes) {
      extents_ = extents_.subspan(1);
      done_ = 0;
    }
    return true;
  }

 private:
  std::span<const Extent> extents_;
  std::int64_t done_ = 0;
};

// A message: the offset of each piece, and its bytes.
Message message_to(int peer, const std::vector<Extent>& pieces) {
  std::size_t words = 0;
  for (const Extent& piece : pieces) words += 2 + static_cast<std::size_t>((piece.bytes + 7) / 8);
  Message message{peer, {}};
  message.words.reserve(words);
  ArchiveWriter archive(message.words);
  for (const Extent& piece : pieces)
    archive(piece.offset, std::span(piece.data, static_cast<std::size_t>(piece.bytes)));
  return message;
}

void append_pieces(const Message& message, std::vector<Extent>& pieces) {
  for (ArchiveReader archive(message.words); !archive.at_end();) {
    const auto offset = archive.get<std::int64_t>();
    const auto bytes = archive.view<std::byte>();
    pieces.push_back({offset, std::ssize(bytes), bytes.data()});
  }
}

class PnetcdfSink final : public Sink {
 public:
  PnetcdfSink(const Comm& comm, const SinkOptions& options)
      : all_(comm),
        options_(options),
        hint_(join_hint(options.hints)),
        windows_(joining_windows(options.hints, options.stripe_bytes)) {
    if (options_.aggregators.empty()) options_.aggregators = {0};
  }
  ~PnetcdfSink() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (file_ != MPI_FILE_NULL && finalized == 0) MPI_File_close(&file_);
  }

  SinkKind kind() const noexcept override { return SinkKind::pnetcdf; }
  bool collective() const noexcept override { return true; }
  void renamed(const std::string& path) override { options_.path = path; }

  Status write(std::span<const Extent> extents) override {
    Status status;
    if (!joins(extents)) {
      for (const Extent& extent : extents) status.merge(write_run(extent));
      return status;
    }
    for (Rest rest(extents);;) {
      const std::int64_t begin = first_of_all(rest.next());
      if (begin == nothing) return status;
      status.merge(write_windows(rest, begin / windows_.alignment * windows_.alignment));
    }
  }

  Status make_durable() override {
    if (file_ == MPI_FILE_NULL) return {};
    return on_storage(
        [this] { return failure("MPI_File_sync", again_if_interrupted([&] { return MPI_File_sync(file_); }), 0); },
        "syncing");
  }

 private:
  // MPI-IO may be slow: another thread calls it where MPI lets it, so that this one answers meanwhile.
  Status on_storage(StorageCalls::Call call, const char* what) {
    return options_.calls && any_thread_may_call() ? options_.calls->run(std::move(call), what) : call();
  }

  // MPI-IO gives up where a signal interrupts a call of the system.
  template <class Call>
  static int again_if_interrupted(Call call) {
    for (;;) {
      errno = 0;
      const int result = call();
      if (result == MPI_SUCCESS || errno != EINTR) return result;
    }
  }

  // Whether runs are joined: by the hint, else where some rank's are short. Alike on all ranks. Collective.
  bool joins(std::span<const Extent> extents) {
    if (hint_ == JoinHint::never) return false;
    if (comm_.raw() == MPI_COMM_NULL) comm_ = Comm::duplicate(all_.raw(), options_.wait.begin());
    std::int64_t bytes = 0;
    for (const Extent& extent : extents) bytes += extent.bytes;
    std::int64_t any_short = are_short_runs(bytes, std::ssize(extents)) ? 1 : 0;
    allreduce_max(comm_, std::span(&any_short, 1), options_.wait.begin(), "a collective write");
    return are_joined(hint_, any_short > 0);
  }

  // Where the first byte lies that any rank has yet to write. Collective.
  std::int64_t first_of_all(std::int64_t mine) {
    std::int64_t least = -mine;
    allreduce_max(comm_, std::span(&least, 1), options_.wait.begin(), "a collective write");
    return -least;
  }

  // The next windows of the file, one for each rank that writes. Collective; also where one of them fails.
  Status write_windows(Rest& rest, std::int64_t begin) {
    Messages sent;
    std::vector<Extent> pieces;
    for (const int writer : options_.aggregators) {
      begin += windows_.bytes;
      pieces.clear();
      for (Extent piece{}; rest.take_before(begin, piece);) pieces.push_back(piece);
      if (!pieces.empty()) sent.push_back(message_to(writer, pieces));
    }
    tag_ = (tag_ + 1) % tags;
    const Messages received =
        deliver(comm_, std::move(sent), first_tag + tag_, options_.wait.begin(), "a collective write");
    pieces.clear();
    for (const Message& message : received) append_pieces(message, pieces);
    return write_joined(pieces);
  }

  // Pieces of one window, in any order.
  Status write_joined(std::vector<Extent>& pieces) {
    Status status;
    std::sort(pieces.begin(), pieces.end(), [](const Extent& a, const Extent& b) { return a.offset < b.offset; });
    for (std::size_t i = 0; i < pieces.size();) {
      const std::int64_t begin = pieces[i].offset;
      joined_.clear();
      for (; i < pieces.size() && pieces[i].offset == begin + std::ssize(joined_); ++i)
        joined_.insert(joined_.end(), pieces[i].data, pieces[i].data + pieces[i].bytes);
      status.merge(write_run({begin, std::ssize(joined_), joined_.data()}));
    }
    return status;
  }

  Status write_run(const Extent& run) {
    return on_storage([this, run] { return write_here(run); }, "a write");
  }

  Status write_here(Extent run) {
    if (Status status = open(); !status.ok()) return status;
    while (run.bytes > 0) {
      const auto bytes = static_cast<int>(std::min(run.bytes, most_bytes_a_call));
      MPI_Status done;
      const int result =
          again_if_interrupted([&] { return MPI_File_write_at(file_, run.offset, run.data, bytes, MPI_BYTE, &done); });
      if (result != MPI_SUCCESS) return failure("MPI_File_write_at", result, run.bytes);
      int written = 0;
      MPI_Get_count(&done, MPI_BYTE, &written);
      if (written <= 0) return failure("MPI_File_write_at", MPI_ERR_IO, run.bytes);
      run = {run.offset + written, run.bytes - written, run.data + written};
    }
    return {};
  }

  // Before the first write of this rank.
  Status open() {
    if (file_ != MPI_FILE_NULL) return {};
    if (!mpi_is_initialised())
      return {WEIR_ECONFIG,
              "sink: pnetcdf writes by MPI-IO, and MPI is not initialised: use sink: direct, or start the program with "
              "an MPI launcher"};
    MPI_Info info = MPI_INFO_NULL;
    check_mpi(MPI_Info_create(&info), "MPI_Info_create");
    for (const auto& [key, value] : options_.hints) MPI_Info_set(info, key.c_str(), value.c_str());
    const auto before = other_file_problem(options_.path, options_.identity);
    const int result = before ? MPI_SUCCESS : again_if_interrupted([&] {
      return MPI_File_open(MPI_COMM_SELF, options_.path.c_str(), MPI_MODE_WRONLY, info, &file_);
    });
    MPI_Info_free(&info);
    if (Status status = failure("MPI_File_open", result, 0); !status.ok()) return status;
    // The layer opens by name, and does not say what: the name stood for this file before and after.
    const auto problem = before ? before : other_file_problem(options_.path, options_.identity);
    if (!problem) return {};
    if (file_ != MPI_FILE_NULL) MPI_File_close(&file_);
    return refuse_to_write(*problem);
  }

  // bytes: that were to be written. MPI tells an error's class, the system why.
  Status failure(const char* call, int result, std::int64_t bytes) const {
    if (result == MPI_SUCCESS) return {};
    const int reason = errno;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(result, text, &length);
    struct statvfs room {};
    const bool full = reason == ENOSPC || (bytes > 0 && ::statvfs(options_.path.c_str(), &room) == 0 &&
                                           static_cast<std::int64_t>(room.f_bavail * room.f_frsize) < bytes);
    std::string why = full ? ": " + storage_reason(ENOSPC) : "";
    if (!full && reason != 0) why = std::string(": ") + std::strerror(reason);
    return {WEIR_EIO, formatted("{} of {}: {}{}", call, options_.path, text, why)};
  }

  const Comm& all_;
  Comm comm_;  // its own, from the first write on: messages of one file's writes are no other file's
  SinkOptions options_;
  JoinHint hint_;
  Windows windows_;
  MPI_File file_ = MPI_FILE_NULL;
  int tag_ = 0;
  std::vector<std::byte> joined_;
};

}  // namespace

std::unique_ptr<Sink> make_pnetcdf_sink(const Comm& comm, const SinkOptions& options) {
  return std::make_unique<PnetcdfSink>(comm, options);
}

}  // namespace weir
