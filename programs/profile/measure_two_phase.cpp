// SPDX-License-Identifier: Apache-2.0
// What a collective write of MPI-IO costs besides its bytes: for each rank, and for each piece of the file.
#include <mpi.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "measure.hpp"
#include "trial_file.hpp"

namespace weir::profile {

namespace {

using simulate::TwoPhase;

constexpr std::int64_t rank_bytes = 256 << 10;
constexpr std::int64_t many_pieces = 16384, few_pieces = 64;  // of a rank, which has as many bytes either way

std::int64_t number_of_hint(MPI_Info info, const char* key) {
  char text[MPI_MAX_INFO_VAL + 1] = "";
  int there = 0;
  MPI_Info_get(info, key, MPI_MAX_INFO_VAL, text, &there);
  const std::string_view digits(text);
  std::int64_t number = 0;
  if (there) std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

// What the MPI-IO layer says of its own settings. Collective.
void ask_layer(const Site& site, const std::string& path, TwoPhase& phases) {
  MPI_File file = MPI_FILE_NULL;
  check_mpi(MPI_File_open(site.world.raw(), path.c_str(), MPI_MODE_WRONLY, MPI_INFO_NULL, &file), "MPI_File_open");
  MPI_Info info = MPI_INFO_NULL;
  check_mpi(MPI_File_get_info(file, &info), "MPI_File_get_info");
  const std::int64_t aggregators = number_of_hint(info, "cb_nodes"), buffer = number_of_hint(info, "cb_buffer_size");
  MPI_Info_free(&info);
  MPI_File_close(&file);
  if (buffer > 0) phases.buffer = buffer;
  if (aggregators <= 0 || aggregators == site.hosts()) return;
  phases.aggregators = TwoPhase::Aggregators::count;
  phases.count = aggregators;
}

// Pieces of all ranks in turn.
std::vector<Extent> extents_of(const Site& site, std::int64_t count, std::int64_t bytes, const std::byte* data) {
  std::vector<Extent> extents;
  for (std::int64_t i = 0; i < count; ++i) extents.push_back({(i * site.ranks() + site.rank()) * bytes, bytes, data});
  return extents;
}

}  // namespace

void measure_two_phase(const Site& site, Sampler& sampler, Profile& profile) {
  if (site.hosts() > 1 && !site.shared) return;  // no file that all could write
  const std::vector<std::byte> data(rank_bytes / few_pieces, std::byte{1});
  std::unique_ptr<ScratchPath> file;
  Status status;
  try {
    if (site.rank() == 0) file = std::make_unique<ScratchPath>(site.path("collective"));
  } catch (const Error& error) {
    status = {error.code(), error.what()};
  }
  agree_or_throw(site.world, status, "making a file");
  ask_layer(site, site.path("collective"), profile.two_phase);
  SinkOptions options{site.path("collective"), Durability::cache};
  options.aggregators = {0};  // what a piece costs is the time of the one that all pieces go to
  const auto sink = make_sink(SinkKind::pnetcdf, site.world, options);
  const auto written = [&](std::int64_t count, std::int64_t bytes) {
    const std::vector<Extent> extents = extents_of(site, count, bytes, data.data());
    const double start = now_seconds();
    sink->write(extents).raise();
    return Span::since(start);
  };
  const auto in_pieces = [&](std::int64_t count) {
    return [&written, count] { return written(count, rank_bytes / count); };
  };
  const Estimate one =
      estimate(sampler.repeat(0.5 * two_phase_weight, [&] { return written(1, rank_bytes / many_pieces); }));
  const auto times = sampler.in_turn(0.5 * two_phase_weight, {in_pieces(few_pieces), in_pieces(many_pieces)});
  profile.two_phase.rank = scaled(one, 1.0 / site.ranks());
  profile.two_phase.piece = scaled(difference(estimate(times[1]), estimate(times[0])),
                                   1.0 / static_cast<double>((many_pieces - few_pieces) * site.ranks()));
}

}  // namespace weir::profile
