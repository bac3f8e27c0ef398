// SPDX-License-Identifier: Apache-2.0
// Files of weir.hpp: one netCDF file, as an owner of weir.h's handle. Included by weir.hpp.
#ifndef WEIR_FILE_HPP
#define WEIR_FILE_HPP

#include <weir/weir.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>
#include <weir/elements.hpp>
#include <weir/layout.hpp>

namespace weir::io {

// What files know of their Weir: nullptr once it has ended.
struct Running {
  weir_t* weir = nullptr;
  bool ended() const noexcept {
    int finalized = 0;
    MPI_Finalized(&finalized);
    return weir == nullptr || finalized != 0;
  }
};

// One netCDF file: made by Weir::create or Weir::open.
class File {
 public:
  struct Summary {
    int ndims, nvars, natts, record_dim;
  };
  struct Dimension {
    std::string name;
    std::int64_t length;
  };
  struct Variable {
    std::string name;
    weir_type type;
    std::vector<int> dims;
    int natts;
  };
  struct Attribute {
    weir_type type;
    std::int64_t count;
  };

  File() = default;
  File(File&& other) noexcept { swap(other); }
  File& operator=(File&& other) noexcept {
    File(std::move(other)).swap(*this);
    return *this;
  }
  ~File() {
    if (handle() != nullptr && !running_->ended()) weir_close(file_);
  }

  // For calls of weir.h; nullptr once the file is closed or its Weir has ended.
  weir_file* handle() const noexcept { return running_ && running_->weir ? file_ : nullptr; }

  // ---- Definitions ----
  int def_dim(const std::string& name, std::int64_t length) {
    int dim = -1;
    check(weir_def_dim(handle(), name.c_str(), length, &dim));
    return dim;
  }
  int def_dim_unlimited(const std::string& name, std::int64_t length) {
    int dim = -1;
    check(weir_def_dim_unlimited(handle(), name.c_str(), length, &dim));
    return dim;
  }
  void extend_dim(int dim, std::int64_t length) { check(weir_extend_dim(handle(), dim, length)); }
  int def_var(const std::string& name, weir_type type, const std::vector<int>& dims) {
    int var = -1;
    check(weir_def_var(handle(), name.c_str(), type, static_cast<int>(dims.size()), dims.data(), &var));
    return var;
  }
  template <ElementRange R>
  void put_att(int var, const std::string& name, const R& values) {
    constexpr weir_type type = type_of<std::ranges::range_value_t<R>>();
    check(weir_put_att(handle(), var, name.c_str(), type, std::ranges::ssize(values), std::ranges::data(values)));
  }
  template <Element T>
  void put_att(int var, const std::string& name, T value) {
    put_att(var, name, std::span<const T>(&value, 1));
  }
  void put_att_text(int var, const std::string& name, const std::string& text) {
    check(weir_put_att_text(handle(), var, name.c_str(), text.c_str()));
  }
  // An attribute of WEIR_STRING.
  void put_att(int var, const std::string& name, const std::vector<std::string>& texts) {
    std::vector<const char*> values;
    for (const std::string& text : texts) values.push_back(text.c_str());
    check(weir_put_att(handle(), var, name.c_str(), WEIR_STRING, std::ssize(values), values.data()));
  }
  void def_var_chunking(int var, const Indices& chunks) {
    int ndims = 0;
    check(weir_inq_var(handle(), var, nullptr, nullptr, &ndims, nullptr, nullptr));
    if (std::ssize(chunks) != ndims)
      fail(WEIR_EARGUMENT, "the chunk of " + name_of(var) + " needs a length for each of its dimensions");
    check(weir_def_var_chunking(handle(), var, WEIR_CHUNKED, chunks.data()));
  }
  void def_var_deflate(int var, bool shuffle, bool deflate, int level) {
    check(weir_def_var_deflate(handle(), var, shuffle ? 1 : 0, deflate ? 1 : 0, level));
  }
  void def_var_zstd(int var, int level) { check(weir_def_var_zstd(handle(), var, level)); }
  void def_var_fletcher32(int var, bool fletcher32) {
    check(weir_def_var_fletcher32(handle(), var, fletcher32 ? 1 : 0));
  }
  void def_var_quantize(int var, int mode, int digits) { check(weir_def_var_quantize(handle(), var, mode, digits)); }
  void set_fill(weir_fill_mode mode) { check(weir_set_fill(handle(), mode)); }
  void set_alignment(std::int64_t header_free_bytes, std::int64_t variable_align_bytes,
                     std::int64_t record_align_bytes) {
    check(weir_set_alignment(handle(), header_free_bytes, variable_align_bytes, record_align_bytes));
  }
  void enddef() { check(weir_enddef(handle())); }
  void redef() { check(weir_redef(handle())); }
  void sync() { check(weir_sync(handle())); }
  void close() {
    const int code = weir_close(handle());
    const std::string sentence = weir_file_error(handle());
    file_ = nullptr;
    if (code != WEIR_OK) throw Error(code, sentence);
  }

