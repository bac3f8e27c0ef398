// SPDX-License-Identifier: Apache-2.0
#include "reader.hpp"

#include <pnetcdf.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

namespace harness {
namespace {

void check(int code, const std::string& what) {
  if (code != NC_NOERR) throw Wrong(what + ": " + ncmpi_strerror(code));
}

constexpr int most_dims = 8;

class Pnetcdf final : public Reading {
 public:
  Pnetcdf(const Plan& plan, const std::string& path, bool part) : plan_(plan), part_(part) {
    check(ncmpi_open(MPI_COMM_SELF, path.c_str(), NC_NOWRITE, MPI_INFO_NULL, &file_), "ncmpi_open");
  }
  ~Pnetcdf() override { ncmpi_close(file_); }

  Found head() override {
    Found found{-1, 0, 0};
    int time = -1;
    MPI_Offset records = 0;
    check(ncmpi_get_att_int(file_, NC_GLOBAL, "generation", &found.generation), "attribute generation");
    check(ncmpi_inq_unlimdim(file_, &time), "ncmpi_inq_unlimdim");
    check(ncmpi_inq_dimlen(file_, time, &records), "ncmpi_inq_dimlen");
    found.records = records;
    if (part_) check(ncmpi_get_var_int_all(file_, number("weir_parts"), &found.parts), "weir_parts");
    return found;
  }

  std::vector<double> values(int var, std::int64_t record, std::vector<std::int64_t>& elements) override {
    const Variable& variable = variables[static_cast<std::size_t>(var)];
    int here = -1, ndims = 0, dims[most_dims];
    if (part_ && ncmpi_inq_varid(file_, variable.name, &here) != NC_NOERR)
      return elements.clear(), std::vector<double>();
    here = number(variable.name);
    check(ncmpi_inq_varndims(file_, here, &ndims), variable.name);
    if (ndims > most_dims) throw Wrong(std::string(variable.name) + " has " + std::to_string(ndims) + " dimensions");
    check(ncmpi_inq_vardimid(file_, here, dims), variable.name);
    std::vector<MPI_Offset> start(static_cast<std::size_t>(ndims), 0), count(static_cast<std::size_t>(ndims), 1);
    std::int64_t total = 1;
    for (int d = variable.record ? 1 : 0; d < ndims; ++d) {
      check(ncmpi_inq_dimlen(file_, dims[d], &count[static_cast<std::size_t>(d)]), variable.name);
      total *= count[static_cast<std::size_t>(d)];
    }
    if (variable.record) start[0] = record;
    elements = part_ ? elements_of_part(here, var) : all(var);
    if (total != static_cast<std::int64_t>(elements.size()))
      throw Wrong(std::string(variable.name) + " has another shape");
    std::vector<double> found(elements.size());
    check(ncmpi_get_vara_double_all(file_, here, start.data(), count.data(), found.data()), variable.name);
    return found;
  }

 private:
  int number(const char* name) const {
    int var = -1;
    check(ncmpi_inq_varid(file_, name, &var), name);
    return var;
  }
  std::vector<std::int64_t> all(int var) const {
    std::vector<std::int64_t> elements(static_cast<std::size_t>(plan_.elements(var)));
    std::iota(elements.begin(), elements.end(), 0);
    return elements;
  }

  // By the table of boxes that the variable names (src/formats/parts/part_schema.hpp).
  std::vector<std::int64_t> elements_of_part(int here, int var) const {
    const std::vector<std::int64_t> shape = plan_.shape(var);
    if (shape.empty()) return {0};
    MPI_Offset length = 0, boxes = 0, bounds = 0;
    check(ncmpi_inq_attlen(file_, here, "weir_regions", &length), "weir_regions");
    std::string name(static_cast<std::size_t>(length), ' ');
    check(ncmpi_get_att_text(file_, here, "weir_regions", name.data()), "weir_regions");
    const int table = number(name.c_str());
    int dims[2];
    check(ncmpi_inq_vardimid(file_, table, dims), name);
    check(ncmpi_inq_dimlen(file_, dims[0], &boxes), name);
    check(ncmpi_inq_dimlen(file_, dims[1], &bounds), name);
    std::vector<long long> numbers(static_cast<std::size_t>(boxes * bounds));
    check(ncmpi_get_var_longlong_all(file_, table, numbers.data()), name);
    std::vector<std::int64_t> elements;
    for (const long long* box = numbers.data(); box < numbers.data() + numbers.size(); box += bounds)
      append(elements, box, bounds / 2, shape);
    return elements;
  }

