// SPDX-License-Identifier: Apache-2.0
#include "netcdf/committed_file.hpp"

#include <utility>
#include <vector>

#include "base/text.hpp"
#include "netcdf/front.hpp"

namespace weir::bridge {

CommittedFile::CommittedFile(std::string given) : given_(std::move(given)), path_(absolute_path(given_)) {}

int CommittedFile::open(int& number) {
  if (number_ < 0)
    if (const int code = WEIR_NETCDF(nc_open)(path_.c_str(), NC_NOWRITE, &number_); code != NC_NOERR) return code;
  number = number_;
  return NC_NOERR;
}

void CommittedFile::close() noexcept {
  if (number_ >= 0) static_cast<void>(WEIR_NETCDF(nc_close)(std::exchange(number_, -1)));
}

void CommittedFile::read_back(const RecordPieces::Where& where, bool is_record, IndexView start, IndexView count,
                              std::byte* values) const {
  std::vector<std::size_t> first(start.begin(), start.end()), length(count.begin(), count.end());
  if (is_record) {
    first.insert(first.begin(), static_cast<std::size_t>(where.second));
    length.insert(length.begin(), 1);
  }
  int file = -1;
  int code = WEIR_NETCDF(nc_open)(path_.c_str(), NC_NOWRITE, &file);
  if (code == NC_NOERR) {
    code = WEIR_NETCDF(nc_get_vara)(file, where.first, first.data(), length.data(), values);
    static_cast<void>(WEIR_NETCDF(nc_close)(file));
  }
  if (code != NC_NOERR)
    throw Error(WEIR_EIO, "{}: reading the rest of a partly put record: {}", given_, WEIR_NETCDF(nc_strerror)(code));
}

}  // namespace weir::bridge
