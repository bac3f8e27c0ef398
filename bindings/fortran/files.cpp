// SPDX-License-Identifier: Apache-2.0
// The procedures of module weir_files.
#include <utility>

#include "base/text.hpp"
#include "c/start.hpp"
#include "procedures.hpp"
#include "values.hpp"

namespace weir::fortran {
namespace {

// What is refused of the definition of `what` is kept until weir_enddef, as what the core refuses is. After weir_enddef
// it is refused as late, whatever else is wrong with it, and fails the file as such: a setting that changes nothing
// asks for that.
template <class Define>
void define(const FileHandle& file, const std::string& what, Answer answer, Define define) {
  call_on(file, answer, [&] {
    if (const int code = weir_set_alignment(file.file, 0, 0, 0); code != WEIR_OK) return code;
    return run_or_fail(
        file.file, [&] { return what + ": "; }, define);
  });
}

int define_variable(weir_file* file, const std::string& name, int type, const CFI_cdesc_t& dims_array, int* var) {
  std::vector<int> dims;
  for (const auto dim : axis_starts(dims_array)) dims.push_back(static_cast<int>(dim));
  int id = -1;
  const int code =
      weir_def_var(file, name.c_str(), static_cast<weir_type>(type), static_cast<int>(dims.size()), dims.data(), &id);
  *var = id + 1;
  return code;
}

}  // namespace
}  // namespace weir::fortran

using namespace weir::fortran;

extern "C" {

void weir_f_init(const MPI_Fint* world, MPI_Fint* model_comm, weir_t** instance, const CFI_cdesc_t* config, int* stat,
                 CFI_cdesc_t* errmsg) {
  *instance = nullptr;
  MPI_Comm model = MPI_COMM_NULL;
  answer_call(
      {stat, errmsg},
      [&] {
        const bool given = config != nullptr && config->base_addr != nullptr;
        const std::string text = trimmed_text(config);
        return weir::start(MPI_Comm_f2c(*world), given ? text.c_str() : nullptr, {counting, {}}, &model, instance);
      },
      [] { return weir_init_error(); });
  *model_comm = MPI_Comm_c2f(model);
}

void weir_f_finalize(weir_t** instance, int* stat, CFI_cdesc_t* errmsg) {
  const Answer answer{stat, errmsg};
  if (*instance == nullptr) return call_on(*instance, answer, [] { return WEIR_OK; });
  answer_call(
      answer, [&] { return weir_finalize(instance); }, [] { return weir_init_error(); });
}

const char* weir_f_error(weir_t* const* instance) {
  return *instance == nullptr ? "" : weir_error(*instance);
}

const char* weir_f_file_error(const FileHandle* file) {
  return file->file == nullptr ? "" : weir_file_error(file->file);
}

void weir_f_create(weir_t* const* instance, const CFI_cdesc_t* path, const int* mode, FileHandle* file, int* stat,
                   CFI_cdesc_t* errmsg) {
  *file = {nullptr, *instance};
  call_on(*instance, {stat, errmsg},
          [&] { return weir_create(*instance, trimmed_text(path).c_str(), *mode, &file->file); });
}

void weir_f_open(weir_t* const* instance, const CFI_cdesc_t* path, const int* mode, FileHandle* file, int* stat,
                 CFI_cdesc_t* errmsg) {
  *file = {nullptr, *instance};
  call_on(*instance, {stat, errmsg},
          [&] { return weir_open(*instance, trimmed_text(path).c_str(), *mode, &file->file); });
}

void weir_f_open_at_int32(weir_t* const* instance, const CFI_cdesc_t* path, const int* mode,
                          const std::int32_t* records, FileHandle* file, int* stat, CFI_cdesc_t* errmsg) {
  const std::int64_t many = *records;
  weir_f_open_at_int64(instance, path, mode, &many, file, stat, errmsg);
}

void weir_f_open_at_int64(weir_t* const* instance, const CFI_cdesc_t* path, const int* mode,
                          const std::int64_t* records, FileHandle* file, int* stat, CFI_cdesc_t* errmsg) {
  *file = {nullptr, *instance};
  call_on(*instance, {stat, errmsg},
          [&] { return weir_open_at(*instance, trimmed_text(path).c_str(), *mode, *records, &file->file); });
}

void weir_f_def_var(const FileHandle* file, const CFI_cdesc_t* name, const int* type, const CFI_cdesc_t* dims, int* var,
                    int* stat, CFI_cdesc_t* errmsg) {
  *var = 0;
  define(*file, weir::formatted("variable {}", trimmed_text(name)), {stat, errmsg},
         [&] { return define_variable(file->file, trimmed_text(name), *type, *dims, var); });
}

void weir_f_put_att(const FileHandle* file, const int* var, const CFI_cdesc_t* name, const CFI_cdesc_t* values,
                    const int* type, int* stat, CFI_cdesc_t* errmsg) {
  define(*file, weir::formatted("attribute {}", trimmed_text(name)), {stat, errmsg}, [&] {
    const AttributeValues given(*values, type);
    return weir_put_att(file->file, *var - 1, trimmed_text(name).c_str(), given.type(), given.count(), given.data());
  });
}

void weir_f_def_var_chunking(const FileHandle* file, const int* var, const int* storage, const CFI_cdesc_t* chunks,
                             int* stat, CFI_cdesc_t* errmsg) {
  define(*file, weir::formatted("chunks of variable {}", *var), {stat, errmsg}, [&] {
    const std::vector<std::int64_t> lengths = axis_lengths(*chunks);
    int ndims = 0;
    if (const int code = weir_inq_var(file->file, *var - 1, nullptr, nullptr, &ndims, nullptr, nullptr)) return code;
    if (static_cast<int>(lengths.size()) != ndims)
      throw Refusal(WEIR_EARGUMENT, weir::formatted("give a length for each of its {} dimensions", ndims));
    return weir_def_var_chunking(file->file, *var - 1, *storage, lengths.data());
  });
}

void weir_f_close(FileHandle* file, int* stat, CFI_cdesc_t* errmsg) {
  const Answer answer{stat, errmsg};
  weir_file* const closed = std::exchange(file->file, nullptr);
  if (closed == nullptr) return call_on(*file, answer, [] { return WEIR_OK; });
  answer_call(
      answer, [&] { return weir_close(closed); }, [&] { return weir_error(file->instance); });
}

}  // extern "C"
