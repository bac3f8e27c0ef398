// SPDX-License-Identifier: Apache-2.0
// weir-merge OUT.nc [PART...]: makes one file of the part files that file_per_rank or file_per_domain wrote. It is a
// model like any other: each rank holds what some parts hold, and puts it; any number of ranks will do. The file is the
// one a strategy that writes one file would have written, byte for byte.
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>

#include "instance.hpp"
#include "parts.hpp"

namespace {

using weir::Error;
using weir::File;
using weir::Instance;
using weir::Layout;
using weir::Part;
using weir::Schema;
using weir::Shape;

class Merge {
 public:
  Merge(const std::string& path, const std::vector<std::string>& names, const std::string& config)
      : instance_(MPI_COMM_WORLD, config.empty() ? nullptr : config.c_str()) {
    const int rank = instance_.comm().rank(), ranks = instance_.comm().size();
    const auto strategy = instance_.config().strategy;
    weir::require(strategy != weir::StrategyKind::file_per_rank && strategy != weir::StrategyKind::file_per_domain,
                  WEIR_ECONFIG, "weir-merge makes one file: give it a strategy that does");
    for (std::size_t i = static_cast<std::size_t>(rank); i < names.size(); i += static_cast<std::size_t>(ranks))
      parts_.emplace_back(names[i]);
    first_ = std::make_unique<Part>(names[0]);
    whole_ = first_->whole();
    weir::require(first_->parts() == static_cast<std::int64_t>(names.size()), WEIR_EFORMAT,
                  path + " was written in " + std::to_string(first_->parts()) + " parts, but there are " +
                      std::to_string(names.size()) + ": give all of them, and no others");
    file_ = &instance_.create(path, mode(first_->whole_format()));
  }

  void run() {
    define();
    for (int var = 0; var < static_cast<int>(whole_.variables().size()); ++var) layouts_.push_back(layout(var));
    const std::int64_t records = first_->records();
    for (int var = 0; var < static_cast<int>(layouts_.size()); ++var)
      if (!whole_.is_record(var)) put(var, 0);
    for (std::int64_t record = 0; record < records; ++record)
      for (int var = 0; var < static_cast<int>(layouts_.size()); ++var)
        if (whole_.is_record(var)) put(var, record);
    file_->close();
    instance_.finish();
  }

 private:
  static int mode(int format) {
    if (format == 5) return WEIR_CDF5;
    if (format == 2) return WEIR_CDF2;
    return format == 1 ? WEIR_CDF1 : 0;
  }

  void define() {
    file_->define([this](Schema& schema) { schema = whole_; });
    file_->enddef();
  }

  // This rank's boxes of a variable; -1 where no rank has any.
  int layout(int var) {
    const std::string& name = whole_.variables()[static_cast<std::size_t>(var)].name;
    const Shape shape = whole_.shape(var);
    std::vector<std::int64_t> bounds;
    std::int64_t ndims[2] = {0, -64};  // of the bounds: largest, and minus the smallest
    for (const Part& part : parts_) {
      const int number = part.variable(name);
      if (number < 0) continue;
      const auto more = part.bounds(number);
      bounds.insert(bounds.end(), more.begin(), more.end());
      ndims[0] = part.bounds_ndims(number);
    }
    weir::allreduce_max(instance_.comm(), std::span(ndims, 1), weir::Deadline(600), "weir-merge");
    if (ndims[0] == 0) return -1;
    const bool flat = ndims[0] != static_cast<std::int64_t>(std::max<std::size_t>(1, shape.size()));
    return instance_.define_layout(
        shape, [&] { return flat || shape.size() < 2 ? Layout::runs(shape, bounds) : boxes(shape, bounds); });
  }

  static Layout boxes(const Shape& shape, const std::vector<std::int64_t>& bounds) {
    const std::size_t n = shape.size();
    std::vector<std::int64_t> starts, counts;
    for (std::size_t box = 0; box < bounds.size(); box += 2 * n)
      for (std::size_t d = 0; d < n; ++d) {
        starts.push_back(bounds[box + d]);
        counts.push_back(bounds[box + n + d] - bounds[box + d]);
      }
    return Layout::boxes(shape, starts, counts, {});
  }

  void put(int var, std::int64_t record) {
    if (layouts_[static_cast<std::size_t>(var)] < 0) return;
    const weir::Variable& variable = whole_.variables()[static_cast<std::size_t>(var)];
    const int size = weir::type_bytes(variable.type);
    values_.clear();
    for (const Part& part : parts_) {
      const int number = part.variable(variable.name);
      if (number < 0) continue;
      const std::size_t at = values_.size();
      values_.resize(at + static_cast<std::size_t>(part.elements(number) * size));
      part.read(number, record, values_.data() + at);
    }
    file_->put(var, record, layouts_[static_cast<std::size_t>(var)], variable.type, values_.data());
  }

  Instance instance_;
  File* file_ = nullptr;
  std::unique_ptr<Part> first_;  // tells of the whole
  std::vector<Part> parts_;      // of this rank
  Schema whole_;
  std::vector<int> layouts_;
  std::vector<std::byte> values_;
};

int merge(int argc, char** argv) {
  CLI::App app("Makes one netCDF file of the part files that file_per_rank or file_per_domain wrote");
  std::string out, config;
  std::vector<std::string> parts;
  bool remove = false;
  app.add_option("OUT", out, "the file to make")->required();
  app.add_option("PART", parts, "its parts (default: OUT.0000, OUT.0001, ...)");
  app.add_option("--config", config, "Weir's configuration: a YAML file or text");
  app.add_flag("--remove", remove, "remove the parts when the file is made");
  CLI11_PARSE(app, argc, argv);
  if (parts.empty()) parts = weir::find_parts(out);
  weir::require(!parts.empty(), WEIR_EIO, "there is no part file " + out + ".0000 or the like");
  MPI_Barrier(MPI_COMM_WORLD);  // the search for parts must not find the file being made
  Merge(out, parts, config).run();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (remove && rank == 0)
    for (const std::string& part : parts) std::remove(part.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, code = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    code = merge(argc, argv);
  } catch (const std::exception& error) {
    if (rank == 0) std::cerr << "weir-merge: " << error.what() << "\n";
  }
  MPI_Finalize();
  return code;
}
