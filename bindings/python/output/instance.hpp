// SPDX-License-Identifier: Apache-2.0
// One running Weir and its files, as weir._output shows them to Python: weir.h's calls with exceptions, the GIL
// released while the library works. Nothing ends by a destructor: weir_close and weir_finalize are Collective, and
// Python's ranks do not collect their garbage together. weir.output calls them. A file knows when its Weir has ended,
// and then refuses every call.
#pragma once

#include <nanobind/nanobind.h>
#include <weir/weir.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
#include <weir/elements.hpp>

#include "buffer.hpp"

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
    if (ended()) throw io::Error(WEIR_ESTATE, "this Weir has ended: make another one");
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

class File {
 public:
  File(std::shared_ptr<Instance> instance, const std::string& path, int mode, bool is_new);

  int def_dim(const std::string& name, std::int64_t length) const {
    int dim = -1;
    check(weir_def_dim(handle(), name.c_str(), length, &dim));
    return dim;
  }
  int def_dim_unlimited(const std::string& name, std::int64_t length) const {
    int dim = -1;
    check(weir_def_dim_unlimited(handle(), name.c_str(), length, &dim));
    return dim;
  }
  void extend_dim(int dim, std::int64_t length) const { check(weir_extend_dim(handle(), dim, length)); }
  int def_var(const std::string& name, int type, const std::vector<int>& dims) const {
    int var = -1;
    check(weir_def_var(handle(), name.c_str(), static_cast<weir_type>(type), static_cast<int>(dims.size()), dims.data(),
                       &var));
    return var;
  }
  void put_att(int var, const std::string& name, int type, nanobind::handle values) const;
  void put_att_texts(int var, const std::string& name, const std::vector<std::string>& texts) const;
  void def_var_chunking(int var, const Indices& chunks) const;
  void def_var_deflate(int var, bool shuffle, bool deflate, int level) const {
    check(weir_def_var_deflate(handle(), var, shuffle ? 1 : 0, deflate ? 1 : 0, level));
  }
  void def_var_zstd(int var, int level) const { check(weir_def_var_zstd(handle(), var, level)); }
  void def_var_fletcher32(int var, bool fletcher32) const {
    check(weir_def_var_fletcher32(handle(), var, fletcher32 ? 1 : 0));
  }
  void set_fill(int mode) const { check(weir_set_fill(handle(), static_cast<weir_fill_mode>(mode))); }
  void enddef() const {
    check(outside([this, file = handle()] { return weir_enddef(file); }));
  }
  void redef() const {
    check(outside([this, file = handle()] { return weir_redef(file); }));
  }
  void sync() const {
    check(outside([this, file = handle()] { return weir_sync(file); }));
  }
  void close() {
    weir_file* file = std::exchange(file_, nullptr);
    const int code = outside([&] { return weir_close(file); });
    if (code != WEIR_OK) throw io::Error(code, weir_file_error(file));
  }

  void put_vara(int var, const Indices& start, const Indices& count, int type, nanobind::handle values) const;
  void put(int var, std::int64_t record, int layout, int type, nanobind::handle values) const;
  void put_var(int var, std::int64_t record, int type, nanobind::handle values) const;
  // This rank cannot do what the others do. Returns what all ranks will be told.
  std::string fail(int code, const std::string& sentence) const {
    weir_fail(handle(), code, sentence.c_str());
    return weir_file_error(handle());
  }
  // The same where the others put boxes: all ranks meet in that call, and hear it there.
  void fail_box(int var, int code, const std::string& sentence) const;

  void get_vara(int var, const Indices& start, const Indices& count, int type, nanobind::handle values) const;
  void get_vara_all(int var, const Indices& start, const Indices& count, int type, nanobind::handle values) const;
  void get(int var, std::int64_t record, int layout, int type, nanobind::handle values) const;
  void prefetch(const std::vector<int>& vars, std::int64_t record, int layout) const;

  // Numbers of dimensions, variables and attributes, and the record dimension (-1: none).
  std::tuple<int, int, int, int> inq() const {
    int ndims = 0, nvars = 0, natts = 0, record_dim = -1;
    check(weir_inq(handle(), &ndims, &nvars, &natts, &record_dim));
    return {ndims, nvars, natts, record_dim};
  }
  std::int64_t records() const {
    std::int64_t records = 0;
    check(weir_inq_nrecords(handle(), &records));
    return records;
  }
  std::pair<std::string, std::int64_t> dim(int number) const {
    char name[WEIR_MAX_NAME] = "";
    std::int64_t length = 0;
    check(weir_inq_dim(handle(), number, name, &length));
    return {name, length};
  }
  // Name, type, dimensions, number of attributes.
  std::tuple<std::string, int, std::vector<int>, int> var(int number) const;
  std::string attname(int var, int number) const {
    char name[WEIR_MAX_NAME] = "";
    check(weir_inq_attname(handle(), var, number, name));
    return name;
  }
  std::pair<int, std::int64_t> att(int var, const std::string& name) const {
    weir_type type{};
    std::int64_t count = 0;
    check(weir_inq_att(handle(), var, name.c_str(), &type, &count));
    return {type, count};
  }
  void get_att(int var, const std::string& name, nanobind::handle values) const;
  std::vector<std::string> get_att_texts(int var, const std::string& name) const;
  std::vector<int> unlimdims() const;
  std::vector<std::pair<std::string, std::string>> left_out() const;
  int format() const {
    int format = 0;
    check(weir_inq_format(handle(), &format));
    return format;
  }

 private:
  weir_file* handle() const {
    static_cast<void>(instance_->handle());
    if (file_ == nullptr) throw io::Error(WEIR_ESTATE, path_ + " is closed: open it again");
    return file_;
  }
  void check(int code) const {
    if (code != WEIR_OK) throw io::Error(code, weir_file_error(file_));
  }
  std::int64_t whole_length(int var) const;

  std::shared_ptr<Instance> instance_;
  std::string path_;
  weir_file* file_ = nullptr;
};

}  // namespace weir::python
