// SPDX-License-Identifier: Apache-2.0
#include "formats/classic/header.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "formats/classic/header_codec.hpp"
#include "formats/definition.hpp"
#include "schema/file_offsets.hpp"
#include "schema/types.hpp"

namespace weir {
namespace {

constexpr std::int64_t first_read_bytes = 64LL << 10;
constexpr std::int64_t largest_header_bytes = 256LL << 20;  // a damaged count must not make us read the data
constexpr std::int64_t largest_name_bytes = 256;            // NC_MAX_NAME
constexpr std::string_view hdf5_signature("\x89HDF\r\n\x1a\n", 8);
constexpr std::string_view grib_signature("GRIB");
constexpr std::string_view gzip_signature("\x1f\x8b");
constexpr std::int64_t head_bytes = 64;

// Bytes [offset, offset + count) of the file; fewer at its end.
std::string read_bytes(const Descriptor& file, std::int64_t offset, std::int64_t count) {
  std::string bytes(static_cast<std::size_t>(count), '\0');
  const std::int64_t got = file.read_up_to(reinterpret_cast<std::byte*>(bytes.data()), count, offset);
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

class HeaderWalk {
 public:
  HeaderWalk(const Descriptor& file, std::int64_t file_bytes) : file_(file), file_bytes_(file_bytes) {}

  HeaderImage walk() {
    HeaderImage image;
    skip(3, "the signature");
    image.format = static_cast<int>(number(1, "the signature"));
    count_bytes_ = image.format == 5 ? 8 : 4;
    offset_bytes_ = image.format == 1 ? 4 : 8;
    known_types_ = image.format == 5 ? WEIR_UINT64 : WEIR_DOUBLE;
    const std::int64_t records = number(count_bytes_, "the number of records");
    const bool streaming = records == (count_bytes_ == 4 ? std::int64_t{UINT32_MAX} : -1);
    if (!streaming && records < 0) damaged("the number of records");
    image.records = streaming ? -1 : records;
    dimensions();
    attributes();
    variables();
    const auto* begin = reinterpret_cast<const std::byte*>(buffer_.data());
    image.bytes.assign(begin, begin + at_);
    return image;
  }

 private:
  [[noreturn]] void cut_off(const std::string& what) const {
    throw Error(WEIR_EFORMAT,
                "\"{}\" is truncated in its header: the file has {} bytes, and {} at byte {} would end after them; "
                "restore the file",
                file_.path(), file_bytes_, what, at_);
  }
  [[noreturn]] void damaged(const std::string& what) const {
    throw Error(WEIR_EFORMAT, "\"{}\" has a damaged header: {} before byte {} is invalid; restore the file",
                file_.path(), what, at_);
  }

  // Makes sure that the next `count` bytes are in buffer_.
  void need(std::int64_t count, const char* what) {
    if (count > file_bytes_ - at_) cut_off(what);
    if (count > largest_header_bytes - at_) damaged(what);
    const auto have = static_cast<std::int64_t>(buffer_.size());
    if (at_ + count <= have) return;
    const std::int64_t want = std::min(file_bytes_, std::max({first_read_bytes, 2 * have, at_ + count}));
    buffer_ += read_bytes(file_, have, want - have);
    if (at_ + count > static_cast<std::int64_t>(buffer_.size())) cut_off(what);
  }
  void skip(std::int64_t count, const char* what) {
    need(count, what);
    at_ += count;
  }
  std::int64_t number(std::int64_t bytes, const char* what) {
    need(bytes, what);
    std::uint64_t value = 0;
    for (std::int64_t i = 0; i < bytes; ++i) {
      value = value << 8 | static_cast<unsigned char>(buffer_[static_cast<std::size_t>(at_ + i)]);
    }
    at_ += bytes;
    return static_cast<std::int64_t>(value);
  }
  // A count of entries that take `entry_bytes` each at the least.
  std::int64_t count(std::int64_t entry_bytes, const char* what) {
    const std::int64_t value = number(count_bytes_, what);
    if (value < 0) damaged(what);
    if (value > (file_bytes_ - at_) / entry_bytes) cut_off(what);
    return value;
  }
  std::int64_t list(std::int64_t tag, std::int64_t entry_bytes, const char* what) {
    const std::int64_t found = number(4, what);
    const std::int64_t entries = count(entry_bytes, what);
    if (found != tag && (found != 0 || entries != 0)) damaged(what);
    return entries;
  }

  void name(const char* what) {
    const std::int64_t bytes = number(count_bytes_, what);
    if (bytes <= 0 || bytes > largest_name_bytes) damaged(what);
    skip(padded_bytes(bytes), what);
  }
  Type type(const char* what) {
    const std::int64_t value = number(4, what);
    if (value < WEIR_BYTE || value > known_types_) damaged(what);
    return static_cast<Type>(value);
  }
  void dimensions() {
    dimensions_ = list(dimension_tag, 2 * count_bytes_ + 4, "the list of dimensions");
    int record_dimensions = 0;
    for (std::int64_t i = 0; i < dimensions_; ++i) {
      name("a dimension's name");
      const std::int64_t length = number(count_bytes_, "a dimension's length");
      record_dimensions += length == 0 ? 1 : 0;
      if (length < 0 || record_dimensions > 1) damaged("a dimension's length");
    }
  }
  void attributes() {
    const std::int64_t entries = list(attribute_tag, 2 * count_bytes_ + 8, "a list of attributes");
    for (std::int64_t i = 0; i < entries; ++i) {
      name("an attribute's name");
      const int bytes = type_bytes(type("an attribute's type"));
      skip(padded_bytes(count(bytes, "an attribute's length") * bytes), "an attribute's values");
    }
  }
  void variables() {
    const std::int64_t entries = list(variable_tag, 4 * count_bytes_ + 12 + offset_bytes_, "the list of variables");
    for (std::int64_t i = 0; i < entries; ++i) {
      name("a variable's name");
      for (std::int64_t left = count(count_bytes_, "a variable's rank"); left > 0; --left) {
        const std::int64_t dim = number(count_bytes_, "a variable's dimension");
        if (dim < 0 || dim >= dimensions_) damaged("a variable's dimension");
      }
      attributes();
      type("a variable's type");
      number(count_bytes_, "a variable's size");
      if (number(offset_bytes_, "a variable's offset") < 0) damaged("a variable's offset");
    }
  }

  const Descriptor& file_;
  std::int64_t file_bytes_;
  std::string buffer_;
  std::int64_t at_ = 0;
  std::int64_t count_bytes_ = 4;
  std::int64_t offset_bytes_ = 4;
  std::int64_t known_types_ = WEIR_DOUBLE;
  std::int64_t dimensions_ = 0;
};

bool begins_as_classic(std::string_view head) {
  return head.size() > 3 && head.starts_with("CDF") && (head[3] == 1 || head[3] == 2 || head[3] == 5);
}

// HDF5 looks for its signature at byte 0 and at 512, 1024, 2048, ...
bool is_hdf5(const Descriptor& file, std::int64_t file_bytes) {
  const auto signature_bytes = static_cast<std::int64_t>(hdf5_signature.size());
  for (std::int64_t at = 0; at + signature_bytes <= file_bytes; at = at == 0 ? 512 : 2 * at) {
    if (read_bytes(file, at, signature_bytes) == hdf5_signature) return true;
  }
  return false;
}

bool is_text(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 || byte == '\n' || byte == '\r' || byte == '\t' || byte == '\f';
  });
}

// What a file that does not begin as a classic one is, and what to do about it.
std::string likeness(std::string_view head, bool hdf5) {
  if (hdf5) return "is a netCDF-4/HDF5 file; Weir appends to classic files: convert it with nccopy -k cdf5";
  if (head.empty()) return "is empty; remove it, or give a netCDF classic file";
  if (head.starts_with("CDF") && head.size() > 3) {
    return formatted(
        "has the netCDF version byte {}; Weir knows CDF-1, CDF-2 and CDF-5: convert it with nccopy -k cdf5",
        static_cast<unsigned char>(head[3]));
  }
  if (head.starts_with(grib_signature)) return "is a GRIB file; give a netCDF classic file";
  if (head.starts_with(gzip_signature)) return "is compressed with gzip; unpack it with gunzip";
  if (std::string_view("CDF").starts_with(head)) return "is truncated in its first bytes; restore the file";
  if (is_text(head)) return "looks like text; give a netCDF classic file (ncgen makes one from CDL)";
  return "is not a netCDF classic file (its first bytes are of no format that Weir knows)";
}

}  // namespace

