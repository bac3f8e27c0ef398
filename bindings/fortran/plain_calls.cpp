// SPDX-License-Identifier: Apache-2.0
// Made by tools/interfaces from include/weir/weir.h: procedures of the Fortran modules that only hand on arguments.
#include "procedures.hpp"

// clang-format off

using namespace weir::fortran;

extern "C" {

void weir_f_report(weir_t* const* instance, const char** json, int* stat, CFI_cdesc_t* errmsg) {
  *json = nullptr;
  call_on(*instance, {stat, errmsg}, [&] { return weir_report(*instance, json); });
}

void weir_f_def_dim_int32(const FileHandle* file, const CFI_cdesc_t* name, const std::int32_t* length, int* dim,
    int* stat, CFI_cdesc_t* errmsg) {
  *dim = 0;
  call_on(*file, {stat, errmsg}, [&] {
    int dim_from_0 = -1;
    const int code = weir_def_dim(file->file, trimmed_text(name).c_str(), *length, &dim_from_0);
    *dim = dim_from_0 + 1;
    return code;
  });
}

void weir_f_def_dim_int64(const FileHandle* file, const CFI_cdesc_t* name, const std::int64_t* length, int* dim,
    int* stat, CFI_cdesc_t* errmsg) {
  *dim = 0;
  call_on(*file, {stat, errmsg}, [&] {
    int dim_from_0 = -1;
    const int code = weir_def_dim(file->file, trimmed_text(name).c_str(), *length, &dim_from_0);
    *dim = dim_from_0 + 1;
    return code;
  });
}

void weir_f_def_dim_unlimited(const FileHandle* file, const CFI_cdesc_t* name, const std::int64_t* length, int* dim,
    int* stat, CFI_cdesc_t* errmsg) {
  *dim = 0;
  call_on(*file, {stat, errmsg}, [&] {
    int dim_from_0 = -1;
    const int code = weir_def_dim_unlimited(file->file, trimmed_text(name).c_str(), *length, &dim_from_0);
    *dim = dim_from_0 + 1;
    return code;
  });
}

void weir_f_extend_dim(const FileHandle* file, const int* dim, const std::int64_t* length, int* stat,
    CFI_cdesc_t* errmsg) {
  call_on(*file, {stat, errmsg}, [&] { return weir_extend_dim(file->file, *dim - 1, *length); });
}

void weir_f_put_att_text(const FileHandle* file, const int* var, const CFI_cdesc_t* name, const CFI_cdesc_t* text,
    int* stat, CFI_cdesc_t* errmsg) {
  call_on(*file, {stat, errmsg}, [&] { return weir_put_att_text(file->file, *var - 1, trimmed_text(name).c_str(),
      whole_text(*text).c_str()); });
}

void weir_f_def_var_deflate(const FileHandle* file, const int* var, const int* shuffle, const int* deflate,
    const int* level, int* stat, CFI_cdesc_t* errmsg) {
  call_on(*file, {stat, errmsg}, [&] { return weir_def_var_deflate(file->file, *var - 1, *shuffle, *deflate,
      *level); });
}

void weir_f_def_var_zstd(const FileHandle* file, const int* var, const int* level, int* stat, CFI_cdesc_t* errmsg) {
  call_on(*file, {stat, errmsg}, [&] { return weir_def_var_zstd(file->file, *var - 1, *level); });
}

void weir_f_def_var_fletcher32(const FileHandle* file, const int* var, const int* fletcher32, int* stat,
    CFI_cdesc_t* errmsg) {
  call_on(*file, {stat, errmsg}, [&] { return weir_def_var_fletcher32(file->file, *var - 1, *fletcher32); });
}

void weir_f_def_var_quantize(const FileHandle* file, const int* var, const int* mode, const int* digits, int* stat,
    CFI_cdesc_t* errmsg) {
  call_on(*file, {stat, errmsg}, [&] { return weir_def_var_quantize(file->file, *var - 1, *mode, *digits); });
}

void weir_f_set_fill(const FileHandle* file, const int* mode, int* stat, CFI_cdesc_t* errmsg) {
  call_on(*file, {stat, errmsg}, [&] { return weir_set_fill(file->file, static_cast<weir_fill_mode>(*mode)); });
}

void weir_f_set_alignment(const FileHandle* file, const std::int64_t* header_free_bytes,
    const std::int64_t* variable_align_bytes, const std::int64_t* record_align_bytes, int* stat, CFI_cdesc_t* errmsg) {
  call_on(*file, {stat, errmsg}, [&] { return weir_set_alignment(file->file, *header_free_bytes, *variable_align_bytes,
      *record_align_bytes); });
}

void weir_f_enddef(const FileHandle* file, int* stat, CFI_cdesc_t* errmsg) {
  call_on(*file, {stat, errmsg}, [&] { return weir_enddef(file->file); });
}

void weir_f_redef(const FileHandle* file, int* stat, CFI_cdesc_t* errmsg) {
  call_on(*file, {stat, errmsg}, [&] { return weir_redef(file->file); });
}

void weir_f_sync(const FileHandle* file, int* stat, CFI_cdesc_t* errmsg) {
  call_on(*file, {stat, errmsg}, [&] { return weir_sync(file->file); });
}

void weir_f_sync_all(weir_t* const* instance, int* stat, CFI_cdesc_t* errmsg) {
  call_on(*instance, {stat, errmsg}, [&] { return weir_sync_all(*instance); });
}

void weir_f_def_layout_int64(weir_t* const* instance, const CFI_cdesc_t* shape, const CFI_cdesc_t* starts,
    const CFI_cdesc_t* counts, int* layout, const CFI_cdesc_t* order, int* stat, CFI_cdesc_t* errmsg) {
  weir_f_def_layout_int32(instance, shape, starts, counts, layout, order, stat, errmsg);
}

void weir_f_def_layout_subarray_int64(weir_t* const* instance, const CFI_cdesc_t* shape, const CFI_cdesc_t* start,
    const CFI_cdesc_t* count, const CFI_cdesc_t* memory_shape, const CFI_cdesc_t* memory_start, int* layout,
    const CFI_cdesc_t* order, int* stat, CFI_cdesc_t* errmsg) {
  weir_f_def_layout_subarray_int32(instance, shape, start, count, memory_shape, memory_start, layout, order, stat,
      errmsg);
}

void weir_f_def_layout_map_int64(weir_t* const* instance, const CFI_cdesc_t* shape, const CFI_cdesc_t* offsets,
    int* layout, int* stat, CFI_cdesc_t* errmsg) {
  weir_f_def_layout_map_int32(instance, shape, offsets, layout, stat, errmsg);
}

void weir_f_inq_layout_int64(weir_t* const* instance, const int* layout, std::int64_t* buffer_length, int* stat,
    CFI_cdesc_t* errmsg) {
  *buffer_length = 0;
  call_on(*instance, {stat, errmsg}, [&] { return weir_inq_layout(*instance, *layout - 1, buffer_length); });
}

void weir_f_free_layout(weir_t* const* instance, const int* layout, int* stat, CFI_cdesc_t* errmsg) {
  call_on(*instance, {stat, errmsg}, [&] { return weir_free_layout(*instance, *layout - 1); });
}

void weir_f_put_vara_int64(const FileHandle* file, const int* var, const CFI_cdesc_t* start, const CFI_cdesc_t* count,
    const CFI_cdesc_t* values, int* stat, CFI_cdesc_t* errmsg) {
  weir_f_put_vara_int32(file, var, start, count, values, stat, errmsg);
}

void weir_f_fail(const FileHandle* file, const int* code, const CFI_cdesc_t* sentence, int* stat, CFI_cdesc_t* errmsg) {
  call_on(*file, {stat, errmsg}, [&] { return weir_fail(file->file, *code, trimmed_text(sentence).c_str()); });
}

void weir_f_plan(const FileHandle* file, const int* var, const int* layout, const char** json, int* stat,
    CFI_cdesc_t* errmsg) {
  *json = nullptr;
  call_on(*file, {stat, errmsg}, [&] { return weir_plan(file->file, *var - 1, *layout - 1, json); });
}

void weir_f_get_vara_all_int64(const FileHandle* file, const int* var, const CFI_cdesc_t* start,
    const CFI_cdesc_t* count, CFI_cdesc_t* values, int* stat, CFI_cdesc_t* errmsg) {
  weir_f_get_vara_all_int32(file, var, start, count, values, stat, errmsg);
}

void weir_f_get_vara_int64(const FileHandle* file, const int* var, const CFI_cdesc_t* start, const CFI_cdesc_t* count,
    CFI_cdesc_t* values, int* stat, CFI_cdesc_t* errmsg) {
  weir_f_get_vara_int32(file, var, start, count, values, stat, errmsg);
}

void weir_f_inq_nrecords_int64(const FileHandle* file, std::int64_t* records, int* stat, CFI_cdesc_t* errmsg) {
  *records = 0;
  call_on(*file, {stat, errmsg}, [&] { return weir_inq_nrecords(file->file, records); });
}

void weir_f_inq_dimid(const FileHandle* file, const CFI_cdesc_t* name, int* dim, int* stat, CFI_cdesc_t* errmsg) {
  *dim = 0;
  call_on(*file, {stat, errmsg}, [&] {
    int dim_from_0 = -1;
    const int code = weir_inq_dimid(file->file, trimmed_text(name).c_str(), &dim_from_0);
    *dim = dim_from_0 + 1;
    return code;
  });
}

void weir_f_inq_varid(const FileHandle* file, const CFI_cdesc_t* name, int* var, int* stat, CFI_cdesc_t* errmsg) {
  *var = 0;
  call_on(*file, {stat, errmsg}, [&] {
    int var_from_0 = -1;
    const int code = weir_inq_varid(file->file, trimmed_text(name).c_str(), &var_from_0);
    *var = var_from_0 + 1;
    return code;
  });
}

void weir_f_inq_format(const FileHandle* file, int* format, int* stat, CFI_cdesc_t* errmsg) {
  *format = 0;
  call_on(*file, {stat, errmsg}, [&] { return weir_inq_format(file->file, format); });
}

void weir_f_put_field_att_text(weir_t* const* instance, const int* field, const CFI_cdesc_t* name,
    const CFI_cdesc_t* text, int* stat, CFI_cdesc_t* errmsg) {
  call_on(*instance, {stat, errmsg}, [&] { return weir_put_field_att_text(*instance, *field - 1,
      trimmed_text(name).c_str(), whole_text(*text).c_str()); });
}

void weir_f_field_wanted(weir_t* const* instance, const int* field, const double* time, int* wanted, int* stat,
    CFI_cdesc_t* errmsg) {
  *wanted = 0;
  call_on(*instance, {stat, errmsg}, [&] { return weir_field_wanted(*instance, *field - 1, *time, wanted); });
}

}  // extern "C"
