// SPDX-License-Identifier: Apache-2.0
// netCDF's rules for the names of dimensions, variables, attributes and groups. schema/schema.hpp applies them. Pure.
// Source: The NetCDF Classic Format Specification, "name" (UTF-8 in Unicode's normal form NFC); NC_MAX_NAME.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace weir {

// A name as a schema takes it: a program's in NFC, a file's as the file has it (docs/decisions/104-names-in-nfc.md). A
// name that is not UTF-8 stays as it is; name_fault() reports it.
class Name {
 public:
  Name(std::string_view given);
  Name(const std::string& given) : Name(std::string_view(given)) {}
  Name(const char* given) : Name(std::string_view(given)) {}
  // Makes the name of a file that is read, or of another schema.
  static Name stored(std::string_view name) { return {std::string(name), true}; }

  const std::string& text() const noexcept { return text_; }
  bool is_stored() const noexcept { return stored_; }

 private:
  Name(std::string text, bool stored) : text_(std::move(text)), stored_(stored) {}

  std::string text_;
  bool stored_ = false;
};

// Whether two names are the same in NFC.
bool same_name(std::string_view one, std::string_view other);

// Returns the index of `name` in `list`: the entry with the same bytes, else the first that is the same in NFC; -1 if
// there is none.
template <class List>
int find_name(const List& list, std::string_view name) {
  const auto first = [&](auto same) {
    for (std::size_t i = 0; i < list.size(); ++i)
      if (same(list[i].name, name)) return static_cast<int>(i);
    return -1;
  };
  const int exact = first([](const std::string& one, std::string_view other) { return one == other; });
  return exact >= 0 ? exact : first(same_name);
}

bool is_utf8(std::string_view text) noexcept;

// Return what is wrong with a name, or with a name and the groups before it ("ice/area"), in words that follow "the
// name ...": "is empty", "contains '/'". nullopt: nothing.
std::optional<std::string> name_fault(std::string_view name);

std::optional<std::string> path_fault(std::string_view path);
// Whether netCDF-4 reserves this attribute name (without groups).
bool is_reserved_in_netcdf4(std::string_view name) noexcept;
// Returns a path up to its last '/', with it: the groups; "" in the root group.
std::string_view group_prefix(std::string_view path) noexcept;
// Returns a path without its groups.
std::string_view last_name(std::string_view path) noexcept;
// Returns a path without the root group's '/' before it.
std::string_view from_root(std::string_view path) noexcept;

}  // namespace weir
