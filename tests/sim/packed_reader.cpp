// SPDX-License-Identifier: Apache-2.0
#include "packed_reader.hpp"

#include <mpi.h>
#include <weir/weir.h>

#include <numeric>
#include <vector>

namespace sim {

namespace {

using harness::Wrong;

class Packed final : public harness::Reading {
 public:
  Packed(const harness::Plan& plan, const std::string& path) : plan_(plan) {
    if (weir_init(MPI_COMM_SELF, "strategy: serial\ntuned: none\n", &model_, &weir_) != WEIR_OK)
      throw Wrong(weir_init_error());
    if (weir_open(weir_, path.c_str(), 0, &file_) == WEIR_OK) return;
    const std::string sentence = weir_error(weir_);
    end();
    throw Wrong(sentence);
  }
  ~Packed() override { end(); }

  harness::Found head() override {
    harness::Found found{-1, 0, 0};
    check(weir_get_att(file_, WEIR_GLOBAL, "generation", &found.generation));
    check(weir_inq_nrecords(file_, &found.records));
    return found;
  }

  std::vector<double> values(int var, std::int64_t index, std::vector<std::int64_t>& elements) override {
    const harness::Variable& variable = harness::variables[static_cast<std::size_t>(var)];
    int here = -1;
    check(weir_inq_varid(file_, variable.name, &here));
    std::vector<std::int64_t> count = plan_.shape(var), start(count.size(), 0);
    if (variable.record) start.insert(start.begin(), index), count.insert(count.begin(), 1);
    elements.resize(static_cast<std::size_t>(plan_.elements(var)));
    std::iota(elements.begin(), elements.end(), 0);
    std::vector<double> found(elements.size());
    check(weir_get_vara(file_, here, start.data(), count.data(), WEIR_DOUBLE, found.data()));
    return found;
  }

 private:
  void check(int code) const {
    if (code != WEIR_OK) throw Wrong(weir_file_error(file_));
  }
  void end() {
    if (file_) weir_close(file_);
    if (weir_) weir_finalize(&weir_);
    if (model_ != MPI_COMM_NULL) MPI_Comm_free(&model_);
  }

  const harness::Plan& plan_;
  MPI_Comm model_ = MPI_COMM_NULL;
  weir_t* weir_ = nullptr;
  weir_file* file_ = nullptr;
};

}  // namespace

harness::Judged judge(const Trial& trial, const harness::Plan& plan, const harness::Asked& asked, bool& kept) {
  if (trial.packed.empty()) return harness::judge(plan, asked, kept);
  Packed packed(plan, asked.path);
  return harness::judge(plan, asked, packed, kept);
}

}  // namespace sim
