// SPDX-License-Identifier: Apache-2.0
#include "formats/zarr/folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "commit/partial.hpp"
#include "commit/undo_log.hpp"
#include "formats/zarr/leftovers.hpp"
#include "storage/filesystem.hpp"

namespace weir {

namespace fs = std::filesystem;
using Json = ZarrTexts::Json;

namespace {

bool exists(const std::string& path) {
  std::error_code none;
  return fs::exists(fs::symlink_status(path, none));
}

bool swap_names(const std::string& one, const std::string& other) {
  return ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0;
}

// Known before the model has computed anything: a folder cannot be renamed over another one.
void require_exchange(const std::string& path, const std::string& made) {
  if (!exists(path)) return;
  const std::string one = made + "/.one.weir", other = made + "/.other.weir";
  const bool can = ::mkdir(one.c_str(), 0777) == 0 && ::mkdir(other.c_str(), 0777) == 0 && swap_names(one, other);
  const std::string why = std::strerror(errno);
  ::rmdir(one.c_str());
  ::rmdir(other.c_str());
  require(can, WEIR_EIO,
          "\"{}\" exists, and its file system cannot replace it by another folder in one step ({}); remove it first, "
          "or choose another path",
          path, why);
}

void remove_folder(const std::string& folder) {
  std::error_code problem;
  fs::remove_all(folder, problem);
  if (problem) throw Error(WEIR_EIO, "removing {}: {}", folder, problem.message());
}

// What was read of the folder before it was held is so still, and all of it can grow together.
void check_arrays(const std::string& path, const ZarrTexts& texts, const StoredTables& tables) {
  for (const std::string& name : texts.arrays()) {
    const int var = tables.schema.find_variable(name);
    if (var >= 0) {
      require(texts.lengths(name) == tables.arrays[static_cast<std::size_t>(var)].lengths, WEIR_EIO,
              "\"{}\" has changed while it was opened; open it again", path);
      continue;
    }
    const auto out = std::find_if(tables.left_out.begin(), tables.left_out.end(),
                                  [&](const auto& each) { return each.first == name; });
    require(!texts.has_records(name), WEIR_EFORMAT,
            "\"{}\" has an array \"{}\" with records that Weir does not support ({}), and its records would be fewer "
            "than those of the others; make a copy without it",
            path, name, out != tables.left_out.end() ? out->second : "it is new");
  }
}

}  // namespace

bool is_zarr_folder(const std::string& path) {
  const auto has = [&](const char* name) { return ::access((path + "/" + name).c_str(), F_OK) == 0; };
  return has(zarr_metadata_name) || has(".zgroup") || has(".zarray");
}

std::optional<std::string> zarr_target_problem(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return target_problem(path);
  if (is_zarr_folder(path)) return std::nullopt;
  return formatted("{} is a directory but not a Zarr folder, so it is not replaced: give another path", path);
}

Status make_folders_of(const std::string& folder, const std::string& name, std::set<std::string>& changed) {
  changed.insert(folder);
  for (std::size_t end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1)) {
    const std::string within = folder + "/" + name.substr(0, end);
    if (::mkdir(within.c_str(), 0777) != 0 && errno != EEXIST) return failed_call("making", within);
    changed.insert(within);
  }
  return {};
}

Status write_pending(const std::string& folder, const std::string& name, std::span<const std::byte> bytes,
                     Durability durability) {
  const std::string path = folder + "/" + pending_name(name);
  std::set<std::string> parents;  // synced by who gives the file its name
  if (Status status = make_folders_of(folder, name, parents); !status.ok()) return status;
  const Descriptor file(
      uninterrupted([&] { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666); }),
      path);
  if (file.number() < 0) return failed_call("making", path);
  errno = write_whole(file.number(), bytes, 0);
  if (errno != 0) return failed_call("writing", path);
  if (durability == Durability::storage && uninterrupted([&] { return ::fsync(file.number()); }) != 0)
    return failed_call("fsync", path);
  return {};
}

Status show_pending(const std::string& folder, const std::string& name) {
  const std::string path = folder + "/" + name;
  if (std::rename((folder + "/" + pending_name(name)).c_str(), path.c_str()) == 0) return {};
  return failed_call("renaming", path);
}

ZarrFolder::ZarrFolder(std::string path, const std::vector<std::string>& arrays, Durability durability)
    : path_(std::move(path)), durability_(durability), folder_(-1, path_) {
  if (const auto problem = zarr_target_problem(path_)) throw Error(WEIR_EIO, *problem);
  roll_back_commit(path_);  // of a netCDF-4 file that had the name
  remove_leftover(path_);
  written_path_ =
      make_partial(path_, [](const std::string& name) { return ::mkdir(name.c_str(), 0777) == 0 ? 0 : errno; });
  try {
    make(arrays);
  } catch (const Error&) {
    discard();
    throw;
  }
}