  static void append(std::vector<std::int64_t>& elements, const long long* box, std::int64_t ndims,
                     const std::vector<std::int64_t>& shape) {
    std::int64_t total = 1;
    for (std::int64_t d = 0; d < ndims; ++d) total *= std::max<std::int64_t>(0, box[ndims + d] - box[d]);
    const bool flat = ndims != static_cast<std::int64_t>(shape.size());
    for (std::int64_t i = 0; i < total; ++i) {
      std::int64_t element = 0, stride = 1, rest = i;
      for (std::int64_t d = ndims - 1; d >= 0; --d) {
        const std::int64_t length = box[ndims + d] - box[d];
        element += (box[d] + rest % length) * stride;
        rest /= length;
        stride *= flat ? 1 : shape[static_cast<std::size_t>(d)];
      }
      elements.push_back(element);
    }
  }

  const Plan& plan_;
  bool part_;
  int file_ = -1;
};

std::string in_words(const std::vector<State>& states) {
  std::string words;
  for (const State& state : states)
    words += "[" + std::to_string(state.generation) + "," + std::to_string(state.records) + "]";
  return words.empty() ? "none" : words;
}

std::unique_ptr<Reading> open(const Plan& plan, const std::string& path, const std::string& kind) {
#ifdef HARNESS_NETCDF4
  if (kind == "netcdf4") return read_netcdf4(plan, path);
#endif
  return std::make_unique<Pnetcdf>(plan, path, kind == "part");
}

void check_values(Reading& reading, const Plan& plan, const RecordKey& place) {
  std::vector<std::int64_t> elements;
  const std::vector<double> found = reading.values(place.var, place.record, elements);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const double wanted = plan.expected(place, elements[i]);
    if (found[i] != wanted)
      throw Wrong(std::string(variables[static_cast<std::size_t>(place.var)].name) + " record " +
                  std::to_string(place.record) + " element " + std::to_string(elements[i]) + " is " +
                  std::to_string(found[i]) + ", not " + std::to_string(wanted));
  }
}

// The records from `first` on, up to `records`, as the state has them.
void check_records(Reading& reading, const Plan& plan, RecordKey place, const State& state,
                   std::array<std::int64_t, 2> range) {
  for (place.var = 0; place.var < static_cast<int>(variables.size()); ++place.var) {
    const bool record = variables[static_cast<std::size_t>(place.var)].record;
    for (std::int64_t r = range[0]; r < (record ? range[1] : 1); ++r) {
      place.record = r;
      place.generation = record ? state.generation_of(r) : state.generation;
      check_values(reading, plan, place);
    }
  }
}

// Whether what was committed is there.
bool keeps(Reading& reading, const Plan& plan, const RecordKey& place, const State& last) try {
  check_records(reading, plan, place, last, {0, last.records});
  return true;
} catch (const Wrong&) {
  return false;
}

// netCDF's own reader finds the same.
void check_head([[maybe_unused]] const Plan& plan, [[maybe_unused]] const std::string& path,
                [[maybe_unused]] const Found& found) {
#ifdef HARNESS_NETCDF4
  const Found other = read_netcdf4(plan, path)->head();
  if (other.generation != found.generation || other.records != found.records)
    throw Wrong("netCDF finds " + std::to_string(other.records) + " records, PnetCDF " + std::to_string(found.records));
#endif
}

}  // namespace

Judged judge(const Plan& plan, const Asked& asked, bool& kept) {
  const auto reading = open(plan, asked.path, asked.kind);
  if (asked.kind == "whole") check_head(plan, asked.path, reading->head());
  return judge(plan, asked, *reading, kept);
}

Judged judge(const Plan& plan, const Asked& asked, Reading& reading, bool& kept) {
  const Found found = reading.head();
  const RecordKey place{asked.number, found.generation, 0, 0};
  const bool longer = asked.last && asked.last->generation == found.generation && asked.last->records <= found.records;
  kept = longer && keeps(reading, plan, place, *asked.last);
  std::optional<Wrong> wrong;
  for (const State& state : asked.states) {
    if (state.generation != found.generation || state.records != found.records) continue;
    try {
      const std::int64_t checked = kept && state == *asked.last ? state.records : 0;
      check_records(reading, plan, place, state, {checked, state.records});
      return {state, found.parts};
    } catch (const Wrong& error) {
      wrong = error;
    }
  }
  if (wrong) throw *wrong;
  throw Wrong("generation " + std::to_string(found.generation) + " with " + std::to_string(found.records) +
              " records, where there may be " + in_words(asked.states));
}

}  // namespace harness
