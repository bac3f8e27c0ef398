// SPDX-License-Identifier: Apache-2.0
// peer:adios2: ADIOS2, a step a record; boxes only. Settings: engine (BP5; HDF5 writes a file that netCDF-C reads), and
// all others are the engine's parameters, such as NumAggregators=2 or AsyncWrite=Guided.
#include <adios2.h>

#include <cstring>
#include <filesystem>

#include "base/text.hpp"
#include "check.hpp"
#include "peers/peer.hpp"
#include "schema/types.hpp"

namespace weir::bench {
namespace {

template <typename T>
using AdiosType = std::conditional_t<std::is_same_v<T, signed char>, std::int8_t, T>;

adios2::Dims dims(const Extents& lengths) {
  return {lengths.begin(), lengths.end()};
}

class AdiosPeer final : public Mode {
 public:
  AdiosPeer(PeerSettings settings, const Scene& scene)
      : Mode(scene), adios_(scene.comm), engine_(settings.take("engine").value_or("BP5")) {
    require_boxes(scene.work, "peer:adios2");
    io_ = adios_.DeclareIO("weir-bench");
    io_.SetEngine(engine_);
    for (const auto& [key, value] : settings.take_all()) io_.SetParameter(key, value);
    for (const Variable& variable : work().variables) {
      const Decomposition box = box_of(work(), variable, rank());
      with_type(variable.type, [&](auto zero) {
        io_.DefineVariable<AdiosType<decltype(zero)>>(variable.name, dims(box.shape), dims(box.start), dims(box.count));
      });
    }
  }

  void begin(const std::string& path) override {
    writer_ = io_.Open(path, adios2::Mode::Write);
    writer_.BeginStep();
  }

  void put_fixed() override {
    for (const int v : variables(false)) put({v, 0});
  }

  void put_record(std::int64_t record) override {
    if (record > 0) {
      writer_.EndStep();
      writer_.BeginStep();
    }
    for (const int v : variables(true)) put({v, record});
  }

  void end() override {
    writer_.EndStep();
    writer_.Close();
  }

  std::optional<bool> verify(const std::string& path, std::string& why) override {
    adios2::IO io = adios_.DeclareIO("read back");
    io.SetEngine(engine_);
    adios2::Engine reader = io.Open(path, adios2::Mode::ReadRandomAccess);
    bool right = true;
    for (int v = 0; v < static_cast<int>(work().variables.size()); ++v) {
      for (std::int64_t record = 0; record < (work().variables[v].record ? work().records : 1); ++record)
        right = reads_back(io, reader, {v, record}) && right;
    }
    reader.Close();
    adios_.RemoveIO("read back");
    return all_read_back(right, scene().comm, why);
  }

 private:
  [[nodiscard]] bool has_nothing(const Decomposition& box) const {
    return box.length() == 0 || (box.shape.empty() && rank() != 0);
  }

  // The engine may look at the values until the step ends, so what a copy has put in order is taken at once.
  void put(Field field) {
    const Variable& variable = work().variables[field.variable];
    const Decomposition box = box_of(work(), variable, rank());
    if (has_nothing(box) && engine_ != "HDF5") return;  // its puts are collective
    const std::byte* own = scene().data.at(field.variable, field.record);
    const std::byte* values = order_.arrange(box, type_bytes(variable.type), own);
    with_type(variable.type, [&](auto zero) {
      using T = AdiosType<decltype(zero)>;
      writer_.Put(io_.InquireVariable<T>(variable.name), reinterpret_cast<const T*>(values),
                  values == own ? adios2::Mode::Deferred : adios2::Mode::Sync);
    });
  }

  bool reads_back(adios2::IO& io, adios2::Engine& reader, Field field) {
    const Variable& variable = work().variables[field.variable];
    const Decomposition box = box_of(work(), variable, rank());
    if (has_nothing(box)) return true;
    std::vector<std::byte> seen(box.length() * type_bytes(variable.type));
    with_type(variable.type, [&](auto zero) {
      using T = AdiosType<decltype(zero)>;
      adios2::Variable<T> stored = io.InquireVariable<T>(variable.name);
      if (!stored) throw BenchError(formatted("peer:adios2: {} is not in the file", variable.name));
      if (!box.shape.empty()) stored.SetSelection({dims(box.start), dims(box.count)});
      stored.SetStepSelection({static_cast<std::size_t>(variable.record ? field.record : 0), 1});
      reader.Get(stored, reinterpret_cast<T*>(seen.data()), adios2::Mode::Sync);
    });
    const std::byte* values =
        order_.arrange(box, type_bytes(variable.type), scene().data.at(field.variable, field.record));
    return std::memcmp(seen.data(), values, seen.size()) == 0;
  }

  adios2::ADIOS adios_;
  adios2::IO io_;
  adios2::Engine writer_;
  std::string engine_;
  FileOrder order_;
};

}  // namespace

std::unique_ptr<Mode> make_peer_adios2(const Settings& settings, const Scene& scene) {
  return std::make_unique<AdiosPeer>(PeerSettings(settings, {}), scene);
}

}  // namespace weir::bench
