// SPDX-License-Identifier: Apache-2.0
#include "trial_output.hpp"

#include <array>
#include <filesystem>

#include "base/text.hpp"

namespace weir::profile {

namespace {

// Of its own: files of few and of many variables are there side by side.
std::string name_of(TrialFormat format, int variables) {
  return formatted("file-{}{}", variables, format == TrialFormat::zarr ? ".zarr" : ".nc");
}

Schema small_schema(int variables) {
  Schema schema;
  const std::array dims{schema.add_dimension("time", 0), schema.add_dimension("x", 16)};
  for (int number = 0; number < variables; ++number)
    schema.add_variable(formatted("value{}", number), WEIR_FLOAT, dims);
  return schema;
}

}  // namespace

TrialOutput::TrialOutput(const Site& site, TrialFormat format, int variables)
    : format_(format),
      alone_(site.world.split(site.rank())),
      schema_(small_schema(variables)),
      path_(site.path(name_of(format, variables))) {}

void TrialOutput::make() {
  clean();
  OutputOptions options{.path = path_,
                        .config = std::make_shared<const Config>(),
                        .comm = alone_,
                        .calls = calls_,
                        .writers = {0},
                        .alignment = {},
                        .hints = {},
                        .machine = &machine_,
                        .host = &alone_,
                        .compressing_writers = {0}};
  records_ = 0;
  file_ = format_ == TrialFormat::classic   ? make_shared_file(options, schema_, nullptr)
          : format_ == TrialFormat::netcdf4 ? make_chunked_file(options, schema_, nullptr)
                                            : make_zarr_file(options, schema_, nullptr);
}

void TrialOutput::commit() {
  ++records_;
  file_->prepare_commit();
  file_->make_durable(Durability::storage).raise();
  file_->publish(records_).raise();
}

void TrialOutput::clean() {
  if (!file_) return;
  file_->discard();
  file_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace weir::profile
