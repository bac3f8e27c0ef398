// SPDX-License-Identifier: Apache-2.0
#include "merge.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/config.hpp"
#include "base/text.hpp"
#include "instance/instance.hpp"
#include "mpi/agree.hpp"
#include "parts.hpp"

namespace weir {

namespace {

// As the user has it; but a rank that is kept for serving would be none of those that have parts.
Config configuration(const std::string& text) {
  Config config = load_config(text.empty() ? nullptr : text.c_str());
  if (config.strategy == StrategyKind::servers) config.strategy = StrategyKind::remap;
  config.control = ControlKind::hosted;
  require(!writes_parts(config), WEIR_ECONFIG, "weir-merge makes one file: give it a strategy that does");
  return config;
}

// The configuration of every rank, or the same error on all of them.
Config common_configuration(const Comm& comm, const std::string& text) {
  Config config;
  Status status;
  try {
    config = configuration(text);
  } catch (const Error& error) {
    status = {error.code(), error.what()};
  }
  agree(comm, {AgreementPoint::merge_configuration, 0, "reading of the configuration", nullptr}, status,
        Deadline(config.timeout_seconds))
      .raise();
  return config;
}

class Merge {
 public:
  Merge(MPI_Comm world, const std::string& path, const std::vector<std::string>& names, const MergeOptions& options)
      : instance_(world, common_configuration(Comm::duplicate(world), options.config)), records_(options.records) {
    Status status;
    try {
      if (instance_.comm().rank() == 0) check_target(path, names, options);
      read_definitions(path, names);
    } catch (const Error& error) {
      status = {error.code(), error.what()};
    }
    const Deadline deadline(instance_.config().timeout_seconds);
    agree(instance_.comm(), {AgreementPoint::merge_parts, 0, "reading of parts", nullptr}, status, deadline).raise();
    file_ = &instance_.files().create(path, mode(first_->whole_format()) | (options.overwrite ? 0 : WEIR_NOCLOBBER));
  }

  void run() {
    try {
      define();
      plan();
      put_all();
    } catch (const Error&) {
      give_up();
      throw;
    }
    file_->close();
    instance_.finish();
  }

 private:
  static void check_target(const std::string& path, const std::vector<std::string>& names,
                           const MergeOptions& options) {
    std::error_code absent;
    for (const std::string& name : names)
      require(!std::filesystem::equivalent(path, name, absent), WEIR_EARGUMENT,
              "{} is a part itself: give another name for the file to make", path);
    require(options.overwrite || !std::filesystem::exists(path, absent), WEIR_EIO,
            "{} exists already: give another name, or --overwrite to replace it", path);
  }

  // Of this rank's parts, and the first one.
  void read_definitions(const std::string& path, const std::vector<std::string>& names) {
    first_ = std::make_unique<PartReader>(names[0]);
    whole_ = first_->whole();
    require(first_->parts() == static_cast<std::int64_t>(names.size()), WEIR_EFORMAT,
            "{} was written in {} parts, but there are {}: give all of them, and no others", path, first_->parts(),
            names.size());
    const auto rank = static_cast<std::size_t>(instance_.comm().rank());
    for (std::size_t i = rank; i < names.size(); i += static_cast<std::size_t>(instance_.comm().size())) {
      parts_.emplace_back(names[i]);
      parts_.back().check(*first_, whole_);
      check_records(parts_.back());
    }
    if (names.size() == 1 && records_ < 0 && whole_.record_dimension() >= 0) check_count(*first_);
    if (records_ < 0) records_ = first_->records();
  }

  // Several parts count their records alike; of one alone a wrong count shows only by what stands behind.
  static void check_count(const PartReader& part) {
    const std::int64_t bytes = part.bytes_behind(), records = part.records();
    require(bytes == 0, WEIR_EFORMAT,
            "{} has {} bytes after its {} record(s): a run was killed before a commit, or the count is damaged; "
            "--records {} merges the counted records",
            part.path(), bytes, records, records);
  }

