// SPDX-License-Identifier: Apache-2.0
#include "verify.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

#include "agree.hpp"
#include "base/text.hpp"
#include "check.hpp"
#include "file_reader.hpp"
#include "values.hpp"

namespace weir::bench {
namespace {

constexpr std::int64_t slab_bytes = 8 << 20;
constexpr std::int64_t shared_from_bytes = 64 << 10;  // smaller fields are checked by one rank each

void require(bool holds, const std::string& what) {
  if (!holds) throw BenchError(what);
}

class Verifier {
 public:
  Verifier(const Workload& work, const std::string& path, MPI_Comm comm)
      : work_(work), values_(work), file_(open_reader(path)) {
    check_mpi(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(comm, &ranks_), "MPI_Comm_size");
  }

  // Throws BenchError that says what is wrong.
  void check() {
    check_definitions();
    for (int v = 0; v < static_cast<int>(work_.variables.size()); ++v) {
      const Variable& variable = work_.variables[v];
      const int number = file_->variable_number(variable.name);
      if (rank_ == v % ranks_) check_variable(variable, number);
      for (std::int64_t record = 0; record < (variable.record ? work_.records : 1); ++record) {
        check_field({v, record}, number);
      }
    }
  }

 private:
  void check_definitions() {
    require(file_->variables() == std::ssize(work_.variables),
            formatted("the file has {} variables, not {}", file_->variables(), work_.variables.size()));
    for (const Dimension& dimension : work_.dimensions) {
      const std::int64_t length = dimension.length == 0 ? work_.records : dimension.length;
      const std::int64_t seen = file_->dimension(dimension.name);
      require(seen == length, formatted("dimension {} is {}, not {}", dimension.name, seen, length));
    }
    if (rank_ == 0) check_attributes(WEIR_GLOBAL, work_.attributes, "the file");
  }

  void check_variable(const Variable& variable, int number) {
    const FileReader::VariableSeen seen = file_->variable(number);
    require(seen.type == variable.type, formatted("{} has another type", variable.name));
    std::vector<std::string> names;
    for (const int dim : variable.dims) names.push_back(work_.dimensions[dim].name);
    require(seen.dimensions == names, formatted("{} has other dimensions", variable.name));
    check_attributes(number, variable.attributes, variable.name);
  }

  void check_attributes(int number, const std::vector<Attribute>& attributes, const std::string& owner) {
    for (const Attribute& attribute : attributes) {
      const Attribute seen = file_->attribute(number, attribute);
      require(seen.type == attribute.type && seen.count == attribute.count && seen.values == attribute.values,
              formatted("attribute {} of {} has another value", attribute.name, owner));
    }
  }

  // The rows of the slowest dimension that this rank checks, a slab at a time.
  void check_field(Field field, int number) {
    const Variable& variable = work_.variables[field.variable];
    const Extents shape = work_.shape(variable);
    const std::int64_t rows = shape.empty() ? 1 : shape[0];
    const std::int64_t row_elements = work_.elements(variable) / rows;
    const std::int64_t row_bytes = row_elements * type_bytes(variable.type);
    std::int64_t first = rows * rank_ / ranks_;
    std::int64_t last = rows * (rank_ + 1) / ranks_;
    if (rows * row_bytes < shared_from_bytes) {
      first = 0;
      last = rank_ == (field.variable + field.record) % ranks_ ? rows : 0;
    }
    const std::int64_t step = std::max<std::int64_t>(1, slab_bytes / std::max<std::int64_t>(1, row_bytes));
    for (std::int64_t row = first; row < last; row += step) {
      const std::int64_t count = std::min(step, last - row);
      read_slab(field, number, {row, count});
      compare(field, {row * row_elements, count * row_elements});
    }
  }

  void read_slab(Field field, int number, Run rows) {
    const Variable& variable = work_.variables[field.variable];
    Extents count = work_.shape(variable);
    Extents start(count.size(), 0);
    if (!count.empty()) {
      start[0] = rows.offset;
      count[0] = rows.length;
    }
    seen_.resize(product(count) * type_bytes(variable.type));
    if (variable.record) {
      start.insert(start.begin(), field.record);
      count.insert(count.begin(), 1);
    }
    file_->get(number, start, count, seen_.data());
  }

  void compare(Field field, Run run) {
    const Variable& variable = work_.variables[field.variable];
    const std::int64_t bytes = type_bytes(variable.type);
    expected_.resize(seen_.size());
    values_.make(field, run, expected_.data());
    const Decomposition* part = work_.part(variable);
    if (part && !part->held.empty()) {
      for (std::int64_t i = 0; i < run.length; ++i) {
        if (!part->held[run.offset + i]) make_fill(variable, 1, expected_.data() + i * bytes);
      }
    }
    if (std::memcmp(seen_.data(), expected_.data(), seen_.size()) == 0) return;
    const auto wrong = std::mismatch(seen_.begin(), seen_.end(), expected_.begin()).first - seen_.begin();
    throw BenchError(
        formatted("{} record {} is wrong at element {}", variable.name, field.record, run.offset + wrong / bytes));
  }

  const Workload& work_;
  FieldValues values_;
  std::unique_ptr<FileReader> file_;
  int rank_ = 0;
  int ranks_ = 1;
  std::vector<std::byte> seen_, expected_;
};

}  // namespace

bool verify_file(const Workload& work, const std::string& path, MPI_Comm comm, std::string& why) {
  std::string complaint;
  try {
    Verifier(work, path, comm).check();
  } catch (const std::exception& error) {
    complaint = error.what();
  }
  why = first_complaint(complaint, comm);
  return why.empty();
}

}  // namespace weir::bench
