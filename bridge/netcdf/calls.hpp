// SPDX-License-Identifier: Apache-2.0
// The table of netCDF's calls that name an open file, and how the bridge handles each of them for its own files. The
// exported functions (front.cpp, front_data.cpp), the documented table (docs/bridge_netcdf.md) and its test are made
// from it.
//
//   WEIR_NETCDF_INTERCEPTED(X) X(NAME, (parameters), (arguments)): intercepted; parameters without the leading int ncid
//   WEIR_NETCDF_REFUSED(X)  X(NAME, (parameters), (arguments), CODE): classic files have none of it: CODE is netCDF's
//                           own answer for files of its PnetCDF layer
//   WEIR_NETCDF_TYPES(X)    X(word, C type, nc_type): the typed variants of the data and attribute calls
//   WEIR_NETCDF_FORMS(X)    X(form): the shapes of the data calls, nc_put_FORM_TYPE and nc_get_FORM_TYPE
#pragma once

// nc_put_att_text has no type of its own to say.
#define WEIR_NETCDF_NUMBERS(X)         \
  X(schar, signed char, NC_BYTE)       \
  X(uchar, unsigned char, NC_UBYTE)    \
  X(ubyte, unsigned char, NC_UBYTE)    \
  X(short, short, NC_SHORT)            \
  X(int, int, NC_INT)                  \
  X(long, long, NC_INT64)              \
  X(float, float, NC_FLOAT)            \
  X(double, double, NC_DOUBLE)         \
  X(ushort, unsigned short, NC_USHORT) \
  X(uint, unsigned int, NC_UINT)       \
  X(longlong, long long, NC_INT64)     \
  X(ulonglong, unsigned long long, NC_UINT64)

#define WEIR_NETCDF_TYPES(X) X(text, char, NC_CHAR) WEIR_NETCDF_NUMBERS(X)

#define WEIR_NETCDF_FORMS(X) X(var) X(var1) X(vara) X(vars) X(varm)

// clang-format off
#define WEIR_NETCDF_INTERCEPTED(X) \
  X(nc_redef, (), ()) \
  X(nc_enddef, (), ()) \
  X(nc__enddef, (size_t header_free, size_t variable_align, size_t variable_free, size_t record_align), (header_free, variable_align, variable_free, record_align)) \
  X(nc_sync, (), ()) \
  X(nc_set_fill, (int mode, int* old_mode), (mode, old_mode)) \
  X(nc_def_dim, (const char* name, size_t length, int* dim), (name, length, dim)) \
  X(nc_rename_dim, (int dim, const char* name), (dim, name)) \
  X(nc_def_var, (const char* name, nc_type type, int ndims, const int* dims, int* var), (name, type, ndims, dims, var)) \
  X(nc_rename_var, (int var, const char* name), (var, name)) \
  X(nc_def_var_fill, (int var, int no_fill, const void* value), (var, no_fill, value)) \
  X(nc_put_att, (int var, const char* name, nc_type type, size_t length, const void* values), (var, name, type, length, values)) \
  X(nc_put_att_text, (int var, const char* name, size_t length, const char* text), (var, name, length, text)) \
  X(nc_get_att, (int var, const char* name, void* values), (var, name, values)) \
  X(nc_rename_att, (int var, const char* name, const char* new_name), (var, name, new_name)) \
  X(nc_del_att, (int var, const char* name), (var, name)) \
  X(nc_inq, (int* ndims, int* nvars, int* natts, int* unlimited), (ndims, nvars, natts, unlimited)) \
  X(nc_inq_ndims, (int* ndims), (ndims)) \
  X(nc_inq_nvars, (int* nvars), (nvars)) \
  X(nc_inq_natts, (int* natts), (natts)) \
  X(nc_inq_unlimdim, (int* dim), (dim)) \
  X(nc_inq_unlimdims, (int* count, int* dims), (count, dims)) \
  X(nc_inq_dimid, (const char* name, int* dim), (name, dim)) \
  X(nc_inq_dim, (int dim, char* name, size_t* length), (dim, name, length)) \
  X(nc_inq_dimname, (int dim, char* name), (dim, name)) \
  X(nc_inq_dimlen, (int dim, size_t* length), (dim, length)) \
  X(nc_inq_dimids, (int* ndims, int* dims, int parents), (ndims, dims, parents)) \
  X(nc_inq_varid, (const char* name, int* var), (name, var)) \
  X(nc_inq_var, (int var, char* name, nc_type* type, int* ndims, int* dims, int* natts), (var, name, type, ndims, dims, natts)) \
  X(nc_inq_varname, (int var, char* name), (var, name)) \
  X(nc_inq_vartype, (int var, nc_type* type), (var, type)) \
  X(nc_inq_varndims, (int var, int* ndims), (var, ndims)) \
  X(nc_inq_vardimid, (int var, int* dims), (var, dims)) \
  X(nc_inq_varnatts, (int var, int* natts), (var, natts)) \
  X(nc_inq_varids, (int* nvars, int* vars), (nvars, vars)) \
  X(nc_inq_var_fill, (int var, int* no_fill, void* value), (var, no_fill, value)) \
  X(nc_inq_var_deflate, (int var, int* shuffle, int* deflate, int* level), (var, shuffle, deflate, level)) \
  X(nc_inq_var_fletcher32, (int var, int* fletcher32), (var, fletcher32)) \
  X(nc_inq_var_chunking, (int var, int* storage, size_t* sizes), (var, storage, sizes)) \
  X(nc_inq_var_chunking_ints, (int var, int* storage, int* sizes), (var, storage, sizes)) \
  X(nc_inq_var_endian, (int var, int* endian), (var, endian)) \
  X(nc_def_var_chunking, (int var, int storage, const size_t* sizes), (var, storage, sizes)) \
  X(nc_def_var_chunking_ints, (int var, int storage, int* sizes), (var, storage, sizes)) \
  X(nc_inq_var_szip, (int var, int* mask, int* pixels), (var, mask, pixels)) \
  X(nc_inq_var_filter, (int var, unsigned int* id, size_t* count, unsigned int* values), (var, id, count, values)) \
  X(nc_inq_var_filter_ids, (int var, size_t* filters, unsigned int* ids), (var, filters, ids)) \
  X(nc_inq_att, (int var, const char* name, nc_type* type, size_t* length), (var, name, type, length)) \
  X(nc_inq_attid, (int var, const char* name, int* number), (var, name, number)) \
  X(nc_inq_attname, (int var, int number, char* name), (var, number, name)) \
  X(nc_inq_atttype, (int var, const char* name, nc_type* type), (var, name, type)) \
  X(nc_inq_attlen, (int var, const char* name, size_t* length), (var, name, length)) \
  X(nc_inq_format, (int* format), (format)) \
  X(nc_inq_format_extended, (int* format, int* mode), (format, mode)) \
  X(nc_inq_path, (size_t* length, char* path), (length, path)) \
  X(nc_inq_type, (nc_type type, char* name, size_t* bytes), (type, name, bytes)) \
  X(nc_inq_typeid, (const char* name, nc_type* type), (name, type)) \
  X(nc_inq_typeids, (int* count, int* types), (count, types)) \
  X(nc_inq_ncid, (const char* name, int* group), (name, group)) \
  X(nc_inq_grp_ncid, (const char* name, int* group), (name, group)) \
  X(nc_inq_grps, (int* count, int* groups), (count, groups)) \
  X(nc_inq_grpname, (char* name), (name)) \
  X(nc_inq_grpname_full, (size_t* length, char* name), (length, name)) \
  X(nc_inq_grpname_len, (size_t* length), (length)) \
  X(nc_inq_base_pe, (int* pe), (pe)) \
  X(nc_set_base_pe, (int pe), (pe)) \
  X(nc_show_metadata, (), ())