  // ---- Putting data ----
  template <ElementRange R>
  void put(int var, std::int64_t record, const Layout& layout, const R& values) {
    const Sizes sizes{std::ranges::ssize(values), layout.buffer_length(), "the layout"};
    if (sizes.differ()) fail(WEIR_EARGUMENT, sizes.sentence("put of " + name_of(var)));
    constexpr weir_type type = type_of<std::ranges::range_value_t<R>>();
    check(weir_put(handle(), var, record, layout.number(), type, std::ranges::data(values)));
  }
  template <ElementRange R>
  void put_vara(int var, const Indices& start, const Indices& count, const R& values) {
    constexpr weir_type type = type_of<std::ranges::range_value_t<R>>();
    std::string refusal = refuse_box(var, start, count);
    const Sizes sizes{std::ranges::ssize(values), volume(count), "the box"};
    if (refusal.empty() && sizes.differ()) refusal = sizes.sentence("put of " + name_of(var));
    if (refusal.empty())
      return check(weir_put_vara(handle(), var, start.data(), count.data(), type, std::ranges::data(values)));
    // All ranks meet in this call, so all of them get the sentence here.
    weir_fail(handle(), WEIR_EARGUMENT, refusal.c_str());
    check(weir_put_vara(handle(), var, nullptr, nullptr, type, nullptr));
  }
  template <ElementRange R>
  void put_var(int var, std::int64_t record, const R& values) {
    const Sizes sizes{std::ranges::ssize(values), whole_length(var), "the variable"};
    if (sizes.differ()) fail(WEIR_EARGUMENT, sizes.sentence("put of " + name_of(var)));
    constexpr weir_type type = type_of<std::ranges::range_value_t<R>>();
    check(weir_put_var(handle(), var, record, type, std::ranges::data(values)));
  }
  // A scalar, or the one value of a record.
  template <Element T>
  void put_var(int var, std::int64_t record, T value) {
    put_var(var, record, std::span<const T>(&value, 1));
  }
  // This rank cannot make the put that the others make: throws here, and on all ranks where they meet next.
  [[noreturn]] void fail(weir_code code, const std::string& sentence) {
    const int given = weir_fail(handle(), code, sentence.c_str());
    throw Error(given, weir_file_error(handle()));
  }
  std::string plan(int var, const Layout& layout) {
    const char* json = "";
    check(weir_plan(handle(), var, layout.number(), &json));
    return json;
  }

