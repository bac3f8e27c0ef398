// SPDX-License-Identifier: Apache-2.0
#include "streams/feeds.hpp"

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>

#include "base/error.hpp"
#include "streams/setting.hpp"

namespace weir {

namespace {

// Of all instances of the process: a bridge has one for each communicator, and a file feeds the streams of one of them.
std::set<std::string>& fed_streams() {
  static std::set<std::string> names;
  return names;
}

}  // namespace

Feeds::Feeds(const Context& context, const Comm& model, FileTable& files, const StreamsConfig& config,
             const std::string& folder)
    : context_(context) {
  for (const StreamConfig& stream : config.streams) {
    if (stream.of.empty()) continue;
    require(context.config().strategy != StrategyKind::servers, WEIR_ECONFIG,
            "stream {}: of: {} takes what ranks put where they put it, and strategy: servers sends it away; choose "
            "another strategy{}",
            stream.name, stream.of, origin_of(config.place, stream.line));
    feeds_.push_back(std::make_unique<Feed>(context, model, files, stream, config.place, folder));
  }
  if (feeds_.empty()) return;
  files.set_watch([this](const std::string& path) { return any_of(path) ? this : nullptr; });
}

// Errors: WEIR_ECONFIG for streams of this file of which one keeps it and another does not.
bool Feeds::any_of(const std::string& path) const {
  const Feed* drops = nullptr;
  for (const auto& feed : feeds_)
    if (feed->is_of(path) && !feed->keeps()) drops = feed.get();
  for (const auto& feed : feeds_)
    require(drops == nullptr || !feed->is_of(path) || feed->config().keep != true, WEIR_ECONFIG,
            "{}: stream {} says keep: no, and stream {} keep: yes; give both the same", path,
            drops == nullptr ? "" : drops->config().name, feed->config().name);
  return std::any_of(feeds_.begin(), feeds_.end(), [&](const auto& feed) { return feed->is_of(path); });
}

bool Feeds::drops(const OpenFile& file, int var) const {
  return file.schema.is_record(var) && std::any_of(feeds_.begin(), feeds_.end(), [&](const auto& feed) {
           return !feed->keeps() && feed->is_of(file.path);
         });
}

// A stream that fails does not keep the others from their samples.
void Feeds::put(const OpenFile& file, int var, std::int64_t record, int layout, Type type, const void* values) {
  Status status;
  for (const auto& feed : feeds_)
    if (feed->is_of(file.path))
      attempt(status, [&] { feed->take(file, var, {record, layout, type, static_cast<const std::byte*>(values)}); });
  status.raise();
}

void Feeds::close(const OpenFile& file) {
  Status status;
  for (const auto& feed : feeds_)
    if (feed->is_of(file.path)) {
      attempt(status, [&] { feed->end_source(file); });
      if (feed->fed()) fed_streams().insert(feed->config().name);
    }
  status.raise();
}

void Feeds::forget(const OpenFile& file) noexcept {
  for (const auto& feed : feeds_) feed->forget_source(file);
}

void Feeds::finish() {
  Status status;
  for (const auto& feed : feeds_) {
    attempt(status, [&] { feed->finish(); });
    const std::string& name = feed->config().name;
    if (feed->fed() || feed->failed() || fed_streams().contains(name)) continue;
    attempt(status, [&] {
      require(
          feed->config().expected == 0, WEIR_ESTATE,
          "stream {}: no record has come from a file that of: {} names, and expected says {} records; find out why, "
          "or leave expected out",
          name, feed->config().of, feed->config().expected);
    });
    if (context_.comm.rank() == 0)
      std::fprintf(
          stderr,
          "weir: stream %s: no record has come from a file that of: %s names; the program has to create such a "
          "file, and a bridge feeds no stream from what it leaves to the library (files: off, part files)\n",
          name.c_str(), feed->config().of.c_str());
  }
  status.raise();
}

void Feeds::add_to(StreamsCounts& counts) const {
  for (const auto& feed : feeds_) {
    const StreamsCounts more = feed->counts();
    counts.bytes_sent += more.bytes_sent;
    counts.streams.insert(counts.streams.end(), more.streams.begin(), more.streams.end());
  }
}

}  // namespace weir
