// SPDX-License-Identifier: Apache-2.0
// Made by tools/interfaces from include/weir/weir.h: what the interfaces of the Fortran modules call, as these declare
// it.
#pragma once

#include "answer.hpp"

// clang-format off

using weir::fortran::FileHandle;

extern "C" {
void weir_f_finalize(weir_t** instance, int* stat, CFI_cdesc_t* errmsg);
void weir_f_report(weir_t* const* instance, const char** json, int* stat, CFI_cdesc_t* errmsg);
void weir_f_create(weir_t* const* instance, const CFI_cdesc_t* path, const int* mode, FileHandle* file, int* stat,
    CFI_cdesc_t* errmsg);
void weir_f_open(weir_t* const* instance, const CFI_cdesc_t* path, const int* mode, FileHandle* file, int* stat,
    CFI_cdesc_t* errmsg);
void weir_f_open_at_int32(weir_t* const* instance, const CFI_cdesc_t* path, const int* mode,
    const std::int32_t* records, FileHandle* file, int* stat, CFI_cdesc_t* errmsg);
void weir_f_open_at_int64(weir_t* const* instance, const CFI_cdesc_t* path, const int* mode,
    const std::int64_t* records, FileHandle* file, int* stat, CFI_cdesc_t* errmsg);
void weir_f_def_dim_int32(const FileHandle* file, const CFI_cdesc_t* name, const std::int32_t* length, int* dim,
    int* stat, CFI_cdesc_t* errmsg);
void weir_f_def_dim_int64(const FileHandle* file, const CFI_cdesc_t* name, const std::int64_t* length, int* dim,
    int* stat, CFI_cdesc_t* errmsg);
void weir_f_def_dim_unlimited(const FileHandle* file, const CFI_cdesc_t* name, const std::int64_t* length, int* dim,
    int* stat, CFI_cdesc_t* errmsg);
void weir_f_extend_dim(const FileHandle* file, const int* dim, const std::int64_t* length, int* stat,
    CFI_cdesc_t* errmsg);
void weir_f_def_var(const FileHandle* file, const CFI_cdesc_t* name, const int* type, const CFI_cdesc_t* dims, int* var,
    int* stat, CFI_cdesc_t* errmsg);
void weir_f_put_att(const FileHandle* file, const int* var, const CFI_cdesc_t* name, const CFI_cdesc_t* values,
    const int* type, int* stat, CFI_cdesc_t* errmsg);
void weir_f_put_att_text(const FileHandle* file, const int* var, const CFI_cdesc_t* name, const CFI_cdesc_t* text,
    int* stat, CFI_cdesc_t* errmsg);
void weir_f_def_var_chunking(const FileHandle* file, const int* var, const int* storage, const CFI_cdesc_t* chunks,
    int* stat, CFI_cdesc_t* errmsg);
void weir_f_def_var_deflate(const FileHandle* file, const int* var, const int* shuffle, const int* deflate,
    const int* level, int* stat, CFI_cdesc_t* errmsg);
void weir_f_def_var_zstd(const FileHandle* file, const int* var, const int* level, int* stat, CFI_cdesc_t* errmsg);
void weir_f_def_var_fletcher32(const FileHandle* file, const int* var, const int* fletcher32, int* stat,
    CFI_cdesc_t* errmsg);
void weir_f_def_var_quantize(const FileHandle* file, const int* var, const int* mode, const int* digits, int* stat,
    CFI_cdesc_t* errmsg);
void weir_f_set_fill(const FileHandle* file, const int* mode, int* stat, CFI_cdesc_t* errmsg);
void weir_f_set_alignment(const FileHandle* file, const std::int64_t* header_free_bytes,
    const std::int64_t* variable_align_bytes, const std::int64_t* record_align_bytes, int* stat, CFI_cdesc_t* errmsg);
void weir_f_enddef(const FileHandle* file, int* stat, CFI_cdesc_t* errmsg);
void weir_f_redef(const FileHandle* file, int* stat, CFI_cdesc_t* errmsg);
void weir_f_sync(const FileHandle* file, int* stat, CFI_cdesc_t* errmsg);
void weir_f_sync_all(weir_t* const* instance, int* stat, CFI_cdesc_t* errmsg);
void weir_f_close(FileHandle* file, int* stat, CFI_cdesc_t* errmsg);
void weir_f_def_layout_int32(weir_t* const* instance, const CFI_cdesc_t* shape, const CFI_cdesc_t* starts,
    const CFI_cdesc_t* counts, int* layout, const CFI_cdesc_t* order, int* stat, CFI_cdesc_t* errmsg);
void weir_f_def_layout_int64(weir_t* const* instance, const CFI_cdesc_t* shape, const CFI_cdesc_t* starts,
    const CFI_cdesc_t* counts, int* layout, const CFI_cdesc_t* order, int* stat, CFI_cdesc_t* errmsg);
void weir_f_def_layout_subarray_int32(weir_t* const* instance, const CFI_cdesc_t* shape, const CFI_cdesc_t* start,
    const CFI_cdesc_t* count, const CFI_cdesc_t* memory_shape, const CFI_cdesc_t* memory_start, int* layout,
    const CFI_cdesc_t* order, int* stat, CFI_cdesc_t* errmsg);
void weir_f_def_layout_subarray_int64(weir_t* const* instance, const CFI_cdesc_t* shape, const CFI_cdesc_t* start,
    const CFI_cdesc_t* count, const CFI_cdesc_t* memory_shape, const CFI_cdesc_t* memory_start, int* layout,
    const CFI_cdesc_t* order, int* stat, CFI_cdesc_t* errmsg);
void weir_f_def_layout_map_int32(weir_t* const* instance, const CFI_cdesc_t* shape, const CFI_cdesc_t* offsets,
    int* layout, int* stat, CFI_cdesc_t* errmsg);
void weir_f_def_layout_map_int64(weir_t* const* instance, const CFI_cdesc_t* shape, const CFI_cdesc_t* offsets,
    int* layout, int* stat, CFI_cdesc_t* errmsg);
void weir_f_inq_layout_int32(weir_t* const* instance, const int* layout, std::int32_t* buffer_length, int* stat,
    CFI_cdesc_t* errmsg);
void weir_f_inq_layout_int64(weir_t* const* instance, const int* layout, std::int64_t* buffer_length, int* stat,
    CFI_cdesc_t* errmsg);
void weir_f_free_layout(weir_t* const* instance, const int* layout, int* stat, CFI_cdesc_t* errmsg);
void weir_f_put(const FileHandle* file, const int* var, const int* layout, const CFI_cdesc_t* values, const int* record,
    int* stat, CFI_cdesc_t* errmsg);
void weir_f_put_vara_int32(const FileHandle* file, const int* var, const CFI_cdesc_t* start, const CFI_cdesc_t* count,
    const CFI_cdesc_t* values, int* stat, CFI_cdesc_t* errmsg);
void weir_f_put_vara_int64(const FileHandle* file, const int* var, const CFI_cdesc_t* start, const CFI_cdesc_t* count,
    const CFI_cdesc_t* values, int* stat, CFI_cdesc_t* errmsg);
void weir_f_put_var(const FileHandle* file, const int* var, const CFI_cdesc_t* values, const int* record, int* stat,
    CFI_cdesc_t* errmsg);
void weir_f_fail(const FileHandle* file, const int* code, const CFI_cdesc_t* sentence, int* stat, CFI_cdesc_t* errmsg);
void weir_f_plan(const FileHandle* file, const int* var, const int* layout, const char** json, int* stat,
    CFI_cdesc_t* errmsg);
void weir_f_get(const FileHandle* file, const int* var, const int* layout, CFI_cdesc_t* values, const int* record,
    int* stat, CFI_cdesc_t* errmsg);
void weir_f_prefetch(const FileHandle* file, const CFI_cdesc_t* vars, const int* layout, const int* record, int* stat,
    CFI_cdesc_t* errmsg);
void weir_f_get_vara_all_int32(const FileHandle* file, const int* var, const CFI_cdesc_t* start,
    const CFI_cdesc_t* count, CFI_cdesc_t* values, int* stat, CFI_cdesc_t* errmsg);
void weir_f_get_vara_all_int64(const FileHandle* file, const int* var, const CFI_cdesc_t* start,
    const CFI_cdesc_t* count, CFI_cdesc_t* values, int* stat, CFI_cdesc_t* errmsg);
void weir_f_get_vara_int32(const FileHandle* file, const int* var, const CFI_cdesc_t* start, const CFI_cdesc_t* count,
    CFI_cdesc_t* values, int* stat, CFI_cdesc_t* errmsg);
void weir_f_get_vara_int64(const FileHandle* file, const int* var, const CFI_cdesc_t* start, const CFI_cdesc_t* count,
    CFI_cdesc_t* values, int* stat, CFI_cdesc_t* errmsg);
void weir_f_inq(const FileHandle* file, int* ndims, int* nvars, int* natts, int* record_dim, int* stat,
    CFI_cdesc_t* errmsg);
void weir_f_inq_unlimdims(const FileHandle* file, int* ndims, CFI_cdesc_t* dims, int* stat, CFI_cdesc_t* errmsg);
void weir_f_inq_nrecords_int32(const FileHandle* file, std::int32_t* records, int* stat, CFI_cdesc_t* errmsg);
void weir_f_inq_nrecords_int64(const FileHandle* file, std::int64_t* records, int* stat, CFI_cdesc_t* errmsg);
void weir_f_inq_dimid(const FileHandle* file, const CFI_cdesc_t* name, int* dim, int* stat, CFI_cdesc_t* errmsg);
void weir_f_inq_dim_int32(const FileHandle* file, const int* dim, std::int32_t* length, CFI_cdesc_t* name, int* stat,
    CFI_cdesc_t* errmsg);
void weir_f_inq_dim_int64(const FileHandle* file, const int* dim, std::int64_t* length, CFI_cdesc_t* name, int* stat,
    CFI_cdesc_t* errmsg);
void weir_f_inq_varid(const FileHandle* file, const CFI_cdesc_t* name, int* var, int* stat, CFI_cdesc_t* errmsg);
void weir_f_inq_var(const FileHandle* file, const int* var, CFI_cdesc_t* name, int* type, int* ndims, CFI_cdesc_t* dims,
    int* natts, int* stat, CFI_cdesc_t* errmsg);
void weir_f_inq_left_out(const FileHandle* file, int* count, CFI_cdesc_t* names, CFI_cdesc_t* reasons, int* stat,
    CFI_cdesc_t* errmsg);
void weir_f_inq_attname(const FileHandle* file, const int* var, const int* number, CFI_cdesc_t* name, int* stat,
    CFI_cdesc_t* errmsg);
void weir_f_inq_att(const FileHandle* file, const int* var, const CFI_cdesc_t* name, int* type, std::int64_t* count,
    int* stat, CFI_cdesc_t* errmsg);
void weir_f_get_att(const FileHandle* file, const int* var, const CFI_cdesc_t* name, CFI_cdesc_t* values, int* stat,
    CFI_cdesc_t* errmsg);
void weir_f_inq_format(const FileHandle* file, int* format, int* stat, CFI_cdesc_t* errmsg);
void weir_f_def_field(weir_t* const* instance, const CFI_cdesc_t* name, const int* type, const CFI_cdesc_t* dims,
    const int* layout, int* field, int* stat, CFI_cdesc_t* errmsg);
void weir_f_put_field_att(weir_t* const* instance, const int* field, const CFI_cdesc_t* name, const CFI_cdesc_t* values,
    const int* type, int* stat, CFI_cdesc_t* errmsg);
void weir_f_put_field_att_text(weir_t* const* instance, const int* field, const CFI_cdesc_t* name,
    const CFI_cdesc_t* text, int* stat, CFI_cdesc_t* errmsg);
void weir_f_set_field(weir_t* const* instance, const int* field, const CFI_cdesc_t* values, int* stat,
    CFI_cdesc_t* errmsg);
void weir_f_start_streams(weir_t* const* instance, const CFI_cdesc_t* units, const double* start,
    const CFI_cdesc_t* calendar, int* stat, CFI_cdesc_t* errmsg);
void weir_f_send(weir_t* const* instance, const int* field, const double* time, const CFI_cdesc_t* values, int* stat,
    CFI_cdesc_t* errmsg);
void weir_f_field_wanted(weir_t* const* instance, const int* field, const double* time, int* wanted, int* stat,
    CFI_cdesc_t* errmsg);
}  // extern "C"
