// SPDX-License-Identifier: Apache-2.0
// The procedures of module weir_data. A buffer's shape is checked here, against what the layout or the box needs:
// Fortran's arrays know theirs.
#include "base/text.hpp"
#include "c/start.hpp"
#include "procedures.hpp"
#include "values.hpp"

namespace weir::fortran {
namespace {

// A variable as the checks need it; all empty where the core refuses to tell, since it then refuses the put as well.
struct Variable {
  std::string name;
  bool has_records = false;
  std::vector<std::int64_t> lengths;  // without the record dimension
};

Variable ask_variable(const weir_file* file, int var) {
  Variable variable;
  char name[WEIR_MAX_NAME] = "";
  int axes = 0;
  if (weir_inq_var(file, var, name, nullptr, &axes, nullptr, nullptr) != WEIR_OK) return variable;
  variable.name = name;
  std::vector<int> dims(static_cast<std::size_t>(axes));
  int record_dim = -1;
  if (weir_inq_var(file, var, nullptr, nullptr, nullptr, dims.data(), nullptr) != WEIR_OK ||
      weir_inq(file, nullptr, nullptr, nullptr, &record_dim) != WEIR_OK)
    return variable;
  for (const int dim : dims) {
    std::int64_t length = 0;
    char dim_name[WEIR_MAX_NAME] = "";
    if (dim == record_dim)
      variable.has_records = true;
    else if (weir_inq_dim(file, dim, dim_name, &length) == WEIR_OK)
      variable.lengths.push_back(length);
  }
  return variable;
}

std::string in_quotes(const Variable& variable) {
  return "\"" + variable.name + "\"";
}

std::int64_t record_from_0(const weir_file* file, int var, const int* record) {
  if (record != nullptr) return std::int64_t{*record} - 1;
  const Variable variable = ask_variable(file, var);
  if (variable.has_records)
    throw Refusal(WEIR_EARGUMENT,
                  formatted("{} has the record dimension; say which record: record=1", in_quotes(variable)));
  return 0;
}

struct Transfer {
  int var;     // from 0
  int layout;  // from 0; none for a whole variable
  const int* record;
};

struct BoxArrays {
  const CFI_cdesc_t &start, &count;
};

// Throws where it has not the variable's dimensions.
struct Box {
  std::vector<std::int64_t> start, count;

  Box(const BoxArrays& arrays, const weir_file* file, int var)
      : start(axis_starts(arrays.start)), count(axis_lengths(arrays.count)) {
    int axes = 0;
    if (weir_inq_var(file, var, nullptr, nullptr, &axes, nullptr, nullptr) != WEIR_OK) return;
    const auto wanted = static_cast<std::size_t>(axes);
    if (start.size() != wanted || count.size() != wanted)
      throw Refusal(
          WEIR_EARGUMENT,
          formatted("start has {} elements and count {}, but the variable has {} dimensions; give one for each",
                    start.size(), count.size(), wanted));
  }
};

// What one rank has refused here, all ranks must learn of: they make the put. The sentence is then the file's.
template <class Put>
int put_or_fail(weir_file* file, int var, Put put) {
  return run_or_fail(
      file, [&] { return formatted("put of {}: ", in_quotes(ask_variable(file, var))); }, put);
}

void put_by_layout(const FileHandle& file, const Transfer& what, const CFI_cdesc_t& array, Answer answer) {
  call_on(file, answer, [&] {
    return put_or_fail(file.file, what.var, [&] {
      const Buffer values(array);
      require_fit(values, memory_shape(file.instance, what.layout), formatted("layout {}", what.layout + 1));
      const auto record = record_from_0(file.file, what.var, what.record);
      return weir_put(file.file, what.var, record, what.layout, values.type(), values.data());
    });
  });
}

// All ranks agree in a collective get, one that refuses it too: `meet` makes it without a buffer, which the others
// hear.
template <class Get, class Meet>
int get_or_refuse(Get get, Meet meet) {
  try {
    return get();
  } catch (const Refusal&) {
    static_cast<void>(meet());
    throw;
  }
}

void get_by_layout(const FileHandle& file, const Transfer& what, const CFI_cdesc_t& array, Answer answer) {
  call_on(file, answer, [&] {
    return get_or_refuse(
        [&] {
          Buffer values(array);
          require_fit(values, memory_shape(file.instance, what.layout), formatted("layout {}", what.layout + 1));
          const auto record = record_from_0(file.file, what.var, what.record);
          return weir_get(file.file, what.var, record, what.layout, values.type(), values.data());
        },
        [&] { return weir_get(file.file, what.var, -1, what.layout, WEIR_BYTE, nullptr); });
  });
}

// Without a record none of the variables may have the record dimension.
void prefetch(const FileHandle& file, std::span<const int> numbers, const Transfer& what, Answer answer) {
  std::vector<int> vars(numbers.begin(), numbers.end());
  for (int& var : vars) --var;
  const int count = static_cast<int>(vars.size());
  call_on(file, answer, [&] {
    return get_or_refuse(
        [&] {
          std::int64_t record = 0;
          for (const int var : vars) record = record_from_0(file.file, var, what.record);
          return weir_prefetch(file.file, count, vars.data(), record, what.layout);
        },
        [&] { return weir_prefetch(file.file, count, vars.data(), -1, what.layout); });
  });
}

void put_whole(const FileHandle& file, const Transfer& what, const CFI_cdesc_t& array, Answer answer) {
  call_on(file, answer, [&] {
    return put_or_fail(file.file, what.var, [&] {
      const Buffer values(array);
      const Variable variable = ask_variable(file.file, what.var);
      if (!variable.name.empty()) require_fit(values, variable.lengths, "the variable");
      const auto record = record_from_0(file.file, what.var, what.record);
      return weir_put_var(file.file, what.var, record, values.type(), values.data());
    });
  });
}

// All ranks agree in this call, a rank that fails too: all of them get its sentence here.
void put_box(const FileHandle& file, int var, const BoxArrays& arrays, const CFI_cdesc_t& array, Answer answer) {
  call_on(file, answer, [&] {
    bool put = false;
    const int code = put_or_fail(file.file, var, [&] {
      const Box box(arrays, file.file, var);
      const Buffer values(array);
      require_fit(values, box.count, "the box");
      put = true;
      return weir_put_vara(file.file, var, box.start.data(), box.count.data(), values.type(), values.data());
    });
    return put ? code : weir_put_vara(file.file, var, nullptr, nullptr, WEIR_BYTE, nullptr);
  });
}

void get_box(const FileHandle& file, int var, const BoxArrays& arrays, const CFI_cdesc_t& array, Answer answer) {
  call_on(file, answer, [&] {
    const Box box(arrays, file.file, var);
    const Buffer values(array);
    require_fit(values, box.count, "the box");
    return weir_get_vara(file.file, var, box.start.data(), box.count.data(), values.type(), values.data());
  });
}

void get_box_all(const FileHandle& file, int var, const BoxArrays& arrays, const CFI_cdesc_t& array, Answer answer) {
  call_on(file, answer, [&] {
    return get_or_refuse(
        [&] {
          const Box box(arrays, file.file, var);
          const Buffer values(array);
          require_fit(values, box.count, "the box");
          return weir_get_vara_all(file.file, var, box.start.data(), box.count.data(), values.type(), values.data());
        },
        [&] { return weir_get_vara_all(file.file, var, nullptr, nullptr, WEIR_BYTE, nullptr); });
  });
}

}  // namespace
}  // namespace weir::fortran

