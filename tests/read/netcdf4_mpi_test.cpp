// ranks: 1 4 5
// SPDX-License-Identifier: Apache-2.0
// A netCDF-4 file is read to the bit: of Weir, from any strategy, in random chunks through random filters, and of
// nccopy, whose chunks may hold several records (packed_reading.hpp).
#include "read/packed_reading.hpp"

namespace conformance {
namespace {

class Netcdf4Reading : public PackedReading {
 protected:
  Netcdf4Reading() : PackedReading("packed.nc") {}

  std::string write(Model& model, Random& random) const override {
    const std::string config = random_writing(random);
    if (happens(random, 60)) {
      pack(model, WEIR_NETCDF4, model.seed, true);
      return ModelRun(model, MPI_COMM_WORLD).write(config, path_);
    }
    const std::string failure = ModelRun(model, MPI_COMM_WORLD).write(config, path_ + ".classic");
    MPI_Barrier(MPI_COMM_WORLD);
    return failure.empty() ? copy_by_netcdf(model, random) : failure;
  }

 private:
  // A file that netCDF-C has made, of the classic one that Weir has.
  std::string copy_by_netcdf(const Model& model, Random random) const {
    std::string options = " -k nc4";
    if (happens(random, 60)) options += " -d " + std::to_string(draw(random, 0, 9));
    if (happens(random, 50)) options += " -s";
    std::string chunks;
    for (const auto& [name, length] : model.dims)
      if (happens(random, 50))
        chunks += (chunks.empty() ? " -c " : ",") + name + "/" +
                  std::to_string(draw(random, 1, length == WEIR_UNLIMITED ? 3 : length));
    const std::string command = "nccopy" + options + chunks + " '" + path_ + ".classic' '" + path_ + "'";
    const bool well = conformance::on_all_ranks(rank_ != 0 || std::system(command.c_str()) == 0);
    return well ? "" : command + " failed";
  }
};

TEST_F(Netcdf4Reading, HandsOutWhatTheFileHolds) {
  try_models();
}

}  // namespace
}  // namespace conformance
