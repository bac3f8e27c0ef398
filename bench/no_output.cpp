// SPDX-License-Identifier: Apache-2.0
// The mode `none`: the model computes and writes nothing. What every way of writing is measured against.
#include "check.hpp"
#include "mode.hpp"

namespace weir::bench {
namespace {

class NoOutput final : public Mode {
 public:
  using Mode::Mode;
  void begin(const std::string&) override {}
  void put_fixed() override {}
  void put_record(std::int64_t) override {}
  void end() override {}
  std::optional<bool> verify(const std::string&, std::string&) override { return std::nullopt; }
};

}  // namespace

std::unique_ptr<Mode> make_no_output(const ModeSpec& spec, const Scene& scene) {
  if (!spec.settings.empty()) throw BenchError("the mode none has no settings; give --modes none");
  return std::make_unique<NoOutput>(scene);
}

}  // namespace weir::bench
