// SPDX-License-Identifier: Apache-2.0
// netCDF's rules for the names of dimensions, variables, attributes and groups. Pure. Local.
// Source: The NetCDF Classic Format Specification, "name" (UTF-8 in Unicode's normal form NFC); NC_MAX_NAME.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace weir {

// A name as a schema takes it: of a program, in NFC; or as a file has it, whatever form that is
// (docs/decisions/104-names-in-nfc.md). What is not UTF-8 stays as it is, and name_fault says so.
class Name {
 public:
  Name(std::string_view given);
  Name(const std::string& given) : Name(std::string_view(given)) {}
  Name(const char* given) : Name(std::string_view(given)) {}
  // Of a file that is read, or of another schema.
  static Name stored(std::string_view name) { return {std::string(name), true}; }

  const std::string& text() const noexcept { return text_; }
  bool is_stored() const noexcept { return stored_; }

 private:
  Name(std::string text, bool stored) : text_(std::move(text)), stored_(stored) {}

  std::string text_;
  bool stored_ = false;
};

// Whether they are the same in NFC.
bool same_name(std::string_view one, std::string_view other);

// Where `list` has an entry of this `name`: the one with the same bytes, or else the first that is the same in NFC; -1
// where there is none.
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

// What is wrong with a name, in words that follow "the name ...": "is empty", "contains '/'". nullopt: it is good.
std::optional<std::string> name_fault(std::string_view name);

// The same of a name with the groups before it: "ice/area".
std::optional<std::string> path_fault(std::string_view path);
// Whether netCDF-4 keeps an attribute of this name, without its groups, for itself.
bool is_reserved_in_netcdf4(std::string_view name) noexcept;
// Up to the last '/' and with it: the groups of a path; empty in the root group.
std::string_view group_prefix(std::string_view path) noexcept;
// Without its groups.
std::string_view last_name(std::string_view path) noexcept;
// Without the '/' of the root group before it.
std::string_view from_root(std::string_view path) noexcept;

}  // namespace weir
