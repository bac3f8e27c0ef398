// SPDX-License-Identifier: Apache-2.0
#include "input.hpp"

#include <pnetcdf.h>

#include <filesystem>
#include <utility>

#include "base/text.hpp"
#include "check.hpp"
#include "mpi/comm.hpp"

namespace weir::bench {

Input::Input(const Scene& scene, std::string path) : scene_(scene), path_(std::move(path)) {
  const std::unique_ptr<Mode> writer = make_peer_pnetcdf({}, scene_);
  writer->prepare();
  writer->begin(path_);
  writer->put_fixed();
  for (std::int64_t record = 0; record < scene_.work.records; ++record) writer->put_record(record);
  writer->end();
  check_pnetcdf(ncmpi_open(scene_.comm, path_.c_str(), NC_NOWRITE, MPI_INFO_NULL, &file_),
                formatted("reading {}", path_));
  for (const Variable& variable : scene_.work.variables) {
    if (!variable.record || !scene_.work.part(variable)) continue;
    int id = 0;
    check_pnetcdf(ncmpi_inq_varid(file_, variable.name.c_str(), &id), formatted("ncmpi_inq_varid {}", variable.name));
    parts_.emplace_back(id, variable, PieceList(scene_.work, variable, false));
  }
}

Input::InputVariable::InputVariable(int number, const Variable& of, PieceList held)
    : id(number),
      type(of.type),
      pieces(std::move(held)),
      values(static_cast<std::size_t>(pieces.elements() * type_bytes(of.type))) {}

Input::~Input() {
  ncmpi_close(file_);
  MPI_Barrier(scene_.comm);
  int rank = 0;
  MPI_Comm_rank(scene_.comm, &rank);
  std::error_code ignored;
  if (rank == 0) std::filesystem::remove(path_, ignored);
}

void Input::read(std::int64_t record) {
  for (InputVariable& part : parts_) {
    part.pieces.set_record(record);
    check_pnetcdf(ncmpi_iget_varn(file_, part.id, part.pieces.pieces(), part.pieces.starts(), part.pieces.counts(),
                                  part.values.data(), part.pieces.elements(), mpi_type(part.type), nullptr),
                  "ncmpi_iget_varn");
  }
  check_pnetcdf(ncmpi_wait_all(file_, NC_GET_REQ_ALL, nullptr, nullptr), "ncmpi_wait_all");
}

}  // namespace weir::bench
