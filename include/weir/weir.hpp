// SPDX-License-Identifier: Apache-2.0
// Weir: output for Earth-system models. The C++20 interface: weir.h with owners, exceptions and typed buffers; header
// only. The contracts are those of weir.h, function by function: weir_def_dim(file, ...) is file.def_dim(...),
// Collective where that is.
//
// 1. The namespace is weir::io: libweir's own code lives in namespace weir and exports it.
// 2. A failure is an Error with weir.h's code and sentence. Nothing else is thrown, but what the standard library
// throws.
// 3. Buffers are contiguous ranges (std::vector, std::array, std::span, std::string_view for text) of an Element type.
//    A put or get compares their size with what the layout or the box needs. A wrong size on one rank is an
//    Error(WEIR_EARGUMENT) with both numbers, and a put then fails on all ranks: by weir_fail they get the same
//    sentence where they meet next. Where a rank needs no elements it may give any buffer.
// 4. Weir and File own what they name and can be moved. Their destructors do what weir_finalize and weir_close
//    do, which are Collective, and keep silent on errors: call finalize() and close() to hear of them. A File
//    may outlive its Weir, which has then closed it. After MPI_Finalize they do nothing. A Layout is a plain value.
#ifndef WEIR_WEIR_HPP
#define WEIR_WEIR_HPP

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>
#include <weir/elements.hpp>
#include <weir/field.hpp>
#include <weir/file.hpp>
#include <weir/layout.hpp>

namespace weir::io {

// A code's name in words.
inline std::string strerror(int code) {
  return weir_strerror(code);
}

// One running Weir. On a rank that the strategy reserves the constructor serves until the model has finished, and
// model_comm() is then MPI_COMM_NULL: such a rank has nothing more to do.
class Weir {
 public:
  // `config` as in weir_init: a path, YAML text, or nothing. Collective over `world`.
  explicit Weir(MPI_Comm world, const char* config = nullptr) : running_(std::make_shared<Running>()) {
    const int code = weir_init(world, config, &model_comm_, &running_->weir);
    if (code != WEIR_OK) throw Error(code, weir_init_error());
  }
  Weir(MPI_Comm world, const std::string& config) : Weir(world, config.c_str()) {}
  Weir(Weir&& other) noexcept { swap(other); }
  Weir& operator=(Weir&& other) noexcept {
    Weir(std::move(other)).swap(*this);
    return *this;
  }
  ~Weir() {
    if (running_ && !running_->ended()) weir_finalize(&running_->weir);
    free_comm();
  }

  // The model's communicator, which lives as long as this object.
  MPI_Comm model_comm() const noexcept { return model_comm_; }
  // For calls of weir.h; nullptr on a reserved rank and after the end.
  weir_t* handle() const noexcept { return running_ ? running_->weir : nullptr; }

  void finalize() {
    if (handle() == nullptr) throw Error(WEIR_ESTATE, "weir_finalize of a Weir that is not running");
    const int code = weir_finalize(&running_->weir);
    free_comm();
    if (code != WEIR_OK) throw Error(code, weir_init_error());
  }
  void sync_all() { check(weir_sync_all(handle())); }
  std::string report() {
    const char* json = "";
    check(weir_report(handle(), &json));
    return json;
  }

  File create(const std::string& path, int mode = WEIR_CLOBBER) {
    weir_file* file = nullptr;
    check(weir_create(handle(), path.c_str(), mode, &file));
    return File(running_, file);
  }
  File open(const std::string& path, int mode = WEIR_NOWRITE) {
    weir_file* file = nullptr;
    check(weir_open(handle(), path.c_str(), mode, &file));
    return File(running_, file);
  }
  // Goes back to the first `records` records.
  File open_at(const std::string& path, int mode, std::int64_t records) {
    weir_file* file = nullptr;
    check(weir_open_at(handle(), path.c_str(), mode, records, &file));
    return File(running_, file);
  }

  // Boxes that lie one after another in memory; their axes there in `order`, slowest first (empty: as in the file).
  Layout def_layout(const Indices& shape, const std::vector<Box>& boxes, const std::vector<int>& order = {}) {
    Indices starts, counts;
    bool fits = fit(shape, {order.empty() ? shape.size() : order.size()});
    for (const Box& box : boxes) {
      fits = fits && fit(shape, {box.start.size(), box.count.size()});
      starts.insert(starts.end(), box.start.begin(), box.start.end());
      counts.insert(counts.end(), box.count.begin(), box.count.end());
    }
    return make_layout(shape, fits, [&](int ndims, int* layout) {
      return weir_def_layout(handle(), ndims, shape.data(), fits ? static_cast<int>(boxes.size()) : -1, starts.data(),
                             counts.data(), order.empty() ? nullptr : order.data(), layout);
    });
  }
  // One box; a rank that holds nothing gives counts of 0.
  Layout def_layout(const Indices& shape, const Indices& start, const Indices& count,
                    const std::vector<int>& order = {}) {
    return def_layout(shape, std::vector<Box>{{start, count}}, order);
  }
  Layout def_layout_subarray(const Indices& shape, const Box& box, const std::vector<int>& order,
                             const Indices& memory_shape, const Indices& memory_start) {
    const bool fits = fit(shape, {box.start.size(), box.count.size(), memory_shape.size(), memory_start.size(),
                                  order.empty() ? shape.size() : order.size()});
    return make_layout(shape, fits, [&](int ndims, int* layout) {
      return weir_def_layout_subarray(handle(), ndims, shape.data(), fits ? box.start.data() : nullptr,
                                      box.count.data(), order.empty() ? nullptr : order.data(), memory_shape.data(),
                                      memory_start.data(), layout);
    });
  }
  Layout def_layout_map(const Indices& shape, std::span<const std::int64_t> offsets) {
    return make_layout(shape, true, [&](int ndims, int* layout) {
      return weir_def_layout_map(handle(), ndims, shape.data(), std::ssize(offsets), offsets.data(), layout);
    });
  }
  std::int64_t inq_layout(const Layout& layout) const { return buffer_length(layout.number()); }
  void free_layout(const Layout& layout) { check(weir_free_layout(handle(), layout.number())); }

