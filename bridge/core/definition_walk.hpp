// SPDX-License-Identifier: Apache-2.0
// Reads the definitions of a file from the underlying library: one walk over the inquiries that netCDF, PnetCDF and PIO
// share. A library provides these calls, its type for lengths, and a sentence for an inquiry that fails:
//
//   struct Library {
//     using Length = std::size_t;
//     WEIR_DEFINITION_CALLS(WEIR_NETCDF, nc)
//     static std::string refusal(const char* what, int code);
//   };
//
// One that has attributes of strings also gives their values, as schema/text_list.hpp joins them; it throws Error:
//
//     static std::vector<std::byte> texts_of(int id, int var, const char* name, std::size_t count);
//
// Every step throws Error: WEIR_EFORMAT if an inquiry fails or Weir cannot represent the answer; Schema's own errors
// pass through. Local or Collective as the library's inquiries are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "formats/netcdf4/metadata.hpp"
#include "schema/schema.hpp"

// The calls of the underlying library BEHIND whose names begin with PREFIX.
#define WEIR_DEFINITION_CALLS(BEHIND, PREFIX)          \
  static int inq(auto... arguments) {                  \
    return BEHIND(PREFIX##_inq)(arguments...);         \
  }                                                    \
  static int inq_dim(auto... arguments) {              \
    return BEHIND(PREFIX##_inq_dim)(arguments...);     \
  }                                                    \
  static int inq_var(auto... arguments) {              \
    return BEHIND(PREFIX##_inq_var)(arguments...);     \
  }                                                    \
  static int inq_attname(auto... arguments) {          \
    return BEHIND(PREFIX##_inq_attname)(arguments...); \
  }                                                    \
  static int inq_att(auto... arguments) {              \
    return BEHIND(PREFIX##_inq_att)(arguments...);     \
  }                                                    \
  static int get_att(auto... arguments) {              \
    return BEHIND(PREFIX##_get_att)(arguments...);     \
  }

namespace weir::bridge {

template <class Library>
class DefinitionWalk {
 public:
  DefinitionWalk(int id, Schema& schema) : id_(id), schema_(schema) {
    check(Library::inq(id, &dims_, &vars_, &attributes_, &unlimited_), "what is defined");
  }

  int variables() const noexcept { return vars_; }

  // How many records the file has.
  std::int64_t add_dimensions() {
    std::int64_t records = 0;
    for (int dim = 0; dim < dims_; ++dim) {
      NameText name{};
      typename Library::Length length = 0;
      check(Library::inq_dim(id_, dim, name.data(), &length), "a dimension");
      if (dim == unlimited_) records = static_cast<std::int64_t>(length);
      schema_.add_dimension(Name::stored(name.data()), dim == unlimited_ ? 0 : static_cast<std::int64_t>(length));
    }
    return records;
  }

  // Without its attributes; how many it has.
  int add_variable(int var) {
    NameText name{};
    int type = 0, ndims = 0, attributes = 0;
    std::vector<int> dims(most_dimensions);
    check(Library::inq_var(id_, var, name.data(), &type, &ndims, dims.data(), &attributes), "a variable");
    require_type("variable ", name, type);
    dims.resize(static_cast<std::size_t>(ndims));
    schema_.add_variable(Name::stored(name.data()), static_cast<Type>(type), dims);
    return attributes;
  }

  // Those for which takes(name, type, length) holds.
  template <class Takes>
  void add_attributes(int var, int count, Takes takes) {
    for (int number = 0; number < count; ++number) {
      NameText name{};
      check(Library::inq_attname(id_, var, number, name.data()), "an attribute");
      add_attribute(var, name, takes);
    }
  }
  // The file's own.
  template <class Takes>
  void add_attributes(Takes takes) {
    add_attributes(WEIR_GLOBAL, attributes_, takes);
  }

 private:
  static constexpr int most_name = 256, most_dimensions = 1024;  // netCDF's NC_MAX_NAME, NC_MAX_VAR_DIMS
  using NameText = std::array<char, most_name + 1>;

  static void check(int code, const char* what) {
    if (code != 0) throw Error(WEIR_EFORMAT, Library::refusal(what, code));
  }

  static void require_type(const char* what, const NameText& name, int type) {
    if (type < WEIR_BYTE || type > WEIR_UINT64)
      throw Error(WEIR_EFORMAT, "{}\"{}\" is of a type that Weir does not write", what, name.data());
  }

  template <class Takes>
  void add_attribute(int var, const NameText& name, Takes takes) {
    int type = 0;
    typename Library::Length length = 0;
    check(Library::inq_att(id_, var, name.data(), &type, &length), "an attribute");
    if (!takes(std::string_view(name.data()), type, static_cast<std::int64_t>(length))) return;
    if constexpr (requires { Library::texts_of(id_, var, name.data(), std::size_t{}); })
      if (type == WEIR_STRING) return add_texts(var, name, static_cast<std::size_t>(length));
    require_type("attribute ", name, type);
    const auto external = static_cast<Type>(type);
    const auto count = static_cast<std::int64_t>(length);
    std::vector<std::byte> values(static_cast<std::size_t>(count * type_bytes(external)) + 1);
    check(Library::get_att(id_, var, name.data(), values.data()), "an attribute");
    schema_.put_attribute(var, Name::stored(name.data()), external, count, values.data());
  }

  void add_texts(int var, const NameText& name, std::size_t count) {
    const std::vector<std::byte> values = Library::texts_of(id_, var, name.data(), count);
    schema_.put_attribute(var, Name::stored(name.data()), WEIR_STRING, static_cast<std::int64_t>(count), values.data());
  }

  int id_;
  Schema& schema_;
  int dims_ = 0, vars_ = 0, attributes_ = 0, unlimited_ = -1;
};

// netCDF's quantize says what it did by an attribute of such a name; the rank that quantizes says so again.
inline bool is_quantizes(std::string_view name) noexcept {
  return name.starts_with("_Quantize");
}

// netCDF makes the file in its classic model. Not where it quantizes: netCDF 4.9.0 does not make both.
inline void mark_classic_model(Schema& schema) {
  const int marked = 1;
  schema.put_attribute(WEIR_GLOBAL, classic_model_mark, WEIR_INT, 1, &marked);
}

}  // namespace weir::bridge