void ZarrFolder::make(const std::vector<std::string>& arrays) {
  folder_ = Descriptor(::open(written_path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), written_path_);
  if (folder_.number() < 0) throw Error(WEIR_EIO, write_error_message(path_, "create", errno));
  static_cast<void>(::flock(folder_.number(), LOCK_EX | LOCK_NB));  // for who cleans up, where the system has it
  struct stat older {};
  if (::stat(path_.c_str(), &older) == 0) {
    if (::faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) != 0)
      throw Error(WEIR_EIO, write_error_message(path_, "replace", errno));
    if (S_ISDIR(older.st_mode)) static_cast<void>(::fchmod(folder_.number(), older.st_mode & 07777));
  }
  require_exchange(path_, written_path_);
  add_arrays(arrays);
  identity_ = identity_of(folder_.number(), written_path_);
}

ZarrFolder::ZarrFolder(std::string path, const StoredTables& tables, Durability durability)
    : path_(std::move(path)), written_path_(path_), durability_(durability), folder_(-1, path_) {
  hold();
  shown_[""] = text_of(path_ + "/" + zarr_metadata_name);
  const int dimension = tables.schema.record_dimension();
  texts_.emplace(path_, shown_[""],
                 dimension < 0 ? "" : tables.schema.dimensions()[static_cast<std::size_t>(dimension)].name);
  check_arrays(path_, *texts_, tables);
  std::vector<ZarrDocument> ahead = cut_short();
  remove_leftover(path_);
  roll_back(std::move(ahead));
  remove_leftovers(tables);
}

