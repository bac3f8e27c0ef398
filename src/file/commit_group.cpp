// SPDX-License-Identifier: Apache-2.0
#include "file/commit_group.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "flow/steps.hpp"

namespace weir {

namespace {

std::string names_of(std::span<File* const> files) {
  std::string names;
  for (const File* file : files) names += (names.empty() ? "" : ", ") + file->path();
  return names;
}

std::uint64_t signature_of(std::span<File* const> files) {
  std::uint64_t signature = 0;
  for (const File* file : files)
    signature = mix(mix(signature, static_cast<std::uint64_t>(file->open_file().serial)),
                    static_cast<std::uint64_t>(file->records()));
  return signature;
}

// Where one has failed, all have: with one sentence.
void fail_as_one(std::span<File* const> files, const std::string& call) {
  const auto failed =
      std::find_if(files.begin(), files.end(), [](const File* file) { return !file->open_file().failure.ok(); });
  if (failed == files.end()) return;
  const Status& why = (*failed)->open_file().failure;
  const Status of_all{why.code, formatted("{}: {} has failed: {}", call, (*failed)->path(), why.message)};
  for (File* file : files) file->commits().fail_with(of_all);
  of_all.raise();
}

}  // namespace

// Of rank 0, but for files in parts, which all ranks know of.
Status CommitGroup::obstacle(std::span<File* const> files) const {
  std::vector<std::string> paths;
  for (const File* file : files) {
    const OpenFile& open = file->open_file();
    const bool zarr = open.output->geometry().format == zarr_format;
    if (!open.output->publishes_in_steps())
      return {WEIR_ECONFIG,
              formatted("{}{}which cannot be committed as one with other files: {}sync each file by itself",
                        file->path(), zarr ? " is a Zarr folder, " : " is written in parts, ",
                        zarr ? "" : "choose a strategy that writes one file, or "),
              {Scope::this_call}};
    if (open.output->uses_storage()) paths.push_back(open.resolved);
  }
  if (comm_.rank() != 0 || paths.empty()) return {};
  const auto problem = pipeline_.storage().get([paths] { return group_obstacle(paths); },
                                               formatted("querying the file systems of {}", names_of(files)));
  return problem ? Status{WEIR_ECONFIG, *problem, {Scope::this_call}} : Status{};
}

// What commit_in_order asks, of all files at once.
class CommitGroup::AllFiles {
 public:
  AllFiles(CommitGroup& group, std::span<File* const> files, std::string call)
      : group_(group), pipeline_(group.pipeline_), files_(files), call_(std::move(call)) {}

  void flush() {
    signature_ = mix(signature_of(files_), call_);
    pipeline_.flush(call_);
    fail_as_one(files_, call_);
    status_ = group_.obstacle(files_);
  }
  bool agrees_before() const { return true; }
  void bring_to_storage() {
    span_.emplace(group_.trace_.main(), Step::commit, pipeline_.tally().commit_seconds,
                  Detail{.file = files_.front()->open_file().serial});
    for (File* file : files_) pipeline_.agreement().note(file->commits().bring_to_storage());
    any_range_ = std::ranges::any_of(files_, [](const File* file) { return file->commits().has_range(); }) ? 1 : 0;
  }
  void publish() {
    if (!first()) return;
    status_ = group_.publish(files_);
    slower_ = pipeline_.advice().slower_than_before() ? 1 : 0;
  }
  void agree_at(CommitPoint meeting) {
    if (meeting == CommitPoint::together) agree_at(AgreementPoint::group_begin, nullptr);
    if (meeting == CommitPoint::durable) agree_at(AgreementPoint::group_durable, &any_range_);
    if (meeting == CommitPoint::published) agree_at(AgreementPoint::group_published, &slower_);
  }
  void end() {
    for (File* file : files_) {
      if (!first()) file->open_file().output->published(file->records());
      file->commits().end();
    }
    if (slower_ > 0) pipeline_.advice().reconsider();
    Status range;
    for (File* file : files_) range.merge(file->commits().take_range());
    if (any_range_ > 0)
      agree(group_.comm_, {AgreementPoint::group_range, 0, call_, nullptr}, range, pipeline_.deadline()).raise();
  }

 private:
  bool first() const { return group_.comm_.rank() == 0; }
  void agree_at(AgreementPoint point, std::int64_t* question) {
    pipeline_.agreement().agree_at({point, signature_, call_, nullptr}, std::exchange(status_, {}), nullptr, question);
    fail_as_one(files_, call_);
  }

  CommitGroup& group_;
  Pipeline& pipeline_;
  std::span<File* const> files_;
  std::string call_;
  std::uint64_t signature_ = 0;
  std::optional<Span> span_;
  Status status_;  // for the next agreement
  std::int64_t any_range_ = 0, slower_ = 0;
};

void CommitGroup::commit(std::span<File* const> files, std::string_view verb) {
  AllFiles all(*this, files, formatted("{} of {} as one", verb, names_of(files)));
  all.flush();
  commit_in_order(all);
}

namespace {

struct Member {
  OutputFile* output;
  std::int64_t records;
  int serial;
};

// By the thread that makes calls to storage. The status is about a file.
Status publish_members(GroupRecord& record, const std::vector<Member>& members) {
  std::vector<PublishStep> steps;
  std::vector<int> files;  // of the steps
  const auto all_published = [&] {
    for (const Member& member : members) member.output->published(member.records);
  };
  for (const Member& member : members) {
    Status status = member.output->prepare_publish(member.records, steps);
    status.scope = Scope::of(member.serial);
    if (!status.ok()) return status;
    files.resize(steps.size(), member.serial);
  }
  if (steps.empty()) return all_published(), Status{};
  try {
    record.decide(steps);
  } catch (const Error& error) {
    if (record.stands()) all_published();
    return {error.code(), error.what(), Scope::of(members.front().serial)};
  }
  all_published();
  std::size_t failed_step = 0;
  Status status = record.carry_out(steps, failed_step);
  if (!status.ok()) status.scope = Scope::of(files[failed_step]);
  return status;
}

}  // namespace

Status CommitGroup::publish(std::span<File* const> files) {
  if (!record_) record_ = std::make_shared<GroupRecord>(durability_);
  std::vector<Member> members;
  for (const File* file : files)
    members.push_back({file->open_file().output.get(), file->records(), file->open_file().serial});
  return pipeline_.storage().run([record = record_, members] { return publish_members(*record, members); }, "a commit");
}

void CommitGroup::leave(const File& file) {
  if (!record_) return;
  const auto leave = [record = record_, path = file.open_file().resolved] { return record->leave(path), Status{}; };
  static_cast<void>(pipeline_.storage().run(leave, formatted("closing {}", file.path())));
}

}  // namespace weir
