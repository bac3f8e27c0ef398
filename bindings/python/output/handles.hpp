// SPDX-License-Identifier: Apache-2.0
// A running Weir and its files, as weir._output shows them to Python: those of weir.hpp, which refuse every call after
// their end. Nothing ends by a destructor, as it does in C++: weir_close and weir_finalize are Collective, and Python's
// ranks do not collect their garbage together. weir.output calls close() and finalize().
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <weir/weir.hpp>

namespace weir::python {

using io::Indices;

// The library's call, without the GIL.
template <class Call>
auto outside(Call call) {
  const nanobind::gil_scoped_release release;
  return call();
}

// An object of weir.hpp that is left alone where it has not ended.
template <class Owner>
struct LeftAlone {
  void operator()(Owner* owner) const {
    if (owner->handle() == nullptr) delete owner;
  }
};

class Instance {
 public:
  // world: the address of an MPI_Comm, mpi4py's own. Collective over it.
  Instance(std::uintptr_t world, const std::optional<std::string>& config)
      : weir_(outside([&] {
          return new io::Weir(*reinterpret_cast<const MPI_Comm*>(world), config ? config->c_str() : nullptr);
        })) {}

  // Whether this rank served, and is done.
  bool reserved() const noexcept { return weir_->model_comm() == MPI_COMM_NULL; }
  bool ended() const noexcept { return weir_->handle() == nullptr; }
  io::Weir& running() const {
    if (ended()) throw io::Error(WEIR_ESTATE, "this instance has ended: create another one");
    return *weir_;
  }
  // Writes the model's communicator where an MPI_Comm lies.
  void give_comm(std::uintptr_t address) const { *reinterpret_cast<MPI_Comm*>(address) = weir_->model_comm(); }

 private:
  std::unique_ptr<io::Weir, LeftAlone<io::Weir>> weir_;
};

class File {
 public:
  File(std::shared_ptr<Instance> instance, const std::string& path, int mode, bool is_new,
       std::optional<std::int64_t> records)
      : instance_(std::move(instance)), path_(path), file_(outside([&, &weir = instance_->running()] {
          if (records) return new io::File(weir.open_at(path, mode, *records));
          return new io::File(is_new ? weir.create(path, mode) : weir.open(path, mode));
        })) {}

  io::File& open() const {
    static_cast<void>(instance_->running());
    if (file_->handle() == nullptr) throw io::Error(WEIR_ESTATE, path_ + " is closed: open it again");
    return *file_;
  }
  // call(handle), without the GIL.
  template <class Call>
  void make(Call call) const {
    weir_file* const handle = open().handle();
    check(outside([&] { return call(handle); }));
  }
  void check(int code) const {
    if (code != WEIR_OK) throw io::Error(code, weir_file_error(file_->handle()));
  }

 private:
  std::shared_ptr<Instance> instance_;
  std::string path_;
  std::unique_ptr<io::File, LeftAlone<io::File>> file_;
};

}  // namespace weir::python