// Two runs that add to one folder would take each other's records for what a killed one has left.
void ZarrFolder::hold() {
  folder_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), path_);
  if (folder_.number() < 0) throw Error(WEIR_EIO, write_error_message(path_, "append to", errno));
  if (::faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) != 0)
    throw Error(WEIR_EIO, write_error_message(path_, "append to", errno));
  require(::flock(folder_.number(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK, WEIR_EIO,
          "\"{}\" is already open for writing, perhaps by a run in progress; close it there first", path_);
  identity_ = identity_of(folder_.number(), path_);
}

// Arrays whose own text is one commit ahead, and groups whose may be, with the text that counts: the group's, which a
// commit replaces last.
std::vector<ZarrDocument> ZarrFolder::cut_short() const {
  const Json coming = pending_arrays(path_);  // texts of the commit that was interrupted
  std::vector<ZarrDocument> ahead;
  for (const std::string& name : texts_->arrays()) {
    const std::string folder = within(name);
    const Json own = Json::parse(text_of(folder + "/" + zarr_metadata_name), nullptr, false),
               &counts = texts_->of(name);
    if (own == counts) continue;
    require(coming.contains(name) && coming.at(name) == own, WEIR_EFORMAT,
            "\"{}\" differs from the group's consolidated metadata: consolidate them again "
            "(zarr.consolidate_metadata), and open the folder again",
            folder + "/" + zarr_metadata_name);
    ahead.push_back({name, counts.dump(1)});
  }
  const std::vector<ZarrDocument> groups = former_groups(texts_->all(), coming);
  ahead.insert(ahead.end(), groups.begin(), groups.end());
  return ahead;
}

void ZarrFolder::roll_back(std::vector<ZarrDocument> documents) {
  show_texts(documents).raise();
  for (const std::string& folder : leftover_arrays(path_, shown_[""])) remove_folder(folder);
  static_cast<void>(::unlink((path_ + "/" + pending_name(zarr_metadata_name)).c_str()));
}

void ZarrFolder::remove_leftovers(const StoredTables& tables) const {
  for (const StoredArray& array : tables.arrays)
    for (const std::string& file : array_files(within(array.files->folder), *array.files, array.lengths).leftovers)
      if (::unlink(file.c_str()) != 0)
        throw Error(WEIR_EIO, write_error_message(file, "remove a file that a killed run has left,", errno));
}

std::string ZarrFolder::within(const std::string& folder) const {
  return folder.empty() ? written_path_ : written_path_ + "/" + folder;
}

Status ZarrFolder::sync(const std::string& folder) const {
  return durability_ == Durability::storage ? sync_folder(folder + "/" + zarr_metadata_name) : Status{};
}

// Before anything is made visible.
Status ZarrFolder::check_same() const {
  if (const auto problem = other_file_problem(written_path_, identity_)) return refuse_to_commit(*problem, "folder");
  const auto known = shown_.find("");
  if (known == shown_.end()) return {};
  if (text_of(within("") + "/" + zarr_metadata_name) == known->second) return {};
  return {
      WEIR_EIO,
      formatted("\"{}\" has changed since this run wrote it: another program has changed it; nothing more is written",
                within("") + "/" + zarr_metadata_name)};
}

// All are written before the first is published, so that the moment in which some are new and others old is short, and
// the group's stands next to the old one before any array is ahead of that (cut_short).
Status ZarrFolder::show_texts(std::vector<ZarrDocument>& documents) {
  std::erase_if(documents, [&](const ZarrDocument& document) {
    const auto known = shown_.find(document.folder);
    return known != shown_.end() && known->second == document.text;
  });
  if (Status status = show_documents(written_path_, documents, durability_); !status.ok()) return status;
  for (ZarrDocument& document : documents) shown_[document.folder] = std::move(document.text);
  return {};
}

void ZarrFolder::add_arrays(const std::vector<std::string>& arrays) {
  for (const std::string& array : arrays) {
    const bool made = ::mkdir(within(array).c_str(), 0777) == 0, is_there = !made && errno == EEXIST;
    if (!made && !is_there) throw Error(WEIR_EIO, write_error_message(within(array), "create", errno));
    if (is_there && exists(within(array) + "/" + zarr_metadata_name))
      throw Error(
          WEIR_EARGUMENT,
          "\"{}\" exists already, but Weir does not support it or the group's consolidated metadata do not list it: "
          "give another name, or consolidate them again (zarr.consolidate_metadata), and open the folder again",
          within(array));
    if (const std::size_t end = array.rfind('/'); end != array.npos) sync(within(array.substr(0, end))).raise();
  }
}

Status ZarrFolder::publish(const std::vector<Pending>& files, std::vector<ZarrDocument> documents) try {
  if (Status status = check_same(); !status.ok()) return status;
  std::set<std::string> folders;
  for (const Pending& file : files) {
    if (Status status = make_folders_of(within(file.folder), file.name, folders); !status.ok()) return status;
    if (Status status = show_pending(within(file.folder), file.name); !status.ok()) return status;
  }
  for (const std::string& folder : folders)
    if (Status status = sync(folder); !status.ok()) return status;
  if (Status status = show_texts(documents); !status.ok()) return status;
  return visible() ? Status{} : give_name();
} catch (const Error& error) {
  return {error.code(), error.what()};
}

// Those of records behind the ones that stay, inside the folder. What lies behind all former records is new.
std::vector<std::string> ZarrFolder::files_behind(const StoredTables& tables, std::int64_t kept) const {
  std::vector<std::string> files;
  for (int var = 0; var < static_cast<int>(tables.arrays.size()); ++var) {
    const StoredArray& array = tables.arrays[static_cast<std::size_t>(var)];
    if (!tables.schema.is_record(var) || !array.files) continue;
    const std::string folder = within(array.files->folder);
    const std::vector<std::string> all = array_files(folder, *array.files, array.lengths).leftovers;
    const std::set<std::string> newer(all.begin(), all.end());
    Shape lengths = array.lengths;
    lengths[0] = std::min(lengths[0], kept);
    for (const std::string& file : array_files(folder, *array.files, lengths).leftovers)
      if (!newer.contains(file)) files.push_back(fs::path(file).lexically_relative(written_path_).string());
  }
  return files;
}

Status ZarrFolder::publish_back(const std::vector<Pending>& files, const StoredTables& tables, std::int64_t kept,
                                std::int64_t records) try {
  if (Status status = check_same(); !status.ok()) return status;
  GoingBack step{shown_[""], texts_->with_records(kept), files_behind(tables, kept), files, {}};
  texts_->go_back(kept);
  step.after = texts_->with_records(records);
  std::set<std::string> replaced;
  for (const Pending& file : files) replaced.insert((fs::path(file.folder) / file.name).string());
  std::erase_if(step.removed, [&](const std::string& file) { return replaced.contains(file); });
  if (Status status = weir::go_back(written_path_, step, durability_); !status.ok()) return status;
  for (std::vector<ZarrDocument>* texts : {&step.fewer, &step.after})
    for (ZarrDocument& text : *texts) shown_[text.folder] = std::move(text.text);
  return {};
} catch (const std::exception&) {
  return caught();
}

// What had the name before has that of the new folder then, and goes.
Status ZarrFolder::give_name() {
  const bool replaces = exists(path_);
  const bool named =
      replaces ? swap_names(written_path_, path_) : std::rename(written_path_.c_str(), path_.c_str()) == 0;
  if (!named) return failed_call("rename", formatted("{} to {}", written_path_, path_));
  if (durability_ == Durability::storage)
    if (Status status = sync_folder(path_); !status.ok()) return status;
  std::error_code none;
  if (replaces) fs::remove_all(written_path_, none);
  ::unlink(partial_name(path_).c_str());
  written_path_ = path_;
  return {};
}

void ZarrFolder::discard() noexcept {
  if (visible()) return;
  std::error_code none;
  fs::remove_all(written_path_, none);
  ::unlink(partial_name(path_).c_str());
}

}  // namespace weir