  void check_records(const PartReader& part) const {
    const std::int64_t here = part.records(), there = first_->records();
    require(records_ <= here, WEIR_EFORMAT, "{} has {} record(s), not the {} that were asked for", part.path(), here,
            records_);
    if (records_ < 0 && here != there)
      throw Error(WEIR_EFORMAT,
                  "{} has {} record(s) and {} has {}: a run was killed during a commit, or one of them is damaged; "
                  "--records {} merges the records that both have",
                  part.path(), here, first_->path(), there, std::min(here, there));
  }

  static int mode(int format) {
    if (format == 5) return WEIR_CDF5;
    if (format == 2) return WEIR_CDF2;
    return format == 1 ? WEIR_CDF1 : 0;
  }

  void define() {
    file_->definitions().define([this](Schema& schema) { schema = whole_; });
    file_->definitions().set_fill(first_->fill_mode());
    file_->definitions().set_alignment(first_->alignment());
    file_->definitions().enddef();
  }

  // Finds an element that two parts have before anything is written; what is planned here the puts find.
  void plan() {
    for (int var = 0; var < static_cast<int>(whole_.variables().size()); ++var) {
      layouts_.push_back(layout(var));
      static_cast<void>(file_->puts().plan_json(var, layouts_.back()));
    }
  }

  void put_all() {
    for (int var = 0; var < static_cast<int>(layouts_.size()); ++var)
      if (!whole_.is_record(var)) put(var, 0);
    for (std::int64_t record = 0; record < records_; ++record)
      for (int var = 0; var < static_cast<int>(layouts_.size()); ++var)
        if (whole_.is_record(var)) put(var, record);
  }

  // Every rank comes here with the error of all, or with one that the others are told now. Nothing is left of the file.
  void give_up() noexcept {
    try {
      file_->close();
    } catch (const Error&) {
    }
  }

  // This rank's boxes of a variable; none where it has none: what no rank has is put all the same, as it was when the
  // parts were written, so that its records count.
  int layout(int var) {
    const std::string& name = whole_.variables()[static_cast<std::size_t>(var)].name;
    const Shape shape = whole_.shape(var);
    return instance_.define_layout(shape, [&] {
      std::vector<std::int64_t> bounds;
      int ndims = static_cast<int>(shape.size());
      for (const PartReader& part : parts_) {
        const int number = part.variable(name);
        if (number < 0) continue;
        require(bounds.empty() || part.bounds_ndims(number) == ndims, WEIR_EFORMAT,
                "{} has other boxes of variable \"{}\" than other parts", part.path(), name);
        ndims = part.bounds_ndims(number);
        const auto more = part.bounds(number);
        bounds.insert(bounds.end(), more.begin(), more.end());
      }
      const bool flat = shape.size() < 2 || ndims != static_cast<int>(shape.size());
      return flat ? Layout::runs(shape, bounds) : boxes(shape, bounds);
    });
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
    try {
      read(variable, record);
    } catch (const Error& error) {
      throw Error(error.code(), file_->fail(error.code(), error.what()));
    }
    file_->puts().put(var, record, layouts_[static_cast<std::size_t>(var)], variable.type, values_.data());
  }

  // What this rank's parts have of it, to values_.
  void read(const Variable& variable, std::int64_t record) {
    values_.clear();
    for (const PartReader& part : parts_) {
      const int number = part.variable(variable.name);
      if (number < 0) continue;
      const std::size_t at = values_.size();
      values_.resize(at + static_cast<std::size_t>(part.elements(number) * type_bytes(variable.type)));
      part.read(number, record, values_.data() + at);
    }
  }

  Instance instance_;
  File* file_ = nullptr;
  std::unique_ptr<PartReader> first_;  // tells of the whole
  std::vector<PartReader> parts_;      // of this rank
  Schema whole_;
  std::int64_t records_;
  std::vector<int> layouts_;
  std::vector<std::byte> values_;
};

}  // namespace

void merge(MPI_Comm world, const std::string& path, const std::vector<std::string>& parts,
           const MergeOptions& options) {
  Merge(world, path, parts, options).run();
}

}  // namespace weir
