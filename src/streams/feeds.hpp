// SPDX-License-Identifier: Apache-2.0
// The streams that say `of: history.nc`: a program that knows nothing of streams creates and puts such files, and each
// record that it puts there is a sample. streams/feed.hpp is one of them; docs/decisions/114 says why they are so.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "file/file_watch.hpp"
#include "streams/feed.hpp"

namespace weir {

class Feeds : public FileWatch {
 public:
  // Takes what `config` has of such streams. `model`: the ranks that put. The references outlive this. Watched
  // files are closed before finish().
  // Errors: WEIR_ECONFIG if the strategy is servers.
  Feeds(const Context& context, const Comm& model, FileTable& files, const StreamsConfig& config,
        const std::string& folder);

  bool drops(const OpenFile& file, int var) const override;
  void put(const OpenFile& file, int var, std::int64_t record, int layout, Type type, const void* values) override;
  void close(const OpenFile& file) override;
  void forget(const OpenFile& file) noexcept override;

  // Ends all of them, as Streams::finish(). Rank 0 names on standard error the streams whose file never came.
  void finish();
  // Adds an entry for each. Local.
  void add_to(StreamsCounts& counts) const;

 private:
  bool any_of(const std::string& path) const;

  const Context context_;
  std::vector<std::unique_ptr<Feed>> feeds_;
};

}  // namespace weir
