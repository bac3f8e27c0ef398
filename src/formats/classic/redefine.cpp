// SPDX-License-Identifier: Apache-2.0
#include "formats/classic/redefine.hpp"

#include <algorithm>
#include <cstdint>

#include "base/error.hpp"
#include "base/text.hpp"
#include "formats/classic/header_codec.hpp"
#include "formats/classic/visible.hpp"
#include "formats/netcdf4/metadata.hpp"
#include "schema/file_offsets.hpp"

namespace weir {

namespace {

// The places of a classic file, as variables are added to it.
class Extension {
 public:
  Extension(const std::string& path, const DefinedFile& file, const Schema& after)
      : path_(path), file_(file), after_(after), places_(file.geometry) {
    places_.begin.resize(after.variables().size(), 0);
  }

  Geometry place() {
    const std::int64_t header = header_bytes(after_, places_.format);
    require_header_room(header);
    std::int64_t end = std::max(header, has_fixed() ? file_.geometry.fixed_end : header);
    end = padded_bytes(end);
    for (int var = former(); var < count(); ++var)
      if (!after_.is_record(var)) {
        places_.begin[static_cast<std::size_t>(var)] = end;
        end = saturated_sum(end, padded_bytes(variable_bytes(after_, var)));
      }
    holds_records() ? require_record_room(end) : place_records(end);
    derive_ends(places_, after_, header);
    return places_;
  }

 private:
  int former() const { return static_cast<int>(file_.schema.variables().size()); }
  int count() const { return static_cast<int>(after_.variables().size()); }
  bool holds_records() const { return file_.geometry.records > 0; }
  bool has_fixed() const {
    for (int var = 0; var < former(); ++var)
      if (!after_.is_record(var)) return true;
    return false;
  }

  void require_header_room(std::int64_t wanted) const {
    std::int64_t first = INT64_MAX;
    for (int var = 0; var < former(); ++var)
      if (!after_.is_record(var) || holds_records())
        first = std::min(first, file_.geometry.begin[static_cast<std::size_t>(var)]);
    if (wanted > first)
      throw Error(WEIR_EARGUMENT,
                  "the header of \"{}\" has room for {} bytes, and these definitions take {}; make the file with room "
                  "for them (weir_set_alignment or the key header_free: {} bytes), or as netCDF-4 or Zarr",
                  path_, first, wanted, padded_bytes(wanted - file_.geometry.header_bytes));
  }

  // Records stay where they are, and as long as they are.
  void require_record_room(std::int64_t end) const {
    for (int var = former(); var < count(); ++var) {
      const std::string whose = formatted("variable \"{}\"", after_.variable(var).name);
      require(!after_.is_record(var), WEIR_EARGUMENT,
              "{} has records, and \"{}\" holds some, between which it would have to be: define it before the first "
              "record, or make the file as netCDF-4 or Zarr",
              whose, path_);
      if (end > file_.geometry.record_begin)
        throw Error(WEIR_EARGUMENT,
                    "{} does not fit before the records of \"{}\": {} bytes are free there (record_align makes some), "
                    "and {} are wanted; define it before the first record, or make the file as netCDF-4 or Zarr",
                    whose, path_, std::max<std::int64_t>(0, file_.geometry.record_begin - file_.geometry.fixed_end),
                    end - file_.geometry.fixed_end);
    }
  }

  // There is none yet: they may begin elsewhere, and be longer.
  void place_records(std::int64_t end) {
    std::vector<VariableSize> sizes;
    std::vector<std::size_t> vars;
    for (int var = 0; var < count(); ++var)
      if (after_.is_record(var)) {
        sizes.push_back({true, variable_bytes(after_, var)});
        vars.push_back(static_cast<std::size_t>(var));
      }
    const bool stays = !file_.geometry.begin.empty() && file_.geometry.record_bytes > 0;
    const FileOffsets records = place_variables(stays ? std::max(end, file_.geometry.record_begin) : end, sizes);
    for (std::size_t i = 0; i < vars.size(); ++i) places_.begin[vars[i]] = records.begin[i];
    places_.record_bytes = vars.empty() ? 0 : records.record_bytes;
  }

  const std::string& path_;
  const DefinedFile& file_;
  const Schema& after_;
  Geometry places_;
};

}  // namespace

std::optional<std::string> redefinition_problem(const Schema& before, const Schema& after) {
  for (std::size_t v = 0; v < before.variables().size(); ++v) {
    const Variable &old = before.variables()[v], &now = after.variables()[v];
    const int var = static_cast<int>(v);
    if (old.storage != now.storage)
      return formatted("variable \"{}\" is in the file already, and its chunks and filters stay; leave the call out",
                       old.name);
    const Attribute *fill = before.find_attribute(var, "_FillValue"), *other = after.find_attribute(var, "_FillValue");
    if ((fill == nullptr) != (other == nullptr) || (fill != nullptr && *fill != *other))
      return formatted("variable \"{}\" is in the file already, and its _FillValue stays; leave the attribute out",
                       old.name);
  }
  return std::nullopt;
}

DefinedHeader extended_header(const std::string& path, const DefinedFile& file, const Schema& after,
                              const Alignment& alignment) {
  if (file.schema.variables().empty()) return define_header(path, after, alignment, file.geometry.format);
  const int format = file.geometry.format;
  const auto obstacle = format_obstacle(after, {}, format);
  require(!obstacle, WEIR_EARGUMENT, "CDF-{} cannot hold \"{}\": {}; make the file as CDF-5", format, path,
          obstacle.value_or(""));
  DefinedHeader header{Extension(path, file, after).place(), {}};
  for (const std::int64_t begin : header.geometry.begin)
    require(format != 1 || begin <= INT32_MAX, WEIR_EARGUMENT,
            "CDF-1 cannot hold \"{}\": a variable would begin beyond 2 GiB; make the file as CDF-5", path);
  header.bytes = encode_header(after, header.geometry);
  return header;
}

void redefine_classic(const Redefinition& wanted) {
  const DefinedFile file = read_definition(wanted.path);
  require(file.schema == wanted.before, WEIR_EIO,
          "\"{}\" has other definitions than this run has written: another program has changed it", wanted.path);
  const DefinedHeader header = extended_header(wanted.path, file, wanted.after, wanted.alignment);
  VisibleFile visible(wanted.path, file.geometry, wanted.durability);
  const Change change{0, header.bytes};
  const std::int64_t length = header.geometry.file_bytes(file.geometry.records);
  visible.publish(std::span(&change, 1), std::max(length, visible.contents().bytes())).raise();
}

void redefine_netcdf4(const Redefinition& wanted) {
  const MetadataUpdate update = redefined_netcdf4(wanted.path, wanted.before, wanted.after);
  Geometry geometry;
  geometry.fixed_end = open_to_read(wanted.path).bytes();
  geometry.header_bytes = superblock_bytes;
  VisibleFile visible(wanted.path, geometry, wanted.durability);
  visible.publish(update.changes, update.file_bytes).raise();
}

}  // namespace weir