using namespace weir::fortran;

extern "C" {

void weir_f_put(const FileHandle* file, const int* var, const int* layout, const CFI_cdesc_t* values, const int* record,
                int* stat, CFI_cdesc_t* errmsg) {
  put_by_layout(*file, {*var - 1, *layout - 1, record}, *values, {stat, errmsg});
}

void weir_f_get(const FileHandle* file, const int* var, const int* layout, CFI_cdesc_t* values, const int* record,
                int* stat, CFI_cdesc_t* errmsg) {
  get_by_layout(*file, {*var - 1, *layout - 1, record}, *values, {stat, errmsg});
}

void weir_f_prefetch(const FileHandle* file, const CFI_cdesc_t* vars, const int* layout, const int* record, int* stat,
                     CFI_cdesc_t* errmsg) {
  prefetch(*file, {static_cast<const int*>(vars->base_addr), static_cast<std::size_t>(vars->dim[0].extent)},
           {-1, *layout - 1, record}, {stat, errmsg});
}

void weir_f_put_var(const FileHandle* file, const int* var, const CFI_cdesc_t* values, const int* record, int* stat,
                    CFI_cdesc_t* errmsg) {
  put_whole(*file, {*var - 1, -1, record}, *values, {stat, errmsg});
}

// A descriptor says of which kind the indices are, so these serve int64 too (plain_calls.cpp).
void weir_f_put_vara_int32(const FileHandle* file, const int* var, const CFI_cdesc_t* start, const CFI_cdesc_t* count,
                           const CFI_cdesc_t* values, int* stat, CFI_cdesc_t* errmsg) {
  put_box(*file, *var - 1, {*start, *count}, *values, {stat, errmsg});
}

void weir_f_get_vara_int32(const FileHandle* file, const int* var, const CFI_cdesc_t* start, const CFI_cdesc_t* count,
                           CFI_cdesc_t* values, int* stat, CFI_cdesc_t* errmsg) {
  get_box(*file, *var - 1, {*start, *count}, *values, {stat, errmsg});
}

void weir_f_get_vara_all_int32(const FileHandle* file, const int* var, const CFI_cdesc_t* start,
                               const CFI_cdesc_t* count, CFI_cdesc_t* values, int* stat, CFI_cdesc_t* errmsg) {
  get_box_all(*file, *var - 1, {*start, *count}, *values, {stat, errmsg});
}

}  // extern "C"
