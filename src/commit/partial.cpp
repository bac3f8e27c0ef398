// SPDX-License-Identifier: Apache-2.0
#include "commit/partial.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <span>

#include "base/error.hpp"
#include "base/numbers.hpp"
#include "storage/filesystem.hpp"

namespace weir {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t token_digits = 8;

// Whether a file's name is one that partial_name gives with some token.
bool is_partial_name(std::string name, const std::string& path) {
  const std::string pattern = fs::path(partial_name(path, 0)).filename().string();
  const std::size_t begin = pattern.size() - std::strlen(".weir") - token_digits;
  if (name.size() != pattern.size()) return false;
  const auto digits = std::span(name).subspan(begin, token_digits);
  if (!std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isxdigit(c) != 0; })) return false;
  std::fill(digits.begin(), digits.end(), '0');
  return name == pattern;
}

}  // namespace

void remove_leftover(const std::string& path) noexcept try {
  const fs::path link(partial_name(path));
  std::error_code none;
  const fs::path target = fs::read_symlink(link, none);
  if (none) return;
  if (!target.has_parent_path() && is_partial_name(target.string(), path))
    fs::remove_all(link.parent_path() / target, none);
  fs::remove(link, none);
} catch (const std::exception&) {  // of memory for a name
}

std::string partial_name(const std::string& path) {
  const fs::path whole(path);
  std::string name = ".";
  name += whole.filename().string();
  name += ".weir";
  return (whole.parent_path() / name).string();
}

std::string partial_name(const std::string& path, std::uint32_t token) {
  char digits[token_digits + 1];
  std::snprintf(digits, sizeof digits, "%08x", token);
  return partial_name(path + "." + digits);
}

std::string make_partial(const std::string& path, const std::function<int(const std::string&)>& make) {
  for (;;) {
    const std::string name = partial_name(path, random_bits());
    ::unlink(partial_name(path).c_str());
    // Before what it leads to, so that a kill between the two leaves nothing that nothing leads to.
    static_cast<void>(::symlink(fs::path(name).filename().c_str(), partial_name(path).c_str()));
    const int error = make(name);
    if (error == 0) return name;
    if (error == EEXIST) continue;
    ::unlink(partial_name(path).c_str());
    throw Error(WEIR_EIO, write_error_message(path, "create", error));
  }
}

}  // namespace weir
