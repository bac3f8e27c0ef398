// SPDX-License-Identifier: Apache-2.0
#include "trial_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "storage/filesystem.hpp"

namespace weir::profile {

namespace {

constexpr std::int64_t step_bytes = 8LL << 20;  // a write of the library's is seldom larger
constexpr std::int64_t piece_bytes = 256;
constexpr std::uintptr_t block_bytes = 4096;  // memory that goes past the page cache begins at a multiple of it

int place_of(const Site& site, int writers) {
  const std::vector<int> ranks = site.writers(writers);
  const auto found = std::find(ranks.begin(), ranks.end(), site.rank());
  return found == ranks.end() ? -1 : static_cast<int>(found - ranks.begin());
}

void barrier(const Comm& comm) {
  check_mpi(MPI_Barrier(comm.raw()), "MPI_Barrier");
}

}  // namespace

ScratchPath::ScratchPath(std::string path) : path_(std::move(path)) {
  const int file = ::open(path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) throw Error(WEIR_EIO, "{} (with --dir)", write_error_message(path_, "create", errno));
  ::close(file);
}

ScratchPath::~ScratchPath() {
  ::unlink(path_.c_str());
}

Trials::Trials(const Site& site)
    : site_(site),
      choice_(choose_sink(Config{}, site.hosts(), site.file_system)),
      data_(static_cast<std::size_t>(step_bytes) + block_bytes, std::byte{1}),
      alone_(site.world.split(site.rank())) {}

// The first writer makes the one file, or each its own.
std::unique_ptr<ScratchPath> Trials::make_files(const Trial& trial, int place) const {
  if (place < 0 || (trial.one_file && place > 0)) return nullptr;
  return std::make_unique<ScratchPath>(site_.path(formatted("data{}", place)));
}

const Comm& Trials::comm_for(const Trial& trial, int place) {
  auto group = groups_.find(trial.writers);
  if (group == groups_.end()) group = groups_.emplace(trial.writers, site_.world.split(place >= 0 ? 1 : 0)).first;
  return trial.one_file ? group->second : alone_;
}

// What `timed` takes on this rank, once all writers have prepared.
Span Trials::in_files(const Trial& trial, const Writing& prepare, const Writing& timed) {
  const int place = place_of(site_, trial.writers);
  const Comm& comm = comm_for(trial, place);
  Status status;
  std::unique_ptr<ScratchPath> file;
  try {
    file = make_files(trial, place);
  } catch (const Error& error) {
    status = {error.code(), error.what()};
  }
  agree_or_throw(site_.world, status, "making files");
  Span span;
  if (place >= 0) {
    const std::string path = site_.path(formatted("data{}", trial.one_file ? 0 : place));
    const auto sink = make_sink(choice_.kind, comm, {path, Durability::storage});
    status.merge(prepare(*sink, place));
    barrier(comm);
    const double start = now_seconds();
    status.merge(timed(*sink, place));
    span = Span::since(start);
  }
  barrier(site_.world);
  file.reset();
  status.raise();
  return span;
}

Status Trials::write_stretch(Sink& sink, std::int64_t begin, std::int64_t bytes) const {
  Status status;
  for (std::int64_t done = 0; done < bytes; done += step_bytes) {
    const Extent extent{begin + done, std::min(step_bytes, bytes - done), data()};
    status.merge(sink.write(std::span(&extent, 1)));
  }
  return status;
}

const std::byte* Trials::data() const noexcept {
  const auto beyond = reinterpret_cast<std::uintptr_t>(data_.data()) % block_bytes;
  return data_.data() + (beyond == 0 ? 0 : block_bytes - beyond);
}

double Trials::write_in_between(std::int64_t bytes) {
  Config config;
  config.overlap = OverlapKind::background;
  const SinkChoice choice = choose_sink(config, site_.hosts(), site_.file_system);
  const ScratchPath file(site_.path("beside"));
  const auto sink =
      make_sink(choice.kind, alone_,
                {.path = file.path(), .durability = config.durability, .past_cache_bytes = choice.past_cache_bytes});
  const double start = thread_processor_seconds();
  Status status = write_stretch(*sink, 0, bytes);
  status.merge(sink->make_durable());
  const double spent = thread_processor_seconds() - start;
  status.raise();
  return spent;
}

Span Trials::write(const Trial& trial) {
  const auto timed = [&](Sink& sink, int place) {
    Status status = write_stretch(sink, trial.one_file ? place * trial.bytes : 0, trial.bytes);
    status.merge(sink.make_durable());
    return status;
  };
  return in_files(
      trial, [](Sink&, int) { return Status(); }, timed);
}

Span Trials::write_pieces(int writers, std::int64_t count) {
  const std::int64_t stride = std::int64_t{writers} + 1;  // no rank's pieces continue each other
  // New pages of the file are the bytes' price, and not the pieces'.
  const auto prepare = [&](Sink& sink, int place) {
    return place == 0 ? write_stretch(sink, 0, count * stride * piece_bytes) : Status();
  };
  const auto timed = [&](Sink& sink, int place) {
    std::vector<Extent> extents;
    for (std::int64_t i = 0; i < count; ++i)
      extents.push_back({(i * stride + place) * piece_bytes, piece_bytes, data_.data()});
    return sink.write(extents);
  };
  return in_files({writers, count * piece_bytes, true}, prepare, timed);
}

Span Trials::sync() {
  Status status;
  Span span;
  if (site_.rank() == 0) {
    const ScratchPath file(site_.path("sync"));
    const auto sink = make_sink(choice_.kind, alone_, {file.path(), Durability::storage});
    const Extent extent{0, 512, data_.data()};
    status.merge(sink->write(std::span(&extent, 1)));
    const double start = now_seconds();
    status.merge(sink->make_durable());
    span = Span::since(start);
  }
  status.raise();
  return span;
}

}  // namespace weir::profile