  // ---- Reading ----
  template <WritableElementRange R>
  void get_vara(int var, const Indices& start, const Indices& count, R&& values) const {
    using T = std::ranges::range_value_t<R>;
    if (const std::string refusal = refuse_box(var, start, count); !refusal.empty())
      throw Error(WEIR_EARGUMENT, refusal);
    const Sizes sizes{std::ranges::ssize(values), volume(count), "the box"};
    if (sizes.differ()) throw Error(WEIR_EARGUMENT, sizes.sentence("get of " + name_of(var)));
    check(weir_get_vara(handle(), var, start.data(), count.data(), type_of<T>(), std::ranges::data(values)));
  }
  // Collective, as get().
  template <WritableElementRange R>
  void get_vara_all(int var, const Indices& start, const Indices& count, R&& values) const {
    using T = std::ranges::range_value_t<R>;
    std::string refusal = refuse_box(var, start, count);
    const Sizes sizes{std::ranges::ssize(values), volume(count), "the box"};
    if (refusal.empty() && sizes.differ()) refusal = sizes.sentence("get of " + name_of(var));
    if (refusal.empty())
      return check(
          weir_get_vara_all(handle(), var, start.data(), count.data(), type_of<T>(), std::ranges::data(values)));
    refuse_get(refusal, [&] { return weir_get_vara_all(handle(), var, nullptr, nullptr, type_of<T>(), nullptr); });
  }
  template <WritableElementRange R>
  void get(int var, std::int64_t record, const Layout& layout, R&& values) const {
    using T = std::ranges::range_value_t<R>;
    const Sizes sizes{std::ranges::ssize(values), layout.buffer_length(), "the layout"};
    if (sizes.differ())
      refuse_get(sizes.sentence("get of " + name_of(var)),
                 [&] { return weir_get(handle(), var, record, layout.number(), type_of<T>(), nullptr); });
    check(weir_get(handle(), var, record, layout.number(), type_of<T>(), std::ranges::data(values)));
  }

  // Storage is asked for what get() of these variables will read. Collective.
  void prefetch(const std::vector<int>& vars, std::int64_t record, const Layout& layout) const {
    check(weir_prefetch(handle(), static_cast<int>(vars.size()), vars.data(), record, layout.number()));
  }

  // ---- Asking ----
  Summary inq() const {
    Summary all{};
    check(weir_inq(handle(), &all.ndims, &all.nvars, &all.natts, &all.record_dim));
    return all;
  }
  std::vector<int> inq_unlimdims() const {
    int count = 0;
    check(weir_inq_unlimdims(handle(), &count, nullptr));
    std::vector<int> dims(static_cast<std::size_t>(count));
    check(weir_inq_unlimdims(handle(), &count, dims.data()));
    return dims;
  }
  std::int64_t inq_nrecords() const {
    std::int64_t records = 0;
    check(weir_inq_nrecords(handle(), &records));
    return records;
  }
  int inq_dimid(const std::string& name) const {
    int dim = -1;
    check(weir_inq_dimid(handle(), name.c_str(), &dim));
    return dim;
  }
  Dimension inq_dim(int dim) const {
    char name[WEIR_MAX_NAME] = "";
    std::int64_t length = 0;
    check(weir_inq_dim(handle(), dim, name, &length));
    return {name, length};
  }
  int inq_varid(const std::string& name) const {
    int var = -1;
    check(weir_inq_varid(handle(), name.c_str(), &var));
    return var;
  }
  Variable inq_var(int var) const {
    char name[WEIR_MAX_NAME] = "";
    Variable variable{};
    int ndims = 0;
    check(weir_inq_var(handle(), var, name, &variable.type, &ndims, nullptr, &variable.natts));
    variable.name = name;
    variable.dims.resize(static_cast<std::size_t>(ndims));
    check(weir_inq_var(handle(), var, nullptr, nullptr, nullptr, variable.dims.data(), nullptr));
    return variable;
  }
  // Names, and why each is left out.
  std::vector<std::pair<std::string, std::string>> inq_left_out() const {
    int count = 0;
    check(weir_inq_left_out(handle(), &count, nullptr, nullptr));
    std::vector<const char*> names(static_cast<std::size_t>(count)), reasons(names.size());
    check(weir_inq_left_out(handle(), nullptr, names.data(), reasons.data()));
    std::vector<std::pair<std::string, std::string>> all;
    for (std::size_t i = 0; i < names.size(); ++i) all.emplace_back(names[i], reasons[i]);
    return all;
  }
  std::string inq_attname(int var, int number) const {
    char name[WEIR_MAX_NAME] = "";
    check(weir_inq_attname(handle(), var, number, name));
    return name;
  }
  Attribute inq_att(int var, const std::string& name) const {
    Attribute attribute{};
    check(weir_inq_att(handle(), var, name.c_str(), &attribute.type, &attribute.count));
    return attribute;
  }
  // Attributes are not converted: T must be of the attribute's type.
  template <Element T>
  std::vector<T> get_att(int var, const std::string& name) const {
    const Attribute attribute = inq_att(var, name);
    if (attribute.type != type_of<T>())
      throw Error(WEIR_EARGUMENT, "attribute \"" + name + "\" is of weir_type " + std::to_string(attribute.type) +
                                      ", not " + std::to_string(type_of<T>()) + ": ask for it in its own type");
    std::vector<T> values(static_cast<std::size_t>(attribute.count));
    check(weir_get_att(handle(), var, name.c_str(), values.data()));
    return values;
  }
  // Those of an attribute of WEIR_STRING.
  std::vector<std::string> get_att_texts(int var, const std::string& name) const {
    const Attribute attribute = inq_att(var, name);
    if (attribute.type != WEIR_STRING)
      throw Error(WEIR_EARGUMENT, "attribute \"" + name + "\" is of weir_type " + std::to_string(attribute.type) +
                                      ", not WEIR_STRING: ask for it in its own type");
    std::vector<const char*> values(static_cast<std::size_t>(attribute.count));
    check(weir_get_att(handle(), var, name.c_str(), values.data()));
    return {values.begin(), values.end()};
  }
  // Also of one string.
  std::string get_att_text(int var, const std::string& name) const {
    if (const Attribute attribute = inq_att(var, name); attribute.type == WEIR_STRING && attribute.count == 1)
      return get_att_texts(var, name)[0];
    const std::vector<char> text = get_att<char>(var, name);
    return {text.begin(), text.end()};
  }
  int inq_format() const {
    int format = 0;
    check(weir_inq_format(handle(), &format));
    return format;
  }