#define WEIR_NETCDF_REFUSED(X) \
  X(nc_inq_grp_parent, (int* group), (group), NC_ENOGRP) \
  X(nc_inq_grp_full_ncid, (const char* name, int* group), (name, group), NC_ENOGRP) \
  X(nc_def_grp, (const char* name, int* group), (name, group), NC_ENOTNC4) \
  X(nc_rename_grp, (const char* name), (name), NC_ENOTNC4) \
  X(nc_inq_user_type, (nc_type type, char* name, size_t* bytes, nc_type* base, size_t* fields, int* kind), (type, name, bytes, base, fields, kind), NC_ENOTNC4) \
  X(nc_def_compound, (size_t bytes, const char* name, nc_type* type), (bytes, name, type), NC_ENOTNC4) \
  X(nc_insert_compound, (nc_type type, const char* name, size_t offset, nc_type field), (type, name, offset, field), NC_ENOTNC4) \
  X(nc_insert_array_compound, (nc_type type, const char* name, size_t offset, nc_type field, int ndims, const int* sizes), (type, name, offset, field, ndims, sizes), NC_ENOTNC4) \
  X(nc_def_vlen, (const char* name, nc_type base, nc_type* type), (name, base, type), NC_ENOTNC4) \
  X(nc_def_enum, (nc_type base, const char* name, nc_type* type), (base, name, type), NC_ENOTNC4) \
  X(nc_insert_enum, (nc_type type, const char* name, const void* value), (type, name, value), NC_ENOTNC4) \
  X(nc_def_opaque, (size_t bytes, const char* name, nc_type* type), (bytes, name, type), NC_ENOTNC4) \
  X(nc_def_var_deflate, (int var, int shuffle, int deflate, int level), (var, shuffle, deflate, level), NC_ENOTNC4) \
  X(nc_def_var_fletcher32, (int var, int fletcher32), (var, fletcher32), NC_ENOTNC4) \
  X(nc_def_var_endian, (int var, int endian), (var, endian), NC_ENOTNC4) \
  X(nc_def_var_szip, (int var, int mask, int pixels), (var, mask, pixels), NC_ENOTNC4) \
  X(nc_def_var_quantize, (int var, int mode, int digits), (var, mode, digits), NC_ENOTNC4) \
  X(nc_inq_var_quantize, (int var, int* mode, int* digits), (var, mode, digits), NC_ENOTNC4) \
  X(nc_def_var_filter, (int var, unsigned int id, size_t count, const unsigned int* values), (var, id, count, values), NC_ENOTNC4) \
  X(nc_inq_var_filter_info, (int var, unsigned int id, size_t* count, unsigned int* values), (var, id, count, values), NC_ENOFILTER) \
  X(nc_inq_filter_avail, (unsigned int id), (id), NC_ENOFILTER) \
  X(nc_set_var_chunk_cache, (int var, size_t bytes, size_t slots, float preemption), (var, bytes, slots, preemption), NC_ENOTNC4) \
  X(nc_get_var_chunk_cache, (int var, size_t* bytes, size_t* slots, float* preemption), (var, bytes, slots, preemption), NC_ENOTNC4) \
  X(nc_set_var_chunk_cache_ints, (int var, int bytes, int slots, int preemption), (var, bytes, slots, preemption), NC_ENOTNC4) \
  X(nc_get_var_chunk_cache_ints, (int var, int* bytes, int* slots, int* preemption), (var, bytes, slots, preemption), NC_ENOTNC4)
// clang-format on