HeaderImage read_header(const Descriptor& file, std::int64_t file_bytes) {
  const std::string head = read_bytes(file, 0, std::min(file_bytes, head_bytes));
  require(begins_as_classic(head), WEIR_EFORMAT, "\"{}\" {}", file.path(), likeness(head, is_hdf5(file, file_bytes)));
  return HeaderWalk(file, file_bytes).walk();
}

bool is_hdf5(const Descriptor& file) {
  return !begins_as_classic(read_bytes(file, 0, head_bytes)) && is_hdf5(file, file.bytes());
}

std::optional<std::string> other_format(const Descriptor& file) {
  const std::string head = read_bytes(file, 0, head_bytes);
  if (begins_as_classic(head)) return std::nullopt;
  if (head.starts_with(grib_signature)) return "a GRIB file";
  if (head.starts_with(gzip_signature)) return "compressed with gzip";
  if (is_hdf5(file, file.bytes())) return "a netCDF-4/HDF5 file";
  return std::nullopt;
}

void derive_ends(Geometry& geometry, const Schema& schema, std::int64_t header_bytes) {
  geometry.fixed_end = geometry.header_bytes = header_bytes;
  std::int64_t first_record = INT64_MAX;
  for (int var = 0; var < static_cast<int>(schema.variables().size()); ++var) {
    const std::int64_t begin = geometry.begin[static_cast<std::size_t>(var)];
    if (schema.is_record(var)) {
      first_record = std::min(first_record, begin);
    } else {
      geometry.fixed_end =
          std::max(geometry.fixed_end, saturated_sum(begin, padded_bytes(variable_bytes(schema, var))));
    }
  }
  geometry.record_begin = first_record != INT64_MAX ? first_record : geometry.fixed_end;
}

}  // namespace weir
