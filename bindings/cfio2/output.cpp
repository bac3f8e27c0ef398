// SPDX-License-Identifier: Apache-2.0
// Holding what a program reveals, and the file's life.
#include "output.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/spelling.hpp"
#include "definitions.hpp"
#include "schema/attributes.hpp"

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
  if (defined() && schema_.find_variable(put.name) < 0 && !holds(put.name)) return hold(put, refused);
  if (!defined() && !holds(put.name)) return hold(put, refused);
  if (holds(put.name)) define("another " + put.in_words());
  put_defined(schema_.find_variable(put.name), put, refused);
}

bool Output::holds(const std::string& name) const noexcept {
  return std::any_of(held_.begin(), held_.end(), [&](const Held& held) { return held.put.name == name; });
}

// A put that is refused is held too, so that all ranks define the file at the same call.
void Output::hold(const Put& put, Status status) {
  ++changes_;
  try {
    if (status.ok()) reveal(wanted_, put);
  } catch (const Error& error) {
    status = {error.code(), put.in_words() + ": " + error.what(), -1};
  }
  held_.push_back({put, {}, !status.ok()});
  if (!status.ok()) return refuse(status);
  held_bytes_ += elements(own_box(put).shape) * type_bytes(put.type) / shared_.comm().size();
  Held& held = held_.back();
  held.values.resize(static_cast<std::size_t>(put.length() * type_bytes(put.type)));
  if (!held.values.empty()) std::memcpy(held.values.data(), put.values, held.values.size());
  held.put.values = held.values.data();
}

void Output::refuse(const Status& status) {
  const std::string sentence = "rank " + std::to_string(shared_.comm().number()) + ": " + status.message;
  refused_.merge({status.code, sentence, -1});
  throw Error(status.code, sentence);
}

void Output::put_attribute(std::string var, Attribute attribute, const Status& refused) {
  failed_.raise();
  ++changes_;
  held_attributes_.push_back({std::move(var), std::move(attribute)});
  if (!refused.ok()) refuse(refused);
}

std::string Output::summary() const {
  return std::to_string(changes_) + " new definitions of " + path_;
}

std::vector<std::string> Output::lines() const {
  std::vector<std::string> lines;
  for (const Held& held : held_) lines.push_back(held.put.in_words());
  for (const HeldAttribute& held : held_attributes_)
    lines.push_back("cfio2_put_att of " + in_quotes(held.var) + ", " + in_quotes(held.attribute.name) + ": " +
                    std::to_string(held.attribute.count) + " of " + std::string(type_name(held.attribute.type)));
  return lines;
}

void Output::forget_held() noexcept {
  held_.clear();
  held_attributes_.clear();
  changes_ = held_bytes_ = 0;
  refused_ = {};
}

void Output::define(const std::string& call) {
  failed_.raise();
  if (changes_ == 0) return;
  try {
    shared_.meet(call, lines(), refused_).raise();
    define_agreed();
  } catch (const Error& error) {
    failed_ = {error.code(), error.what(), -1};
    shared_.note(error.code(), error.what());
    forget_held();
    throw;
  }
  forget_held();
}

void Output::define_agreed() {
  if (!defined()) {
    begin();
  } else {
    apply_attributes();
    if (!(wanted_ == schema_)) {
      require(!shared_.part_files(), WEIR_ESTATE,
              path_ + ": part files take no further variable or attribute; put all of them before cfio2_wait_output");
      close_file();
      open_existing();
    }
  }
  put_held();
  shared_.meet("the first writing into " + path_, {}, std::exchange(trouble_, {})).raise();
}

void Output::apply_attributes() {
  for (const HeldAttribute& held : held_attributes_) {
    const int var = held.var.empty() ? WEIR_GLOBAL : wanted_.find_variable(held.var);
    require(held.var.empty() || var >= 0, WEIR_ENOTFOUND,
            path_ + " has no variable " + in_quotes(held.var) + " for the attribute " + in_quotes(held.attribute.name) +
                "; put the variable before cfio2_wait_output");
    weir::put_attribute(wanted_, var, held.attribute);
  }
}

void Output::begin() {
  if (append_) {
    require(!shared_.part_files() || !exists(path_ + ".0000"), WEIR_ESTATE,
            path_ + ".0000 exists, and part files cannot be appended to: merge them first, or give append = 0");
    if (exists(path_)) return open_existing();
  }
  apply_attributes();
  create();
}

// What rank 0 sees: another rank's view of a shared file system may be older.
bool Output::exists(const std::string& path) {
  std::int64_t there = shared_.comm().rank() == 0 && ::access(path.c_str(), F_OK) == 0 ? 1 : 0;
  shared_.share_largest(std::span(&there, 1), "cfio2_put_vara into " + path_);
  return there != 0;
}

void Output::create() {
  check(weir_create(shared_.weir(), path_.c_str(), WEIR_CLOBBER, &file_), shared_.weir());
  define_schema(file_, wanted_);
  check_file(weir_enddef(file_));
  schema_ = wanted_;
  courses_.assign(schema_.variables().size(), {});
}

// Opens it to go on, or writes it anew, where definitions have come to it, or its format takes nothing more.
void Output::open_existing() {
  weir_file* base = nullptr;
  check(weir_open(shared_.weir(), path_.c_str(), WEIR_NOWRITE, &base), shared_.weir());
  const Schema had = read_schema(base);
  try {
    wanted_ = merged(had, wanted_);
    apply_attributes();
  } catch (const Error& error) {
    weir_close(base);
    throw Error(error.code(), path_ + ": " + error.what());
  }
  if (!(wanted_ == had) || !takes_more(base)) {
    extend(base, had);
    return check(weir_close(base), shared_.weir());
  }
  check(weir_close(base), shared_.weir());
  check(weir_open(shared_.weir(), path_.c_str(), WEIR_WRITE, &file_), shared_.weir());
  schema_ = wanted_;
  courses_.assign(schema_.variables().size(), {});
}

// A rank that cannot write goes on to meet the others.
void Output::put_held() {
  for (const Held& held : held_) {
    const int var = schema_.find_variable(held.put.name);
    shared_.meet("cfio2_put_vara", {held.put.in_words()}, {}).raise();
    const Records records = agree_on_course(var, held.put);
    try {
      write(var, held.put, records);
    } catch (const Error& error) {
      trouble_.merge({error.code(), error.what(), -1});
    }
  }
}

bool Output::commit(const std::string& call) {
  define(call + " of " + path_);
  if (!defined()) return false;
  const bool stays = std::exchange(touched_, false) && schema_.record_dimension() >= 0;
  if (stays)
    check_file(weir_sync(file_));
  else
    close_file();
  return stays;
}

void Output::close(const std::string& call) {
  define(call + " of " + path_);
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
