// SPDX-License-Identifier: Apache-2.0
// The file's life.
#include "output.hpp"

#include <unistd.h>

#include <utility>

#include "base/text.hpp"
#include "definitions.hpp"
#include "rewriting.hpp"

namespace weir::cfio2 {

namespace {

// Whether a file of this format takes more records.
bool takes_more(const weir_file* file) {
  constexpr int netcdf4 = 3, zarr = 10;
  int format = 0;
  weir_inq_format(file, &format);
  return format != netcdf4 && format != zarr;
}

}  // namespace

void Output::put(const Put& put, const Status& refused) {
  failed_.raise();
  touched_ = true;
  const bool is_new = !defined() || schema_.find_variable(put.name) < 0;
  if (deferred_.has(put.name))
    define(formatted("another {}", put.in_words()));
  else if (is_new)
    return deferred_.add(put, refused, wanted_);
  put_defined(schema_.find_variable(put.name), put, refused);
}

void Output::put_attribute(std::string var, Attribute attribute, const Status& refused) {
  failed_.raise();
  deferred_.add(std::move(var), std::move(attribute), refused);
}

std::string Output::summary() const {
  return formatted("{} new definitions of {}", changes(), path_);
}

void Output::define(const std::string& call) {
  failed_.raise();
  if (changes() == 0) return;
  try {
    shared_.agree_on(call, deferred_.lines(), deferred_.refused()).raise();
    define_agreed();
  } catch (const Error& error) {
    failed_ = {error.code(), error.what()};
    shared_.note(error.code(), error.what());
    deferred_.forget();
    throw;
  }
  deferred_.forget();
}

void Output::define_agreed() {
  if (!defined()) {
    begin();
  } else {
    deferred_.apply_attributes(wanted_, path_);
    if (!(wanted_ == schema_)) {
      require(!shared_.part_files(), WEIR_ESTATE,
              "{}: part files take no further variable or attribute; put all of them before cfio2_wait_output", path_);
      close_file();
      open_existing();
    }
  }
  put_held();
  shared_.agree_on(formatted("the first write into {}", path_), {}, std::exchange(problem_, {})).raise();
}

void Output::begin() {
  if (append_) {
    require(!shared_.part_files() || !exists(path_ + ".0000"), WEIR_ESTATE,
            "{}.0000 exists, and part files cannot be appended to: merge them first, or give append = 0", path_);
    if (exists(path_)) return open_existing();
  }
  deferred_.apply_attributes(wanted_, path_);
  create();
}

// What rank 0 sees: another rank's view of a shared file system may be older.
bool Output::exists(const std::string& path) {
  std::int64_t there = shared_.comm().rank() == 0 && ::access(path.c_str(), F_OK) == 0 ? 1 : 0;
  shared_.share_largest(std::span(&there, 1), formatted("cfio2_put_vara into {}", path_));
  return there != 0;
}

void Output::create() {
  check(weir_create(shared_.weir(), path_.c_str(), WEIR_CLOBBER, &file_), shared_.weir());
  define_schema(file_, wanted_);
  check_file(weir_enddef(file_));
  schema_ = wanted_;
  patterns_.begin(schema_.variables().size());
}

// Opens it to go on, or writes it anew, where definitions have come to it, or its format takes nothing more.
void Output::open_existing() {
  weir_file* base = nullptr;
  check(weir_open(shared_.weir(), path_.c_str(), WEIR_NOWRITE, &base), shared_.weir());
  const Schema had = read_schema(base);
  try {
    wanted_ = merged(had, wanted_);
    deferred_.apply_attributes(wanted_, path_);
  } catch (const Error& error) {
    weir_close(base);
    throw Error(error.code(), "{}: {}", path_, error.what());
  }
  if (!(wanted_ == had) || !takes_more(base)) {
    create();
    problem_.merge(copy_all(shared_, had, base, file_));
    return check(weir_close(base), shared_.weir());
  }
  check(weir_close(base), shared_.weir());
  check(weir_open(shared_.weir(), path_.c_str(), WEIR_WRITE, &file_), shared_.weir());
  schema_ = wanted_;
  patterns_.begin(schema_.variables().size());
}

// A rank that cannot write goes on to meet the others.
void Output::put_held() {
  for (const DeferredDefinitions::Held& held : deferred_.puts()) {
    const int var = schema_.find_variable(held.put.name);
    shared_.agree_on("cfio2_put_vara", {held.put.in_words()}, {}).raise();
    const PutPatterns::Records records = patterns_.agree(var, held.put);
    try {
      write(var, held.put, records);
    } catch (const Error& error) {
      problem_.merge({error.code(), error.what()});
    }
  }
}

bool Output::commit(const std::string& call) {
  define(formatted("{} of {}", call, path_));
  if (!defined()) return false;
  const bool stays = std::exchange(touched_, false) && schema_.record_dimension() >= 0;
  if (stays)
    check_file(weir_sync(file_));
  else
    close_file();
  return stays;
}

void Output::close(const std::string& call) {
  define(formatted("{} of {}", call, path_));
  if (defined()) close_file();
}

void Output::discard() noexcept {
  if (defined()) weir_close(std::exchange(file_, nullptr));
}

void Output::check_file(int code) const {
  if (code != WEIR_OK) throw Error(static_cast<Code>(code), weir_file_error(file_));
}

void Output::close_file() {
  check(weir_close(std::exchange(file_, nullptr)), shared_.weir());
}

}  // namespace weir::cfio2
