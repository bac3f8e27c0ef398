// SPDX-License-Identifier: Apache-2.0
#include "beside.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "formats/classic/visible.hpp"
#include "parts.hpp"

namespace weir::verify {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t fewest_part_digits = 4;
constexpr std::size_t token_digits = 8;

bool remove_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

template <class IsDigit>
bool is_number(std::string_view text, IsDigit is_digit) {
  return std::all_of(text.begin(), text.end(), [&](unsigned char c) { return is_digit(c) != 0; });
}

bool is_part_number(std::string_view text) {
  return text.size() >= fewest_part_digits && is_number(text, [](unsigned char c) { return std::isdigit(c); });
}

bool is_token(std::string_view text) {
  return text.size() == token_digits && is_number(text, [](unsigned char c) { return std::isxdigit(c); });
}

// .NAME[.PART][.TOKEN].weir[.new]
bool is_unfinished(std::string_view found, std::string_view name) {
  if (!found.starts_with('.') || !found.substr(1).starts_with(name)) return false;
  found.remove_prefix(1 + name.size());
  remove_suffix(found, ".new");
  if (!remove_suffix(found, ".weir")) return false;
  if (found.empty()) return true;
  if (found.front() != '.') return false;
  found.remove_prefix(1);
  const std::size_t dot = found.find('.');
  if (dot == found.npos) return is_part_number(found) || is_token(found);
  return is_part_number(found.substr(0, dot)) && is_token(found.substr(dot + 1));
}

}  // namespace

// Of the link that leads to an unfinished file nothing is said while it leads there: it goes with that.
std::vector<std::string> unfinished(const std::string& path) {
  const fs::path whole(resolved_path(path));
  const std::string name = whole.filename().string();
  std::vector<std::string> found;
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(whole.parent_path(), unreadable))
    if (is_unfinished(entry.path().filename().string(), name) && !(entry.is_symlink() && entry.exists()))
      found.push_back((whole.parent_path() / entry.path().filename()).string());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> newer_parts(const std::string& path) {
  std::error_code gone;
  const fs::file_time_type written = fs::last_write_time(path, gone);
  if (gone) return {};
  std::vector<std::string> parts = find_parts(path);
  std::erase_if(parts, [&](const std::string& part) { return !(fs::last_write_time(part, gone) > written) || gone; });
  return parts;
}

}  // namespace weir::verify
