// SPDX-License-Identifier: Apache-2.0
// The C interface: start and end, layouts, puts, gets. Contracts are in weir.h.
#include "base/text.hpp"
#include "handles.hpp"
#include "start.hpp"

using weir::Error;
using weir::File;
using weir::IndexView;
using weir::Layout;
using weir::require;
using weir::require_pointer;

namespace {

thread_local std::string init_error;

IndexView view(const std::int64_t* values, std::size_t count) {
  return values ? IndexView(values, count) : IndexView();
}

std::size_t checked_ndims(int ndims) {
  require(ndims >= 0, WEIR_EARGUMENT, "ndims is {}; it is 0 or more", ndims);
  return static_cast<std::size_t>(ndims);
}

std::span<const int> order_view(const int* order, std::size_t ndims) {
  return order ? std::span<const int>(order, ndims) : std::span<const int>();
}

int make_handle(weir_instance* weir, weir_file** handle, File& file) {
  weir->files.push_back(std::make_unique<weir_dataset>());
  *handle = weir->files.back().get();
  (*handle)->owner = weir;
  (*handle)->file = &file;
  (*handle)->path = file.path();
  return WEIR_OK;
}

}  // namespace

int weir_binding_start(MPI_Comm world, const char* config, const weir::Caller* caller, MPI_Comm* model_comm,
                       weir_t** weir) noexcept {
  if (!model_comm || !weir) return WEIR_EARGUMENT;
  *model_comm = MPI_COMM_NULL;
  *weir = nullptr;
  try {
    auto made = std::make_unique<weir_instance>();
    made->instance.reset(new weir::Instance(world, config, *caller));
    init_error.clear();
    if (made->instance->reserved()) {
      made->instance->serve();
      return WEIR_OK;
    }
    *model_comm = made->instance->duplicate_model();
    *weir = made.release();
    return WEIR_OK;
  } catch (const std::exception&) {
    weir::Status status = weir::caught();
    init_error = std::move(status.message);
    return status.code;
  }
}

const std::int64_t* weir_binding_memory_shape(const weir_t* weir, int layout, std::size_t* axes) noexcept {
  static constexpr std::int64_t unknown[] = {0};
  std::span<const std::int64_t> lengths = unknown;
  try {
    if (weir) lengths = weir->instance->layouts().at(layout).memory_shape();
  } catch (const Error&) {
  }
  *axes = lengths.size();
  return lengths.data();
}