  // ---- Streams: fields in, files out ----
  // `dims`: the names of its dimensions, slowest first.
  Field def_field(const std::string& name, weir_type type, const std::vector<std::string>& dims, const Layout& layout) {
    return make_field(name, type, dims, layout.number(), layout.buffer_length());
  }
  // A scalar, whose value rank 0 holds.
  Field def_field(const std::string& name, weir_type type) {
    int rank = 0;
    if (model_comm_ != MPI_COMM_NULL) MPI_Comm_rank(model_comm_, &rank);
    return make_field(name, type, {}, -1, rank == 0 ? 1 : 0);
  }
  template <ElementRange R>
  void put_field_att(const Field& field, const std::string& name, const R& values) {
    constexpr weir_type type = type_of<std::ranges::range_value_t<R>>();
    check(weir_put_field_att(handle(), field.number(), name.c_str(), type, std::ranges::ssize(values),
                             std::ranges::data(values)));
  }
  template <Element T>
  void put_field_att(const Field& field, const std::string& name, T value) {
    put_field_att(field, name, std::span<const T>(&value, 1));
  }
  void put_field_att_text(const Field& field, const std::string& name, const std::string& text) {
    check(weir_put_field_att_text(handle(), field.number(), name.c_str(), text.c_str()));
  }
  // An attribute of WEIR_STRING.
  void put_field_att(const Field& field, const std::string& name, const std::vector<std::string>& texts) {
    const std::vector<const char*> values = pointers_to(texts);
    check(weir_put_field_att(handle(), field.number(), name.c_str(), WEIR_STRING, std::ssize(values), values.data()));
  }
  template <ElementRange R>
  void set_field(const Field& field, const R& values) {
    take_values(field, "set_field", values,
                [&](weir_type type, const void* data) { return weir_set_field(handle(), field.number(), type, data); });
  }
  // `units`, `calendar`: "seconds since 1990-01-01 00:00:00", "noleap".
  void start_streams(const std::string& units, double start, const std::string& calendar = "standard") {
    check(weir_start_streams(handle(), units.c_str(), calendar.c_str(), start));
  }
  template <ElementRange R>
  void send(const Field& field, double time, const R& values) {
    take_values(field, "send", values, [&](weir_type type, const void* data) {
      return weir_send(handle(), field.number(), time, type, data);
    });
  }
  // Of a scalar.
  template <Element T>
  void send(const Field& field, double time, T value) {
    send(field, time, std::span<const T>(&value, 1));
  }
  bool field_wanted(const Field& field, double time) const {
    int wanted = 0;
    check(weir_field_wanted(handle(), field.number(), time, &wanted));
    return wanted != 0;
  }

 private:
  void swap(Weir& other) noexcept {
    running_.swap(other.running_);
    std::swap(model_comm_, other.model_comm_);
  }
  void free_comm() noexcept {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (model_comm_ != MPI_COMM_NULL && finalized == 0) MPI_Comm_free(&model_comm_);
  }
  void check(int code) const {
    if (code != WEIR_OK) throw Error(code, weir_error(handle()));
  }

  static bool fit(const Indices& shape, std::initializer_list<std::size_t> sizes) {
    return std::ranges::all_of(sizes, [&](std::size_t size) { return size == shape.size(); });
  }
  // Arrays that do not fit are refused by the library too, so that all ranks hear of it.
  template <class Call>
  Layout make_layout(const Indices& shape, bool fits, Call call) {
    int layout = -1;
    const int code = call(static_cast<int>(shape.size()), &layout);
    if (!fits)
      throw Error(WEIR_EARGUMENT, "a layout of an array of " + std::to_string(shape.size()) +
                                      " dimensions: give each start, count, order and memory array that many numbers");
    check(code);
    return Layout(layout, buffer_length(layout));
  }
  static std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<const char*> pointers;
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    return pointers;
  }
  Field make_field(const std::string& name, weir_type type, const std::vector<std::string>& dims, int layout,
                   std::int64_t length) {
    const std::vector<const char*> names = pointers_to(dims);
    int field = -1;
    check(weir_def_field(handle(), name.c_str(), type, static_cast<int>(names.size()), names.data(), layout, &field));
    return Field(field, length);
  }
  // A buffer of a wrong size is refused by the library too, without its values, so that all ranks hear of it.
  template <class R, class Call>
  void take_values(const Field& field, const char* what, const R& values, Call call) {
    constexpr weir_type type = type_of<std::ranges::range_value_t<R>>();
    const Sizes sizes{std::ranges::ssize(values), field.buffer_length(), "the field's layout"};
    const int code = call(type, sizes.differ() ? nullptr : std::ranges::data(values));
    if (sizes.differ()) throw Error(WEIR_EARGUMENT, sizes.sentence(what));
    check(code);
  }
  std::int64_t buffer_length(int layout) const {
    std::int64_t length = 0;
    check(weir_inq_layout(handle(), layout, &length));
    return length;
  }

  std::shared_ptr<Running> running_;
  MPI_Comm model_comm_ = MPI_COMM_NULL;
};

}  // namespace weir::io

#endif
