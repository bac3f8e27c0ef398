// ranks: 1 4 5
// SPDX-License-Identifier: Apache-2.0
// A Zarr folder is read to the bit, from any strategy, in random chunks and shards through random codecs, with its
// dimensions, records and attributes as they were defined (packed_reading.hpp). Folders of other libraries are read in
// tests/python/test_zarr_reading.py.
#include "read/packed_reading.hpp"

namespace conformance {
namespace {

class ZarrReading : public PackedReading {
 protected:
  ZarrReading() : PackedReading("packed.zarr") {}

  std::string write(Model& model, Random& random) const override {
    const std::string config = random_writing(random);
    pack(model, WEIR_ZARR, model.seed, true);
    return ModelRun(model, MPI_COMM_WORLD).write(config, path_);
  }
};

TEST_F(ZarrReading, HandsOutWhatTheFolderHolds) {
  try_models();
}

}  // namespace
}  // namespace conformance