extern "C" {

int weir_init(MPI_Comm world, const char* config, MPI_Comm* model_comm, weir_t** weir) {
  return weir::start(world, config, {}, model_comm, weir);
}

const char* weir_init_error(void) {
  return init_error.c_str();
}

int weir_finalize(weir_t** weir) {
  if (!weir || !*weir) return WEIR_ESTATE;
  const int code = weir::guard(*weir, nullptr, [&] { (*weir)->instance->finish(); });
  if (code != WEIR_OK) init_error = (*weir)->error;
  delete *weir;
  *weir = nullptr;
  return code;
}

const char* weir_error(const weir_t* weir) {
  return weir ? weir->error.c_str() : "the handle is NULL or was freed";
}

const char* weir_file_error(const weir_file* file) {
  return file ? file->error.c_str() : "the handle is NULL or was freed";
}

const char* weir_strerror(int code) {
  switch (code) {
    case WEIR_OK:
      return "no error";
    case WEIR_EARGUMENT:
      return "invalid argument";
    case WEIR_ESTATE:
      return "the call is not allowed in this state";
    case WEIR_ECONFIG:
      return "the configuration is invalid";
    case WEIR_EOVERLAP:
      return "two ranks hold the same element";
    case WEIR_ECOVER:
      return "no rank holds an element";
    case WEIR_EMISMATCH:
      return "the ranks do not agree";
    case WEIR_ERANGE:
      return "a value does not fit the external type";
    case WEIR_EIO:
      return "the file system reported an error";
    case WEIR_EFORMAT:
      return "not a netCDF classic file, or a damaged one";
    case WEIR_ETIMEOUT:
      return "timed out waiting for a rank";
    case WEIR_EMEMORY:
      return "out of memory";
    case WEIR_EMPI:
      return "MPI reported an error";
    case WEIR_ENOTFOUND:
      return "no such name";
    case WEIR_EINTERNAL:
      return "an internal error of Weir";
    default:
      return "not a Weir status code";
  }
}

int weir_report(weir_t* weir, const char** json) {
  return weir::guard(weir, nullptr, [&] {
    require_pointer(json, "json");
    weir->text = weir->instance->report();
    *json = weir->text.c_str();
  });
}

int weir_create(weir_t* weir, const char* path, int mode, weir_file** file) {
  return weir::guard(weir, nullptr, [&] {
    require_pointer(path, "path");
    require_pointer(file, "file");
    make_handle(weir, file, weir->instance->files().create(path, mode));
  });
}

int weir_open(weir_t* weir, const char* path, int mode, weir_file** file) {
  return weir::guard(weir, nullptr, [&] {
    require_pointer(path, "path");
    require_pointer(file, "file");
    make_handle(weir, file, weir->instance->files().open(path, mode));
  });
}

int weir_open_at(weir_t* weir, const char* path, int mode, int64_t records, weir_file** file) {
  return weir::guard(weir, nullptr, [&] {
    require_pointer(path, "path");
    require_pointer(file, "file");
    make_handle(weir, file, weir->instance->files().open(path, mode, records));
  });
}

int weir_redef(weir_file* file) {
  return weir::guard(file, [&](File& f) { file->owner->instance->files().redef(f); });
}

int weir_sync(weir_file* file) {
  return weir::guard(file, [&](File& f) { file->owner->instance->files().sync(f); });
}

int weir_sync_all(weir_t* weir) {
  return weir::guard(weir, nullptr, [&] { weir->instance->sync_all(); });
}

int weir_close(weir_file* file) {
  return weir::guard(file, [&](File&) { file->owner->instance->files().close(weir::end_handle(*file)); });
}

int weir_def_layout(weir_t* weir, int ndims, const int64_t shape[], int nboxes, const int64_t starts[],
                    const int64_t counts[], const int order[], int* layout) {
  return weir::guard(weir, nullptr, [&] {
    const std::size_t n = checked_ndims(ndims);
    require_pointer(layout, "layout");
    *layout = weir->instance->define_layout(view(shape, n), [&] {
      require(nboxes >= 0, WEIR_EARGUMENT, "nboxes is {}; it is 0 or more", nboxes);
      require(n == 0 || shape, WEIR_EARGUMENT, "shape is NULL");
      require(n == 0 || nboxes == 0 || (starts && counts), WEIR_EARGUMENT, "starts or counts is NULL");
      const std::size_t all = static_cast<std::size_t>(nboxes) * n;
      if (n == 0 && nboxes == 0) return Layout::boxes(weir::Shape{1}, {}, {}, {});
      return Layout::boxes(view(shape, n), view(starts, all), view(counts, all), order_view(order, n),
                           weir->instance->layouts().counting());
    });
  });
}

int weir_def_layout_subarray(weir_t* weir, int ndims, const int64_t shape[], const int64_t start[],
                             const int64_t count[], const int order[], const int64_t memory_shape[],
                             const int64_t memory_start[], int* layout) {
  return weir::guard(weir, nullptr, [&] {
    const std::size_t n = checked_ndims(ndims);
    require_pointer(layout, "layout");
    *layout = weir->instance->define_layout(view(shape, n), [&] {
      require(shape && start && count && memory_shape && memory_start, WEIR_EARGUMENT,
              "shape, start, count, memory_shape or memory_start is NULL");
      return Layout::subarray(view(shape, n), view(start, n), view(count, n), order_view(order, n),
                              view(memory_shape, n), view(memory_start, n), weir->instance->layouts().counting());
    });
  });
}

int weir_def_layout_map(weir_t* weir, int ndims, const int64_t shape[], int64_t length, const int64_t offsets[],
                        int* layout) {
  return weir::guard(weir, nullptr, [&] {
    const std::size_t n = checked_ndims(ndims);
    require_pointer(layout, "layout");
    *layout = weir->instance->define_layout(view(shape, n), [&] {
      require(n == 0 || shape, WEIR_EARGUMENT, "shape is NULL");
      require(length >= 0, WEIR_EARGUMENT, "an offset map has length {}; it is 0 or more", length);
      require(length == 0 || offsets, WEIR_EARGUMENT, "offsets is NULL");
      return Layout::map(view(shape, n), view(offsets, static_cast<std::size_t>(length)),
                         weir->instance->layouts().counting());
    });
  });
}

int weir_inq_layout(const weir_t* weir, int layout, int64_t* buffer_length) {
  if (!weir || !buffer_length) return WEIR_EARGUMENT;
  try {
    *buffer_length = weir->instance->layouts().at(layout).buffer_length();
    return WEIR_OK;
  } catch (const Error& error) {
    weir->error = error.what();
    return error.code();
  }
}

int weir_free_layout(weir_t* weir, int layout) {
  return weir::guard(weir, nullptr, [&] { weir->instance->free_layout(layout); });
}

int weir_put(weir_file* file, int var, int64_t record, int layout, weir_type type, const void* values) {
  return weir::guard(file, [&](File& f) { f.puts().put(var, record, layout, type, values); });
}

int weir_put_vara(weir_file* file, int var, const int64_t start[], const int64_t count[], weir_type type,
                  const void* values) {
  return weir::guard(file, [&](File& f) {
    // A variable that is none on this rank alone becomes known to all ranks by put_box.
    const auto& variables = f.schema().variables();
    const bool known = var >= 0 && static_cast<std::size_t>(var) < variables.size();
    const std::size_t n = known ? variables[static_cast<std::size_t>(var)].dims.size() : 0;
    f.puts().put_box(var, view(start, n), view(count, n), type, values);
  });
}

int weir_put_var(weir_file* file, int var, int64_t record, weir_type type, const void* values) {
  return weir::guard(file, [&](File& f) { f.puts().put_whole(var, record, type, values); });
}

int weir_fail(weir_file* file, int code, const char* sentence) {
  return weir::guard(file, [&](File& f) {
    require(code <= WEIR_EARGUMENT && code >= WEIR_EINTERNAL, WEIR_EARGUMENT, "{} is not a Weir status code", code);
    require_pointer(sentence, "sentence");
    throw Error(static_cast<weir_code>(code), f.fail(static_cast<weir_code>(code), sentence));
  });
}

int weir_plan(weir_file* file, int var, int layout, const char** json) {
  return weir::guard(file, [&](File& f) {
    require_pointer(json, "json");
    file->owner->text = f.puts().plan_json(var, layout);
    *json = file->owner->text.c_str();
  });
}

int weir_get_vara(weir_file* file, int var, const int64_t start[], const int64_t count[], weir_type type,
                  void* values) {
  return weir::guard(file, [&](File& f) {
    const std::size_t n = f.variable(var).dims.size();
    require(n == 0 || (start && count), WEIR_EARGUMENT, "start or count is NULL");
    f.gets().get_box(var, view(start, n), view(count, n), type, values);
  });
}

int weir_get_vara_all(weir_file* file, int var, const int64_t start[], const int64_t count[], weir_type type,
                      void* values) {
  return weir::guard(file, [&](File& f) {
    // As in weir_put_vara: what is wrong on this rank alone becomes known to all by get_box_all.
    const auto& variables = f.schema().variables();
    const bool known = var >= 0 && static_cast<std::size_t>(var) < variables.size();
    const std::size_t n = known ? variables[static_cast<std::size_t>(var)].dims.size() : 0;
    f.gets().get_box_all(var, view(start, n), view(count, n), type, values);
  });
}

// As in weir_put_vara: a wrong list on this rank becomes known to all by prefetch, where no variable has the number -1.
int weir_prefetch(weir_file* file, int nvars, const int vars[], int64_t record, int layout) {
  return weir::guard(file, [&](File& f) {
    const bool whole = nvars == 0 || (nvars > 0 && vars);
    f.gets().prefetch(whole ? std::vector<int>(vars, vars + nvars) : std::vector<int>{-1}, record, layout);
  });
}

int weir_get(weir_file* file, int var, int64_t record, int layout, weir_type type, void* values) {
  return weir::guard(file, [&](File& f) { f.gets().get(var, record, layout, type, values); });
}

}  // extern "C"
