// SPDX-License-Identifier: Apache-2.0
#include "file/done_file.hpp"

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "file/file.hpp"
#include "formats/field_sums.hpp"

namespace weir {

namespace {

// MPI adds whole numbers with a sign, which must not overflow: the halves of a sum are added apart.
std::vector<std::uint64_t> sums_of_all(const Context& context, const std::vector<std::uint64_t>& mine,
                                       const std::string& call) {
  constexpr std::uint64_t low = 0xffffffff;
  std::vector<std::int64_t> halves;
  for (const std::uint64_t sum : mine) {
    halves.push_back(static_cast<std::int64_t>(sum & low));
    halves.push_back(static_cast<std::int64_t>(sum >> 32));
  }
  if (!halves.empty()) allreduce_sum(context.comm, halves, context.pipeline.deadline(), call);
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < halves.size(); i += 2)
    all.push_back(static_cast<std::uint64_t>(halves[i]) + (static_cast<std::uint64_t>(halves[i + 1]) << 32));
  return all;
}

}  // namespace

void mark_done(const Context& context, int serial, const OpenFile& closed) {
  const Span span(context.trace.main(), Step::commit, context.pipeline.tally().commit_seconds, {.file = closed.serial});
  const std::string call = formatted("the marker of {}", closed.path);
  const std::uint64_t signature = mix(0, call);
  const auto agree_at = [&](AgreementPoint point, Status status) {
    if (!status.ok()) status.message = formatted("{} is finished, but gets no marker: {}", closed.path, status.message);
    status.scope = {Scope::this_call};
    context.pipeline.agreement().agree_to_read({point, signature, call, nullptr}, std::move(status));
  };
  const std::unique_ptr<File> file = File::open(context, serial, closed.resolved, WEIR_NOWRITE);
  const std::shared_ptr<const ReadableFile> readable = file->readable();
  const auto sums = std::make_shared<FieldSums>(readable, context.comm.rank(), context.comm.size());
  Status status;
  attempt(status, [&] {
    while (context.pipeline.storage().get([sums] { return sums->advance(); }, formatted("reading {}", closed.path))) {
    }
  });
  agree_at(AgreementPoint::summed, std::move(status));
  const std::vector<std::uint64_t> all = sums_of_all(context, sums->sums(), call);
  status = {};
  if (context.comm.rank() == 0)
    attempt(status, [&] {
      const auto write = [readable, all, path = closed.resolved, durability = context.config().durability] {
        return write_marker(path, marker_of(*readable, path, all), durability);
      };
      context.pipeline.storage().run(write, formatted("writing the marker of {}", closed.path)).raise();
    });
  agree_at(AgreementPoint::marked, std::move(status));
  file->leave();
}

}  // namespace weir
