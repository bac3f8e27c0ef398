// SPDX-License-Identifier: Apache-2.0
#include <weir/weir.h>

#include <map>

#include "writer.hpp"

namespace harness {
namespace {

class WeirWriter final : public Writer {
 public:
  using Writer::Writer;

  int init() override {
    const int code = weir_init(MPI_COMM_WORLD, plan_.text("config").c_str(), &model_, &weir_);
    if (code != WEIR_OK) return began_ = false, code;
    began_ = true;
    if (model_ == MPI_COMM_NULL) return 0;
    MPI_Comm_rank(model_, &rank_);
    MPI_Comm_size(model_, &ranks_);
    return 0;
  }
  bool has_model() const override { return weir_ != nullptr; }

  int create(int file, int generation) override {
    const int code = weir_create(weir_, plan_.path(file).c_str(), format(), &files_[file]);
    return code != WEIR_OK ? (files_.erase(file), code) : define(file, generation);
  }
  int open(int file, int) override {
    const int code = weir_open(weir_, plan_.path(file).c_str(), WEIR_WRITE, &files_[file]);
    if (code != WEIR_OK) files_.erase(file);
    return code;
  }
  int open_at(int file, std::int64_t records) override {
    const int code = weir_open_at(weir_, plan_.path(file).c_str(), WEIR_WRITE, records, &files_[file]);
    if (code != WEIR_OK) files_.erase(file);
    return code;
  }
  int put(const RecordKey& place) override {
    switch (variables[static_cast<std::size_t>(place.var)].type) {
      case Type::integer:
        return put_as<int>(place, WEIR_INT);
      case Type::real:
        return put_as<float>(place, WEIR_FLOAT);
      default:
        return put_as<double>(place, WEIR_DOUBLE);
    }
  }
  int sync(int file) override { return weir_sync(files_.at(file)); }
  int close(int file) override {
    weir_file* const closing = files_.at(file);
    files_.erase(file);
    return weir_close(closing);
  }
  bool is_open(int file) const override { return files_.contains(file); }
  int finalize() override {
    ended_ = true;
    return weir_finalize(&weir_);
  }
  std::string sentence(int) const override {
    return began_ && !ended_ && weir_ ? weir_error(weir_) : weir_init_error();
  }

 private:
  int format() const {
    const int format = plan_["format"].get<int>();
    return format == 5 ? WEIR_CDF5 : format == 2 ? WEIR_CDF2 : WEIR_CDF1;
  }
  int define(int file, int generation) {
    weir_file* const made = files_.at(file);
    const char* const names[] = {"time", "z", "y", "x"};
    int dims[4], code = weir_def_dim(made, names[0], WEIR_UNLIMITED, &dims[0]);
    for (std::size_t d = 1; d < 4 && code == WEIR_OK; ++d)
      code = weir_def_dim(made, names[d], plan_["shape"][d - 1].get<std::int64_t>(), &dims[d]);
    for (const Variable& v : variables) {
      const int used[] = {dims[0], dims[1], dims[2], dims[3]}, *const last = used + 4 - v.ndims;
      std::vector<int> of(last, used + 4);
      if (v.record) of.insert(of.begin(), dims[0]);
      int var = -1;
      if (code == WEIR_OK)
        code = weir_def_var(made, v.name, static_cast<weir_type>(v.type), static_cast<int>(of.size()), of.data(), &var);
    }
    if (code == WEIR_OK) code = weir_put_att(made, WEIR_GLOBAL, "generation", WEIR_INT, 1, &generation);
    return code == WEIR_OK ? weir_enddef(made) : code;
  }

  // Made at the first put, on all ranks alike.
  int layout(int var, int& found) {
    if (layouts_.contains(var)) return found = layouts_[var], WEIR_OK;
    const std::vector<std::int64_t> shape = plan_.shape(var);
    const int ndims = static_cast<int>(shape.size());
    int code = WEIR_OK;
    if (plan_.has_boxes()) {
      const Box box = plan_.box(var, rank_, ranks_);
      code = weir_def_layout(weir_, ndims, shape.data(), 1, box.start.data(), box.count.data(), nullptr, &found);
    } else {
      const std::vector<std::int64_t> own = plan_.owned(var, rank_, ranks_);
      code = weir_def_layout_map(weir_, ndims, shape.data(), static_cast<std::int64_t>(own.size()), own.data(), &found);
    }
    if (code == WEIR_OK) layouts_[var] = found;
    return code;
  }

  template <class Value>
  int put_as(const RecordKey& place, weir_type type) {
    weir_file* const file = files_.at(place.file);
    const Variable& variable = variables[static_cast<std::size_t>(place.var)];
    if (variable.ndims == 0) return weir_put_var(file, place.var, place.record, type, values<Value>(place, {0}).data());
    const std::vector<Value> own = values<Value>(place, plan_.owned(place.var, rank_, ranks_));
    if (plan_.text("puts") == "layout" || !plan_.has_boxes()) {
      int found = -1;
      const int code = layout(place.var, found);
      return code == WEIR_OK ? weir_put(file, place.var, place.record, found, type, own.data()) : code;
    }
    Box box = plan_.box(place.var, rank_, ranks_);
    if (variable.record) {
      box.start.insert(box.start.begin(), place.record);
      box.count.insert(box.count.begin(), own.empty() ? 0 : 1);
    }
    return weir_put_vara(file, place.var, box.start.data(), box.count.data(), type, own.data());
  }

  MPI_Comm model_ = MPI_COMM_NULL;
  weir_t* weir_ = nullptr;
  bool began_ = false, ended_ = false;
  std::map<int, weir_file*> files_;
  std::map<int, int> layouts_;
};

}  // namespace

std::unique_ptr<Writer> make_weir_writer(const Plan& plan) {
  return std::make_unique<WeirWriter>(plan);
}

}  // namespace harness