 private:
  friend class Weir;
  File(std::shared_ptr<Running> running, weir_file* file) : running_(std::move(running)), file_(file) {}
  void swap(File& other) noexcept {
    running_.swap(other.running_);
    std::swap(file_, other.file_);
  }
  void check(int code) const {
    if (code != WEIR_OK) throw Error(code, weir_file_error(handle()));
  }

  // All ranks meet in a collective get, one that cannot make it too: `meet` makes it without a buffer.
  template <class Meet>
  [[noreturn]] void refuse_get(const std::string& sentence, Meet meet) const {
    const int code = meet();
    throw Error(WEIR_EARGUMENT, code == WEIR_ETIMEOUT ? weir_file_error(handle()) : sentence);
  }
  std::string name_of(int var) const {
    char name[WEIR_MAX_NAME] = "";
    const bool known = weir_inq_var(handle(), var, name, nullptr, nullptr, nullptr, nullptr) == WEIR_OK;
    return known ? "\"" + std::string(name) + "\"" : "variable " + std::to_string(var);
  }
  // Empty where the arrays fit the variable; an unknown one is the core's to refuse.
  std::string refuse_box(int var, const Indices& start, const Indices& count) const {
    int ndims = 0;
    if (weir_inq_var(handle(), var, nullptr, nullptr, &ndims, nullptr, nullptr) != WEIR_OK) return "";
    const auto wanted = static_cast<std::size_t>(ndims);
    if (start.size() == wanted && count.size() == wanted) return "";
    return name_of(var) + " has " + std::to_string(ndims) + " dimensions, but start has " +
           std::to_string(start.size()) + " numbers and count " + std::to_string(count.size()) +
           ": give one for each dimension";
  }
  // Of a variable without its record dimension; -1 where there is no such variable.
  std::int64_t whole_length(int var) const {
    int ndims = 0, record_dim = -1;
    if (weir_inq_var(handle(), var, nullptr, nullptr, &ndims, nullptr, nullptr) != WEIR_OK) return -1;
    weir_inq(handle(), nullptr, nullptr, nullptr, &record_dim);
    Indices lengths;
    for (const int dim : inq_var(var).dims)
      if (dim != record_dim) lengths.push_back(inq_dim(dim).length);
    return volume(lengths);
  }
  // -1 where a length is negative.
  static std::int64_t volume(const Indices& lengths) noexcept {
    std::int64_t elements = 1;
    for (const std::int64_t length : lengths) {
      if (length < 0) return -1;
      elements *= length;
    }
    return elements;
  }

  std::shared_ptr<Running> running_;
  weir_file* file_ = nullptr;
};

}  // namespace weir::io

#endif
