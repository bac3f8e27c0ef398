// SPDX-License-Identifier: Apache-2.0
#include "formats/zarr/going_back.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <set>
#include <span>

#include "base/descriptor.hpp"
#include "base/text.hpp"
#include "commit/checked_record.hpp"
#include "formats/zarr/array.hpp"
#include "formats/zarr/folder.hpp"
#include "formats/zarr/leftovers.hpp"
#include "storage/filesystem.hpp"

namespace weir {

namespace {

constexpr const char* record_name = "going_back";
constexpr std::int64_t going_back_mark = 0x574549524241434b;  // "WEIRBACK"

std::string record_in(const std::string& folder) {
  return folder + "/" + pending_name(record_name);
}

std::string inside(const std::string& folder, const std::string& name) {
  return name.empty() ? folder : folder + "/" + name;
}

Status sync_names(const std::string& folder, Durability durability) {
  return durability == Durability::storage ? sync_folder(folder + "/" + zarr_metadata_name) : Status{};
}

Status remove_file(const std::string& path) {
  return ::unlink(path.c_str()) == 0 || errno == ENOENT ? Status{} : failed_call("removing", path);
}

// A reader of the texts before would still look for the files that go.
Status carry_out(const std::string& folder, const GoingBack& step, Durability durability) {
  if (Status status = show_documents(folder, step.fewer, durability); !status.ok()) return status;
  std::set<std::string> changed;  // folders
  for (const std::string& file : step.removed) {
    if (Status status = remove_file(inside(folder, file)); !status.ok()) return status;
    changed.insert(directory_of(inside(folder, file)));
  }
  for (const PendingFile& file : step.shown) {
    const std::string within = inside(folder, file.folder);
    if (Status status = make_folders_of(within, file.name, changed); !status.ok()) return status;
    const bool waits = ::access((within + "/" + pending_name(file.name)).c_str(), F_OK) == 0;
    Status status = waits ? show_pending(within, file.name) : Status{};
    if (!status.ok()) return status;
  }
  for (const std::string& each : changed)
    if (Status status = sync_names(each, durability); !status.ok()) return status;
  return show_documents(folder, step.after, durability);
}

// nullopt: there is none, or one that is not whole.
std::optional<GoingBack> unfinished(const std::string& folder) {
  const std::string name = record_in(folder);
  if (::access(name.c_str(), F_OK) != 0) return std::nullopt;
  const std::string text = weir::text_of(name);
  return read_sealed_record<GoingBack>(going_back_mark, std::as_bytes(std::span(text)));
}

// Whether the group's text is one of this commit's: no other program has written the folder since.
bool is_of(const GoingBack& step, const std::string& group) {
  const auto last = [](const std::vector<ZarrDocument>& texts) { return texts.empty() ? "" : texts.back().text; };
  return group == step.before || group == last(step.fewer) || group == last(step.after);
}

}  // namespace

Status show_documents(const std::string& folder, const std::vector<ZarrDocument>& documents, Durability durability) {
  for (const ZarrDocument& document : documents) {
    const auto bytes = std::as_bytes(std::span(document.text));
    if (Status status = write_pending(inside(folder, document.folder), zarr_metadata_name, bytes, durability);
        !status.ok())
      return status;
  }
  if (Status status = documents.empty() ? Status{} : sync_names(folder, durability); !status.ok()) return status;
  for (const ZarrDocument& document : documents) {
    const std::string within = inside(folder, document.folder);
    if (Status status = show_pending(within, zarr_metadata_name); !status.ok()) return status;
    if (Status status = sync_names(within, durability); !status.ok()) return status;
  }
  return {};
}

Status go_back(const std::string& folder, const GoingBack& step, Durability durability) {
  Status status = write_pending(folder, record_name, sealed_record(going_back_mark, step), durability);
  if (status.ok()) status = sync_names(folder, durability);
  if (!status.ok()) return static_cast<void>(remove_file(record_in(folder))), status;
  status = carry_out(folder, step, durability);
  if (status.ok()) status = remove_file(record_in(folder));
  if (status.ok()) return sync_names(folder, durability);
  status.message += "; the commit is decided, and the next run that opens the folder completes it";
  return status;
}

bool has_unfinished_going_back(const std::string& folder) {
  const Descriptor held(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), folder);
  const bool runs = held.number() >= 0 && ::flock(held.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  return !runs && unfinished(folder).has_value();
}

void finish_going_back(const std::string& folder) {
  const std::string name = record_in(folder);
  if (::access(name.c_str(), F_OK) != 0 || ::faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) != 0) return;
  const Descriptor held(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), folder);
  if (held.number() < 0) return;
  if (::flock(held.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return;
  const std::optional<GoingBack> step = unfinished(folder);
  if (step && is_of(*step, weir::text_of(inside(folder, zarr_metadata_name))))
    carry_out(folder, *step, Durability::storage).raise();
  remove_file(name).raise();
  sync_names(folder, Durability::storage).raise();
}

}  // namespace weir
