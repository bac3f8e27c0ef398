// SPDX-License-Identifier: Apache-2.0
// A workload's file as the PnetCDF peers define it (CDF-5, no filling but where a map has holes), and the requests that
// describe each variable to PnetCDF, made once.
#pragma once

#include <mpi.h>
#include <pnetcdf.h>

#include <string>
#include <vector>

#include "workload.hpp"

namespace weir::bench {

// The pieces of one variable on this rank, with room for the record's number at the front.
class PieceList {
 public:
  // A variable that rank 0 puts alone is one box there and an empty one elsewhere; but a value without dimensions
  // cannot be empty, so every rank puts it: they all hold the same one.
  PieceList(const Workload& work, const Variable& variable, bool rank_zero);
  PieceList(PieceList&&) noexcept = default;  // a copy's pointers would be the original's

  // Sets the record that the pieces mean; ignored for variables without record dimension.
  void set_record(std::int64_t record);

  [[nodiscard]] bool is_box() const { return is_box_; }  // one piece, empty where the rank has nothing
  [[nodiscard]] int pieces() const { return static_cast<int>(starts_.size()); }
  [[nodiscard]] MPI_Offset* const* starts() { return starts_.data(); }
  [[nodiscard]] MPI_Offset* const* counts() { return counts_.data(); }
  [[nodiscard]] std::int64_t elements() const { return elements_; }

 private:
  void add(const Extents& start, const Extents& count);
  void add_run(const Extents& shape, Run run);
  void empty();
  void point();

  bool record_ = false;
  bool is_box_ = false;
  std::int64_t elements_ = 0;
  std::size_t ndims_ = 0;
  std::vector<MPI_Offset> start_values_, count_values_;
  std::vector<MPI_Offset*> starts_, counts_;
};

// An open file: its handle and its variables' numbers, in the workload's order.
struct PnetcdfFile {
  int id = -1;
  std::vector<int> variables;
};

// Creates and defines the file. Collective over comm.
PnetcdfFile create_pnetcdf_file(MPI_Comm comm, const std::string& path, const Workload& work, MPI_Info info);

// Fills one record of the variables whose map has holes; fixed variables were filled when they were defined.
// Collective.
void fill_record(const PnetcdfFile& file, const Workload& work, std::int64_t record);

}  // namespace weir::bench
