// SPDX-License-Identifier: Apache-2.0
// A file's gets.
#include "put/file.hpp"
#include "read/reader.hpp"

namespace weir {

void File::require_readable() const {
  check_failure();
  require(commits_ && state_ != State::closed, WEIR_ESTATE,
          file_.path + ": nothing to read: weir_sync commits what was put, weir_open opens what is there");
}

void File::get_box(int var, IndexView start, IndexView count, Type type, void* values) const {
  require_readable();
  check_types(check_var(var), type);
  const bool record = file_.schema.is_record(var);
  const std::size_t skip = record ? 1 : 0;
  const Layout box = Layout::boxes(file_.schema.shape(var), start.subspan(skip), count.subspan(skip), {});
  const std::int64_t first = record ? start[0] : 0, records = record ? count[0] : 1;
  for (std::int64_t r = 0; r < records; ++r)
    read(var, first + r, box, type, static_cast<std::byte*>(values) + r * box.buffer_length() * type_bytes(type));
}

void File::get(int var, std::int64_t record, int layout, Type type, void* values) const {
  require_readable();
  check_types(check_var(var), type);
  read(var, file_.schema.is_record(var) ? record : 0, context_.layouts.at(layout), type, values);
}

void File::read(int var, std::int64_t record, const Layout& layout, Type type, void* values) const {
  const Geometry& places = geometry();
  require(places.format != netcdf4_format, WEIR_EFORMAT,
          file_.path + " is netCDF-4, which Weir writes and does not read yet: read it by netCDF");
  require(places.format != zarr_format, WEIR_EFORMAT,
          file_.path + " is a Zarr folder, which Weir writes and does not read yet: read it by zarr or xarray");
  require(!places.begin.empty(), WEIR_ESTATE,
          file_.path + " is in parts: weir merge makes a file of them that can be read");
  require(!file_.schema.is_record(var) || (record >= 0 && record < places.records), WEIR_EARGUMENT,
          "get of \"" + file_.schema.variables()[static_cast<std::size_t>(var)].name + "\" from " + file_.path +
              ": record " + file_.counting.number(record) + ", but the file has " + std::to_string(places.records));
  const Source source{file_.resolved, places.begin[static_cast<std::size_t>(var)] + record * places.record_bytes,
                      file_.schema.variables()[static_cast<std::size_t>(var)].type, identity()};
  const RangeFailure failure = read_layout(source, layout, values, type, &context_.pipeline.storage());
  require(failure.count == 0, WEIR_ERANGE,
          "get of \"" + file_.schema.variables()[static_cast<std::size_t>(var)].name + "\" from " + file_.path + ": " +
              std::to_string(failure.count) + " value(s) do not fit " + std::string(type_name(type)));
}

}  // namespace weir
