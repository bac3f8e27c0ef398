// SPDX-License-Identifier: Apache-2.0
// The format and strategy of a new file: by the mode of weir_create and the configuration's rules.
#include "base/spelling.hpp"
#include "file/definitions.hpp"
#include "plan/packing_rules.hpp"
#include "write/definition.hpp"
#include "write/netcdf4/append_form.hpp"

namespace weir {

namespace {

int format_of(int mode) {
  if (mode & WEIR_NETCDF4) return netcdf4_format;
  if (mode & WEIR_ZARR) return zarr_format;
  if (mode & WEIR_CDF5) return 5;
  if (mode & WEIR_CDF2) return 2;
  return mode & WEIR_CDF1 ? 1 : 0;
}

}  // namespace

// "" of a mode without flags.
std::string mode_in_words(int mode) {
  constexpr std::pair<int, const char*> flags[] = {{WEIR_NOCLOBBER, "WEIR_NOCLOBBER"},
                                                   {WEIR_WRITE, "WEIR_WRITE"},
                                                   {WEIR_NETCDF4, "WEIR_NETCDF4"},
                                                   {WEIR_ZARR, "WEIR_ZARR"},
                                                   {WEIR_CDF1, "WEIR_CDF1"},
                                                   {WEIR_CDF2, "WEIR_CDF2"},
                                                   {WEIR_CDF5, "WEIR_CDF5"}};
  std::string words;
  for (const auto& [flag, name] : flags)
    if (mode & flag) words += (words.empty() ? " with " : " + ") + std::string(name);
  return words;
}

Status Definitions::take_format(int mode) {
  const FileRule* rule = rule_for(context_.config, file_.path);
  const Config config = rule && !rule->off ? with_rule(context_.config, *rule) : context_.config;
  packing_ = {config.compression, config.compression_level};
  format_asked_ = format_of(mode);
  if (config.format == FormatKind::netcdf4) format_asked_ = netcdf4_format;
  if (config.format == FormatKind::zarr) format_asked_ = zarr_format;
  const auto asks = [&](int flags) { return (mode & flags) != 0; };
  if (asks(WEIR_NETCDF4) + asks(WEIR_ZARR) + asks(WEIR_CDF1 | WEIR_CDF2 | WEIR_CDF5) <= 1) return {};
  return {
      WEIR_EARGUMENT,
      file_.path + ": more than one of WEIR_NETCDF4, WEIR_ZARR and the classic formats is requested; give one of them",
      file_.serial};
}

// Variables of which the program has said nothing. All ranks have agreed on what it said.
void Definitions::pack_by_rule(int first) {
  if (packing_.kind == CompressionKind::none) return;
  for (int var = first; var < static_cast<int>(file_.schema.variables().size()); ++var) {
    const Variable& variable = file_.schema.variable(var);
    if (variable.dims.empty() || variable.storage.packed()) continue;
    if (!worth_compressing(elements(file_.schema.chunk(var)) * type_bytes(variable.type))) continue;
    Storage storage = variable.storage;
    storage.shuffle = type_bytes(variable.type) > 1;
    (packing_.kind == CompressionKind::zlib ? storage.deflate_level : storage.zstd_level) = packing_.level;
    file_.schema.set_storage(var, std::move(storage));
  }
}

// As a tuned table has it (advice/tuned_table.hpp): by what the program or the rule says of the records.
std::string Definitions::packing_in_words(const Geometry* existing) const {
  const int format = existing && state_.found.tables ? existing->format : format_asked_;
  if (format != netcdf4_format && format != zarr_format) return "";
  const std::string name = format == zarr_format ? "zarr" : "netcdf4";
  for (int var = 0; var < static_cast<int>(file_.schema.variables().size()); ++var) {
    const Storage& storage = file_.schema.variable(var).storage;
    if (!file_.schema.is_record(var) || !storage.squeezed()) continue;
    return name + (storage.deflate_level ? " zlib " : " zstd ") +
           std::to_string(storage.deflate_level ? *storage.deflate_level : *storage.zstd_level);
  }
  if (packing_.kind == CompressionKind::none) return name;
  return name + (packing_.kind == CompressionKind::zlib ? " zlib " : " zstd ") + std::to_string(packing_.level);
}

void Definitions::make_output(const OutputOptions& options, const Geometry* existing) {
  const StoredTables* const tables = existing ? state_.found.tables.get() : nullptr;
  if (tables) format_asked_ = existing->format;
  const bool zarr = format_asked_ == zarr_format, packs = zarr || format_asked_ == netcdf4_format;
  if (!packs) require_unpacked(0);
  require(!packs || !context_.pipeline.roles().strategy().part_files(), WEIR_EARGUMENT,
          file_.path + ": part files are CDF-5 and cannot be " + (zarr ? "Zarr" : "netCDF-4") +
              "; choose another strategy");
  if (packs) {
    tables ? take_storage(*tables, file_.schema) : pack_by_rule(0);
    const OutputOptions packed = with_writers(options);
    file_.output =
        zarr ? make_zarr_file(packed, file_.schema, tables) : make_chunked_file(packed, file_.schema, tables);
    state_.found.tables.reset();  // what is written makes them out of date
  } else if (context_.pipeline.roles().strategy().part_files()) {
    require(existing == nullptr, WEIR_ESTATE,
            file_.path + ": a strategy that writes part files cannot append to a whole file; choose another strategy");
    file_.output = make_part_file(options, file_.schema);
  } else {
    file_.output = make_shared_file(options, file_.schema, existing);
  }
}

// Of a file of packed chunks.
OutputOptions Definitions::with_writers(OutputOptions options) const {
  options.writers = context_.pipeline.roles().writers_of(Granule{1, 1});
  options.compressing_writers = context_.pipeline.roles().writers_of(Granule{1, 1, true});
  return options;
}

// Of a file that keeps values as they are.
void Definitions::require_unpacked(int first) const {
  for (int var = first; var < static_cast<int>(file_.schema.variables().size()); ++var)
    require(
        !file_.schema.variable(var).storage.any(), WEIR_EARGUMENT,
        file_.path + ": variable " + in_quotes(file_.schema.variable(var).name) +
            " has chunks or filters, and classic formats have neither; create the file with WEIR_NETCDF4 or WEIR_ZARR");
}

}  // namespace weir
