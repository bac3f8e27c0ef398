// SPDX-License-Identifier: Apache-2.0
#include "peers/peer.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/text.hpp"
#include "check.hpp"

namespace weir::bench {
namespace {

// Start of box row at file offset `offset` within the packed box, in elements.
std::int64_t place_in_box(const Decomposition& part, std::int64_t offset) {
  std::int64_t place = 0;
  std::int64_t stride = 1;
  for (std::size_t axis = part.shape.size(); axis-- > 0;) {
    place += (offset % part.shape[axis] - part.start[axis]) * stride;
    offset /= part.shape[axis];
    stride *= part.count[axis];
  }
  return place;
}

}  // namespace

PeerSettings::PeerSettings(const Settings& settings, const Settings& hints) : own_(settings), hints_(hints) {}

std::optional<std::string> PeerSettings::take(const std::string& key) {
  const auto found = std::find_if(own_.begin(), own_.end(), [&](const auto& entry) { return entry.first == key; });
  if (found == own_.end()) return std::nullopt;
  std::string value = found->second;
  own_.erase(found);
  return value;
}

bool PeerSettings::take_flag(const std::string& key, bool otherwise) {
  const auto value = take(key);
  if (!value) return otherwise;
  if (*value != "0" && *value != "1") throw BenchError(formatted("setting {}={}: give 0 or 1", key, *value));
  return *value == "1";
}

MPI_Info PeerSettings::info() const {
  MPI_Info info = MPI_INFO_NULL;
  check_mpi(MPI_Info_create(&info), "MPI_Info_create");
  for (const Settings* part : {&hints_, &own_}) {
    for (const auto& [key, value] : *part) {
      check_mpi(MPI_Info_set(info, key.c_str(), value.c_str()), formatted("MPI-IO hint {}={}", key, value));
    }
  }
  return info;
}

void PeerSettings::refuse_rest(const std::string& peer) const {
  if (own_.empty()) return;
  throw BenchError(formatted("{} has no setting \"{}\"; bench/README.md lists those it has", peer, own_.front().first));
}

const std::byte* FileOrder::arrange(const Decomposition& part, std::int64_t element_bytes, const std::byte* values) {
  if (part.in_file_order()) return values;
  scratch_.resize(part.length() * element_bytes);
  for_each_row(part, [&](std::int64_t file_offset, std::int64_t memory_offset, std::int64_t length) {
    std::memcpy(scratch_.data() + place_in_box(part, file_offset) * element_bytes,
                values + memory_offset * element_bytes, length * element_bytes);
  });
  return scratch_.data();
}

Decomposition box_of(const Workload& work, const Variable& variable, int rank) {
  if (work.part(variable)) return *work.part(variable);
  Decomposition box;
  box.shape = box.count = work.shape(variable);
  box.start.resize(box.shape.size(), 0);
  box.order.resize(box.shape.size());
  std::iota(box.order.begin(), box.order.end(), 0);
  if (rank != 0) std::fill(box.count.begin(), box.count.end(), 0);
  return box;
}

void require_boxes(const Workload& work, const std::string& peer) {
  for (const Decomposition& part : work.decompositions) {
    if (part.is_map) throw BenchError(formatted("{} writes boxes only; leave it out for this workload", peer));
  }
}

bool all_read_back(bool right, MPI_Comm comm, std::string& why) {
  int all = right ? 1 : 0;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  if (all == 0) why = "a rank does not read back what it put";
  return all != 0;
}

}  // namespace weir::bench
