// SPDX-License-Identifier: Apache-2.0
#include "input.hpp"

#include <filesystem>
#include <utility>

#include "check.hpp"

namespace weir::bench {

Input::Input(const Scene& scene, std::string path) : scene_(scene), path_(std::move(path)) {
  scene_.storage = nullptr;
  const std::unique_ptr<Mode> writer = make_peer_pnetcdf({}, scene_);
  writer->prepare();
  writer->begin(path_);
  writer->put_fixed();
  for (std::int64_t record = 0; record < scene_.work.records; ++record) writer->put_record(record);
  writer->end();
  file_ = open_reader_together(path_, scene_.comm);
}

Input::~Input() {
  file_.reset();
  MPI_Barrier(scene_.comm);
  int rank = 0;
  MPI_Comm_rank(scene_.comm, &rank);
  std::error_code ignored;
  if (rank == 0) std::filesystem::remove(path_, ignored);
}

void Input::read(std::int64_t record) {
  for (int v = 0; v < static_cast<int>(scene_.work.variables.size()); ++v)
    if (scene_.work.variables[v].record) read_part(v, record);
}

void Input::read_part(int variable, std::int64_t record) {
  const Variable& of = scene_.work.variables[variable];
  const Decomposition* part = scene_.work.part(of);
  if (!part || part->is_map) return;
  Extents start = part->start, count = part->count;
  start.insert(start.begin(), record);
  count.insert(count.begin(), 1);
  values_.resize(part->length() * type_bytes(of.type));
  file_->get(file_->variable_number(of.name), start, count, values_.data());
}

}  // namespace weir::bench
