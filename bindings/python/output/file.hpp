// SPDX-License-Identifier: Apache-2.0
// A file of a running Weir. It knows when its Weir has ended, and then refuses every call. What can be asked of one is
// in definitions.hpp, data.hpp and inquiry.hpp: functions, which weir._output shows as the file's methods.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "instance.hpp"

namespace weir::python {

class File {
 public:
  File(std::shared_ptr<Instance> instance, const std::string& path, int mode, bool is_new)
      : instance_(std::move(instance)), path_(path) {
    instance_->check(outside([&, weir = instance_->handle()] {
      return is_new ? weir_create(weir, path_.c_str(), mode, &file_) : weir_open(weir, path_.c_str(), mode, &file_);
    }));
  }

  void close() {
    weir_file* file = std::exchange(file_, nullptr);
    const int code = outside([&] { return weir_close(file); });
    if (code != WEIR_OK) throw io::Error(code, weir_file_error(file));
  }

  const Instance& instance() const noexcept { return *instance_; }
  weir_file* handle() const {
    static_cast<void>(instance_->handle());
    if (file_ == nullptr) throw io::Error(WEIR_ESTATE, path_ + " is closed: open it again");
    return file_;
  }
  void check(int code) const {
    if (code != WEIR_OK) throw io::Error(code, weir_file_error(file_));
  }
  // call(handle), without the GIL.
  template <class Call>
  void make(Call call) const {
    check(outside([&, file = handle()] { return call(file); }));
  }

 private:
  std::shared_ptr<Instance> instance_;
  std::string path_;
  weir_file* file_ = nullptr;
};

}  // namespace weir::python
