// SPDX-License-Identifier: Apache-2.0
// One running Weir, as weir._output shows it to Python: weir.h's calls with exceptions, the GIL released while the
// library works. Nothing ends by a destructor: weir_close and weir_finalize are Collective, and Python's ranks do not
// collect their garbage together. weir.output calls them.
#pragma once

#include <nanobind/nanobind.h>
#include <weir/weir.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <weir/elements.hpp>

namespace weir::python {

using Indices = std::vector<std::int64_t>;

// The library's call, without the GIL.
template <class Call>
int outside(Call call) {
  const nanobind::gil_scoped_release release;
  return call();
}

class Instance {
 public:
  // world: the address of an MPI_Comm, mpi4py's own. Collective over it.
  Instance(std::uintptr_t world, const std::optional<std::string>& config) {
    const MPI_Comm comm = *reinterpret_cast<const MPI_Comm*>(world);
    const char* text = config ? config->c_str() : nullptr;
    const int code = outside([&] { return weir_init(comm, text, &model_comm_, &weir_); });
    if (code != WEIR_OK) throw io::Error(code, weir_init_error());
  }

  // Whether this rank served, and is done.
  bool reserved() const noexcept { return model_comm_ == MPI_COMM_NULL; }
  bool ended() const noexcept { return weir_ == nullptr; }
  weir_t* handle() const {
    if (ended()) throw io::Error(WEIR_ESTATE, "this instance has ended: create another one");
    return weir_;
  }
  // Writes the model's communicator where an MPI_Comm lies.
  void give_comm(std::uintptr_t address) const { *reinterpret_cast<MPI_Comm*>(address) = model_comm_; }

  void finalize() {
    weir_t* weir = std::exchange(weir_, nullptr);
    const int code = outside([&] { return weir_finalize(&weir); });
    const std::string sentence = code == WEIR_OK ? "" : weir_init_error();
    if (model_comm_ != MPI_COMM_NULL) MPI_Comm_free(&model_comm_);
    if (code != WEIR_OK) throw io::Error(code, sentence);
  }
  std::string report() const {
    const char* json = "";
    check(outside([&] { return weir_report(handle(), &json); }));
    return json;
  }

  int def_layout(const Indices& shape, const std::optional<Indices>& start, const std::optional<Indices>& count,
                 const std::optional<std::vector<int>>& order) const;
  int def_layout_subarray(const Indices& shape, const std::pair<Indices, Indices>& box,
                          const std::optional<std::vector<int>>& order,
                          const std::pair<Indices, Indices>& memory) const;
  int def_layout_map(const Indices& shape, nanobind::handle offsets) const;
  std::int64_t layout_length(int layout) const {
    std::int64_t length = 0;
    check(weir_inq_layout(handle(), layout, &length));
    return length;
  }
  void free_layout(int layout) const {
    check(outside([&] { return weir_free_layout(handle(), layout); }));
  }
  void check(int code) const {
    if (code != WEIR_OK) throw io::Error(code, weir_error(weir_));
  }

 private:
  MPI_Comm model_comm_ = MPI_COMM_NULL;
  weir_t* weir_ = nullptr;
};

}  // namespace weir::python
