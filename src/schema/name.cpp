// SPDX-License-Identifier: Apache-2.0
#include "schema/name.hpp"

#include <utf8proc.h>
#include <weir/types.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <new>

#include "base/text.hpp"

namespace weir {
namespace {

using Byte = unsigned char;

// The first byte of a UTF-8 sequence: how many bytes follow, and the range of the first of them (which shuts out
// overlong forms, surrogates and what is beyond U+10FFFF; the others are 0x80 to 0xBF).
struct CallBroadcast {
  Byte first, last;
  std::size_t following;
  Byte low, high;
};

constexpr std::array<CallBroadcast, 9> leads{{{0x00, 0x7F, 0, 0, 0},
                                              {0xC2, 0xDF, 1, 0x80, 0xBF},
                                              {0xE0, 0xE0, 2, 0xA0, 0xBF},
                                              {0xE1, 0xEC, 2, 0x80, 0xBF},
                                              {0xED, 0xED, 2, 0x80, 0x9F},
                                              {0xEE, 0xEF, 2, 0x80, 0xBF},
                                              {0xF0, 0xF0, 3, 0x90, 0xBF},
                                              {0xF1, 0xF3, 3, 0x80, 0xBF},
                                              {0xF4, 0xF4, 3, 0x80, 0x8F}}};

// Bytes of the sequence that `text` begins with; 0 where it is none.
std::size_t sequence_bytes(std::string_view text) noexcept {
  const auto byte = [&](std::size_t at) { return static_cast<Byte>(text[at]); };
  const auto* call_broadcast = std::find_if(
      leads.begin(), leads.end(), [&](const CallBroadcast& l) { return byte(0) >= l.first && byte(0) <= l.last; });
  if (call_broadcast == leads.end() || call_broadcast->following >= text.size()) return 0;
  for (std::size_t i = 1; i <= call_broadcast->following; ++i) {
    const Byte low = i == 1 ? call_broadcast->low : Byte{0x80};
    const Byte high = i == 1 ? call_broadcast->high : Byte{0xBF};
    if (byte(i) < low || byte(i) > high) return 0;
  }
  return call_broadcast->following + 1;
}

bool may_begin_a_name(char first) noexcept {
  return (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || (first >= '0' && first <= '9') ||
         first == '_' || static_cast<Byte>(first) >= 0x80;
}

bool is_ascii(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<Byte>(c) < 0x80; });
}

// In NFC; as it is where it is not UTF-8.
std::string composed(std::string_view text) {
  if (is_ascii(text) || !is_utf8(text)) return std::string(text);
  utf8proc_uint8_t* made = nullptr;
  const utf8proc_ssize_t bytes =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &made, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> memory(made, std::free);
  if (bytes == UTF8PROC_ERROR_NOMEM) throw std::bad_alloc();
  if (bytes < 0) return std::string(text);
  return {reinterpret_cast<const char*>(made), static_cast<std::size_t>(bytes)};
}

}  // namespace

Name::Name(std::string_view given) : text_(composed(given)) {}

// Letters of ASCII alone are their own NFC; others may be the NFC of something else (the Kelvin sign's is K).
bool same_name(std::string_view one, std::string_view other) {
  if (one == other) return true;
  return (!is_ascii(one) || !is_ascii(other)) && composed(one) == composed(other);
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t bytes = sequence_bytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

std::optional<std::string> name_fault(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.size() >= WEIR_MAX_NAME) return formatted("is longer than {} bytes", WEIR_MAX_NAME - 1);
  if (std::any_of(name.begin(), name.end(), [](char c) { return static_cast<Byte>(c) < 0x20 || c == 0x7F; })) {
    return "contains a control character";
  }
  if (!is_utf8(name)) return "is not valid UTF-8";
  if (name.find('/') != name.npos) return "contains '/'";
  if (name.front() == ' ') return "begins with a space";
  if (name.back() == ' ') return "ends with a space";
  if (!may_begin_a_name(name.front())) return "begins with neither a letter, a digit nor an underscore";
  return std::nullopt;
}

bool is_reserved_in_netcdf4(std::string_view name) noexcept {
  constexpr std::array<std::string_view, 10> reserved{
      "_NCProperties", "_Netcdf4Dimid", "_Netcdf4Coordinates", "_IsNetcdf4",    "_SuperblockVersion", "_nc3_strict",
      "CLASS",         "NAME",          "REFERENCE_LIST",      "DIMENSION_LIST"};
  return std::find(reserved.begin(), reserved.end(), name) != reserved.end();
}

std::optional<std::string> path_fault(std::string_view path) {
  if (path.size() >= WEIR_MAX_NAME) return formatted("is longer than {} bytes", WEIR_MAX_NAME - 1);
  for (std::size_t at = path.find('/'); at != path.npos; at = path.find('/')) {
    const auto fault = name_fault(path.substr(0, at));
    if (fault) return formatted("has a group whose name {}", *fault);
    path.remove_prefix(at + 1);
  }
  return name_fault(path);
}

std::string_view group_prefix(std::string_view path) noexcept {
  return path.substr(0, path.rfind('/') + 1);  // npos + 1 is 0
}

std::string_view last_name(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1);
}

std::string_view from_root(std::string_view path) noexcept {
  if (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

}  // namespace weir
