// SPDX-License-Identifier: Apache-2.0
// The calls of calls.hpp on a netCDF-4 file that Weir makes. All go to its definition shadow, which netCDF has under
// the program's number, except those that these functions handle: they return the code of the call, or nullopt to let
// netCDF handle it.
#pragma once

#include <optional>

#include "netcdf/front.hpp"
#include "netcdf/packed_file.hpp"

namespace weir::bridge::of_packed {

using Verdict = std::optional<int>;

// A call behind the border of its file: what Weir says of it, or else netCDF, which may have been handed the file.
template <class Says, class Original>
int ask(PackedFile& file, const Says& says, const Original& original) noexcept {
  const int code = file.call([&] {
    const Verdict said = says();
    return said ? *said : original();
  });
  if (file.is_handed_over()) static_cast<void>(take_packed(file.opened().ncid));
  return code;
}

#define WEIR_AS_NETCDF(NAME, PARAMETERS, ARGUMENTS, ...)    \
  template <class... Arguments>                             \
  Verdict NAME(PackedFile& /*file*/, const Arguments&...) { \
    return std::nullopt;                                    \
  }
WEIR_NETCDF_INTERCEPTED(WEIR_AS_NETCDF)
WEIR_NETCDF_REFUSED(WEIR_AS_NETCDF)
#undef WEIR_AS_NETCDF

// Modes, and what netCDF cannot know.
Verdict nc_redef(PackedFile& file);
Verdict nc_enddef(PackedFile& file);
Verdict nc__enddef(PackedFile& file, const size_t& header_free, const size_t& variable_align,
                   const size_t& variable_free, const size_t& record_align);
Verdict nc_sync(PackedFile& file);
Verdict nc_var_par_access(PackedFile& file, const int& var, const int& access);
Verdict nc_inq_dim(PackedFile& file, const int& dim, char* const& name, size_t* const& length);
Verdict nc_inq_dimlen(PackedFile& file, const int& dim, size_t* const& length);
Verdict nc_inq_path(PackedFile& file, size_t* const& length, char* const& path);
Verdict nc_inq_format_extended(PackedFile& file, int* const& format, int* const& mode);

// What changes the definitions.
Verdict nc_def_dim(PackedFile& file, const char* const& name, const size_t& length, int* const& dim);
Verdict nc_def_var(PackedFile& file, const char* const& name, const nc_type& type, const int& ndims,
                   const int* const& dims, int* const& var);
Verdict nc_def_var_chunking(PackedFile& file, const int& var, const int& storage, const size_t* const& sizes);
Verdict nc_def_var_chunking_ints(PackedFile& file, const int& var, const int& storage, int* const& sizes);
Verdict nc_def_var_quantize(PackedFile& file, const int& var, const int& mode, const int& digits);
Verdict nc_rename_dim(PackedFile& file, const int& dim, const char* const& name);
Verdict nc_rename_var(PackedFile& file, const int& var, const char* const& name);
Verdict nc_put_att(PackedFile& file, const int& var, const char* const& name, const nc_type& type, const size_t& length,
                   const void* const& values);
Verdict nc_put_att_text(PackedFile& file, const int& var, const char* const& name, const size_t& length,
                        const char* const& text);
Verdict nc_rename_att(PackedFile& file, const int& var, const char* const& name, const char* const& new_name);
Verdict nc_del_att(PackedFile& file, const int& var, const char* const& name);
// Of all typed ones.
Verdict put_att(PackedFile& file, int var, const char* name);

// What Weir's files have not.
Verdict nc_def_var_endian(PackedFile& file, const int& var, const int& endian);
Verdict nc_def_var_filter(PackedFile& file, const int& var, const unsigned int& id, const size_t& count,
                          const unsigned int* const& values);
Verdict nc_def_var_szip(PackedFile& file, const int& var, const int& mask, const int& pixels);
Verdict nc_def_grp(PackedFile& file, const char* const& name, int* const& group);
Verdict nc_def_compound(PackedFile& file, const size_t& bytes, const char* const& name, nc_type* const& type);
Verdict nc_def_vlen(PackedFile& file, const char* const& name, const nc_type& base, nc_type* const& type);
Verdict nc_def_enum(PackedFile& file, const nc_type& base, const char* const& name, nc_type* const& type);
Verdict nc_def_opaque(PackedFile& file, const size_t& bytes, const char* const& name, nc_type* const& type);

}  // namespace weir::bridge::of_packed
