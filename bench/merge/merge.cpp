// SPDX-License-Identifier: Apache-2.0
#include "merge.hpp"

#include <algorithm>
#include <memory>

#include "instance.hpp"
#include "mpi/agree.hpp"
#include "parts.hpp"

namespace weir {

namespace {

class Merge {
 public:
  Merge(MPI_Comm world, const std::string& path, const std::vector<std::string>& names, const std::string& config)
      : instance_(world, config.empty() ? nullptr : config.c_str()) {
    const int rank = instance_.comm().rank(), ranks = instance_.comm().size();
    const auto strategy = instance_.config().strategy;
    require(strategy != StrategyKind::file_per_rank && strategy != StrategyKind::file_per_domain, WEIR_ECONFIG,
            "weir-merge makes one file: give it a strategy that does");
    Status status;
    try {
      for (std::size_t i = static_cast<std::size_t>(rank); i < names.size(); i += static_cast<std::size_t>(ranks))
        parts_.emplace_back(names[i]);
      first_ = std::make_unique<Part>(names[0]);
      whole_ = first_->whole();
      require(first_->parts() == static_cast<std::int64_t>(names.size()), WEIR_EFORMAT,
              path + " was written in " + std::to_string(first_->parts()) + " parts, but there are " +
                  std::to_string(names.size()) + ": give all of them, and no others");
    } catch (const Error& error) {
      status = {error.code(), error.what(), -1};
    }
    const Deadline deadline(instance_.config().timeout_seconds);
    agree(instance_.comm(), {1, 0, "reading of parts", nullptr}, status, deadline).raise();
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
    file_->set_fill(first_->fill_mode());
    file_->set_alignment(first_->alignment());
    file_->enddef();
  }

  // This rank's boxes of a variable; none where it has none: what nobody has is put all the same, as it was when the
  // parts were written, so that its records count.
  int layout(int var) {
    const std::string& name = whole_.variables()[static_cast<std::size_t>(var)].name;
    const Shape shape = whole_.shape(var);
    std::vector<std::int64_t> bounds;
    bool flat = shape.size() < 2;
    for (const Part& part : parts_) {
      const int number = part.variable(name);
      if (number < 0) continue;
      const auto more = part.bounds(number);
      bounds.insert(bounds.end(), more.begin(), more.end());
      flat = flat || part.bounds_ndims(number) != static_cast<int>(shape.size());
    }
    return instance_.define_layout(shape, [&] { return flat ? Layout::runs(shape, bounds) : boxes(shape, bounds); });
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
    const Variable& variable = whole_.variables()[static_cast<std::size_t>(var)];
    const int size = type_bytes(variable.type);
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

}  // namespace

void merge(MPI_Comm world, const std::string& path, const std::vector<std::string>& parts, const std::string& config) {
  Merge(world, path, parts, config).run();
}

}  // namespace weir
