// SPDX-License-Identifier: Apache-2.0
#include "hdf5/stored_texts.hpp"

#include <netcdf.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace weir {

namespace {

// netCDF's memory: it allocates each string.
class Strings {
 public:
  explicit Strings(std::size_t count) : texts_(count, nullptr) {}
  ~Strings() {
    if (!texts_.empty()) static_cast<void>(nc_free_string(texts_.size(), texts_.data()));
  }
  Strings(const Strings&) = delete;
  Strings& operator=(const Strings&) = delete;

  char** data() noexcept { return texts_.data(); }
  const std::vector<char*>& all() const noexcept { return texts_; }

 private:
  std::vector<char*> texts_;
};

}  // namespace

std::optional<StoredTexts> read_texts(int group, int var, std::int64_t elements, const std::string& what) {
  if (elements > most_text_bytes) return std::nullopt;
  StoredTexts found;
  if (elements == 0) return found;
  Strings strings(static_cast<std::size_t>(elements));
  const int result = nc_get_var_string(group, var, strings.data());
  require(result == NC_NOERR, WEIR_EFORMAT,
          [&] { return "netCDF does not read " + what + ": " + nc_strerror(result); });
  for (const char* const text : strings.all())
    if (text) found.length = std::max(found.length, static_cast<std::int64_t>(std::strlen(text)));
  if (found.length > most_text_bytes / elements) return std::nullopt;
  found.characters.resize(static_cast<std::size_t>(elements * found.length));
  std::byte* at = found.characters.data();
  for (const char* const text : strings.all()) {
    if (text) std::memcpy(at, text, std::strlen(text));
    at += found.length;
  }
  return found;
}

}  // namespace weir
