// SPDX-License-Identifier: Apache-2.0
// How cfio2_init's own settings stand behind the ones of a configuration file.
#include "../../bindings/cfio2/configuration.hpp"

#include <gtest/gtest.h>

#include "base/config.hpp"

namespace weir::cfio2 {
namespace {

const std::string lines = "strategy: dynamic\ncontrol: rank\nwriters_per_host: 7\n";

Config merged_with(const std::string& yaml) {
  return load_config(with_defaults(yaml, lines).c_str());
}

TEST(Cfio2Configuration, FillsWhatTheFileLeavesOut) {
  for (const std::string yaml :
       {"timeout: 5\nbuffer_limit: 1MiB\n", "# first\n\n  timeout: 5\n  buffer_limit: 1MiB\n",
        "---\ntimeout: 5\nbuffer_limit: 1MiB\n...\n", "{timeout: 5, buffer_limit: 1MiB}",
        "--- {timeout: 5,\n buffer_limit: 1MiB}\n", "hints: {cb_nodes: 4}\ntimeout: 5\nbuffer_limit: 1MiB"}) {
    const Config config = merged_with(yaml);
    EXPECT_EQ(config.strategy, StrategyKind::dynamic) << yaml;
    EXPECT_EQ(config.control, ControlKind::rank) << yaml;
    EXPECT_EQ(config.writers_per_host, 7) << yaml;
    EXPECT_EQ(config.timeout_seconds, 5) << yaml;
    EXPECT_EQ(config.buffer_limit_bytes, 1 << 20) << yaml;
  }
}

TEST(Cfio2Configuration, LeavesWhatTheFileSays) {
  for (const std::string yaml :
       {"strategy: serial\nwriters_per_host: 3\n", "{writers_per_host: 3, strategy: serial}"}) {
    const Config config = merged_with(yaml);
    EXPECT_EQ(config.strategy, StrategyKind::serial) << yaml;
    EXPECT_EQ(config.control, ControlKind::rank) << yaml;
    EXPECT_EQ(config.writers_per_host, 3) << yaml;
  }
  EXPECT_EQ(merged_with("sink: null\n").sink, SinkKind::null);
}

TEST(Cfio2Configuration, IsAllWhereTheFileHasNothing) {
  for (const std::string yaml : {"", "# nothing\n", "{}", "---\n"})
    EXPECT_EQ(merged_with(yaml).writers_per_host, 7) << yaml;
}

TEST(Cfio2Configuration, PassesOnWhatCannotBeRead) {
  for (const std::string yaml : {"- a: list\n- of: things\n", "a: [\n", "strategy: serial\nno_such_key: 1\n"})
    EXPECT_THROW(merged_with(yaml), Error) << yaml;
}

}  // namespace
}  // namespace weir::cfio2
