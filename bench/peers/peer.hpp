// SPDX-License-Identifier: Apache-2.0
// What the peers share: their settings, and data in the order of the file. Local.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mode.hpp"

namespace weir::bench {

// A peer's settings: those it takes itself, and all others as MPI-IO hints, which win over the hints of every mode.
class PeerSettings {
 public:
  PeerSettings(const Settings& settings, const Settings& hints);

  // Removes a setting of the peer itself from the hints and returns its value.
  std::optional<std::string> take(const std::string& key);
  // The same for a setting that is 0 or 1. Throws BenchError for other values.
  bool take_flag(const std::string& key, bool otherwise);
  // Removes and returns what is left of the peer's own settings.
  Settings take_all() { return std::exchange(own_, {}); }
  // The rest as an info object, to be freed by the caller.
  [[nodiscard]] MPI_Info info() const;
  // Throws BenchError where something is left that a peer without MPI-IO cannot use; `hints` of every mode do not
  // count.
  void refuse_rest(const std::string& peer) const;

 private:
  Settings own_;
  Settings hints_;
};

// Owns an info object.
class Info {
 public:
  explicit Info(const PeerSettings& settings) : info_(settings.info()) {}
  ~Info() { MPI_Info_free(&info_); }
  Info(const Info&) = delete;
  Info& operator=(const Info&) = delete;
  [[nodiscard]] MPI_Info get() const { return info_; }

 private:
  MPI_Info info_;
};

// Puts a box into the order of the file, as a model must before it calls a library that expects it. Maps and boxes that
// already lie so are handed through without a copy. The scratch memory is kept for the next time.
class FileOrder {
 public:
  const std::byte* arrange(const Decomposition& part, std::int64_t element_bytes, const std::byte* values);

 private:
  std::vector<std::byte> scratch_;
};

// What `rank` puts of a variable as a box: its own, or the whole on rank 0 where no decomposition divides it. Local.
Decomposition box_of(const Workload& work, const Variable& variable, int rank);

// Throws BenchError that names the peer where a rank's elements are not a box. Local.
void require_boxes(const Workload& work, const std::string& peer);

// Whether all ranks read their own elements back as they put them; `right` is this rank's answer, `why` gets a sentence
// where it is not so. Collective.
bool all_read_back(bool right, MPI_Comm comm, std::string& why);

}  // namespace weir::bench
