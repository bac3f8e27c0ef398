// SPDX-License-Identifier: Apache-2.0
#include "base/config.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace weir {
namespace {

// Sets a variable for the length of a test.
class Variable {
 public:
  Variable(std::string name, const std::string& value) : name_(std::move(name)) {
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  ~Variable() { ::unsetenv(name_.c_str()); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  std::string name_;
};

class TextFile {
 public:
  explicit TextFile(const std::string& text)
      : path_((std::filesystem::temp_directory_path() / ("weir_config_test_" + std::to_string(::getpid()) + ".yaml"))
                  .string()) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TextFile() { std::filesystem::remove(path_); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The sentence of the error; "" where there is none.
std::string error_of(const char* text) {
  try {
    load_config(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), WEIR_ECONFIG);
    return error.what();
  }
  return "";
}

#define EXPECT_ERROR(text, part) EXPECT_PRED2(holds, error_of(text), std::string(part))
bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Config, HasTheDefaultsOfItsHeader) {
  for (const char* nothing : {static_cast<const char*>(nullptr), "", "\n", "# a comment\n"}) {
    const Config config = load_config(nothing);
    EXPECT_EQ(config.strategy, StrategyKind::dynamic);
    EXPECT_EQ(config.sink, SinkKind::automatic);
    EXPECT_EQ(config.writers_per_host, 1);
    EXPECT_EQ(config.buffer_limit_bytes, 64LL << 20);
    EXPECT_EQ(config.timeout_seconds, 600.0);
    EXPECT_EQ(config.report, "");
    EXPECT_TRUE(config.hints.empty());
  }
}

TEST(Config, ReadsEveryKeyFromYaml) {
  const Config config = load_config(
      "strategy: rows\nsink: pnetcdf\ndebug.forward: messages\nwriters: 7\nwriters_per_host: 3\ndomains: 4\n"
      "buffer_limit: 1GiB\nstripe_size: 4MiB\nbundle_size: 0\nheader_free: 4096\nvariable_align: 512\n"
      "record_align: 1 MiB\ntimeout: 5min\ndurability: cache\nreport: out.json\nhints: {cb_nodes: 4, romio_cb_write: "
      "x}\n");
  EXPECT_EQ(config.strategy, StrategyKind::rows);
  EXPECT_EQ(config.sink, SinkKind::pnetcdf);
  EXPECT_EQ(config.forward, ForwardKind::messages);
  EXPECT_EQ(config.writers, 7);
  EXPECT_EQ(config.writers_per_host, 3);
  EXPECT_EQ(config.domains, 4);
  EXPECT_EQ(config.buffer_limit_bytes, 1LL << 30);
  EXPECT_EQ(config.stripe_bytes, 4LL << 20);
  EXPECT_EQ(config.bundle_bytes, 0);
  EXPECT_EQ(config.header_free_bytes, 4096);
  EXPECT_EQ(config.variable_align_bytes, 512);
  EXPECT_EQ(config.record_align_bytes, 1LL << 20);
  EXPECT_EQ(config.timeout_seconds, 300.0);
  EXPECT_EQ(config.durability, Durability::cache);
  EXPECT_EQ(config.report, "out.json");
  EXPECT_EQ(config.hints, (std::map<std::string, std::string>{{"cb_nodes", "4"}, {"romio_cb_write", "x"}}));
}

TEST(Config, ReadsEveryNameOfEveryKind) {
  for (const auto kind :
       {StrategyKind::serial, StrategyKind::collective, StrategyKind::rows, StrategyKind::columns, StrategyKind::remap,
        StrategyKind::servers, StrategyKind::dynamic, StrategyKind::file_per_rank, StrategyKind::file_per_domain}) {
    EXPECT_EQ(load_config(("strategy: " + std::string(name(kind))).c_str()).strategy, kind);
  }
  for (const auto kind : {SinkKind::automatic, SinkKind::pnetcdf, SinkKind::direct, SinkKind::memory, SinkKind::null}) {
    EXPECT_EQ(load_config(("sink: " + std::string(name(kind))).c_str()).sink, kind);
  }
  for (const auto kind : {ForwardKind::automatic, ForwardKind::shared, ForwardKind::messages}) {
    EXPECT_EQ(load_config(("debug.forward: " + std::string(name(kind))).c_str()).forward, kind);
  }
}

TEST(Config, ReadsKeysForStudiesUnderOneKey) {
  EXPECT_EQ(load_config("debug: {ranks_per_host: 2, forward: messages}").ranks_per_host, 2);
  EXPECT_EQ(load_config("strategy: remap\ndebug:\n  ranks_per_host: 3\n").ranks_per_host, 3);
  const Variable variable("WEIR_DEBUG_RANKS_PER_HOST", "4");
  EXPECT_EQ(load_config("strategy: remap").ranks_per_host, 4);
  EXPECT_ERROR("debug: {rank_per_host: 2}", "did you mean \"debug.ranks_per_host\"?");
  EXPECT_ERROR("debug: 2", "debug: \"2\" is not a map");
  const Variable old("WEIR_FORWARD", "messages");
  EXPECT_ERROR("strategy: remap", "the key forward is for studies and tests, and is debug.forward now");
  ::unsetenv("WEIR_FORWARD");
  EXPECT_ERROR("strategy: dynamic\nhops: two",
               "the key hops is for studies and tests, and is debug.hops now; give debug: {hops: ...}");
}

TEST(Config, TakesTheWordNullForASinkButNotAnEmptyValue) {
  EXPECT_EQ(load_config("sink: \"null\"").sink, SinkKind::null);
  EXPECT_EQ(load_config("# first\nstrategy: rows\nsink:   null  # measures the rest").sink, SinkKind::null);
  EXPECT_ERROR("sink:\nstrategy: rows\n", "sink: \"\" is not one of auto, pnetcdf, direct, memory, null");
  EXPECT_ERROR("sink: ~", "is not one of");
}

TEST(Config, EnvironmentWinsOverTheFile) {
  const TextFile file("strategy: rows\nwriters: 3\nhints:\n  cb_nodes: 1\n");
  const Variable path("WEIR_CONFIG", file.path());
  const Variable strategy("WEIR_STRATEGY", "columns");
  const Variable hints("WEIR_HINTS", "cb_nodes=4; cb_buffer_size = 16777216 ;");
  const Config config = load_config(nullptr);
  EXPECT_EQ(config.strategy, StrategyKind::columns);
  EXPECT_EQ(config.writers, 3);
  EXPECT_EQ(config.hints, (std::map<std::string, std::string>{{"cb_nodes", "4"}, {"cb_buffer_size", "16777216"}}));
}

TEST(Config, TextInTheCallWinsOverTheFileOfTheEnvironment) {
  const TextFile file("strategy: rows\n");
  const Variable path("WEIR_CONFIG", file.path());
  EXPECT_EQ(load_config("strategy: serial").strategy, StrategyKind::serial);
  EXPECT_EQ(load_config(file.path().c_str()).strategy, StrategyKind::rows);
}

TEST(Config, NamesTheNearestKeyAndThePlace) {
  EXPECT_EQ(error_of("writers: 1\nstratgy: rows\n"),
            "unknown key \"stratgy\": did you mean \"strategy\"? (configuration text, line 2)");
  EXPECT_ERROR("Strategy: rows", "did you mean \"strategy\"?");
  EXPECT_ERROR("buffer_limt: 1MiB", "did you mean \"buffer_limit\"?");
  EXPECT_ERROR("writer_per_host: 1", "did you mean \"writers_per_host\"?");
  EXPECT_ERROR("zzzzzzzzzzzz: 1", "the keys are strategy, sink, writers");
  const TextFile file("timout: 3\n");
  EXPECT_ERROR(file.path().c_str(), "did you mean \"timeout\"? (" + file.path() + ", line 1)");
}

TEST(Config, RejectsAnUnknownVariableOfTheEnvironment) {
  const Variable unknown("WEIR_STRATGY", "rows");
  EXPECT_ERROR(nullptr, "unknown key \"stratgy\": did you mean \"strategy\"? (environment variable WEIR_STRATGY)");
}

// Another program's, or a site's: nobody is to lose a run by it.
TEST(Config, PassesOverAVariableThatIsNearNoKeyWithANote) {
  const Variable unknown("WEIR_MODULE_PREFIX", "/opt/weir"), strategy("WEIR_STRATEGY", "rows");
  const Config config = load_config("files: {\"*.nc\": {writers: 2}}");
  EXPECT_EQ(config.strategy, StrategyKind::rows);
  ASSERT_EQ(config.notes.size(), 1U);
  EXPECT_EQ(config.notes[0],
            "environment variable WEIR_MODULE_PREFIX is not a key of Weir and is not similar to one: it has no effect");
  EXPECT_EQ(with_rule(config, *rule_for(config, "a.nc")).notes.size(), 1U) << "once";
  EXPECT_ERROR("module_prefix: /opt/weir", "unknown key \"module_prefix\": the keys are ");
}

TEST(Config, LeavesReservedAndForeignVariablesAlone) {
  const Variable module("WEIR_ROOT", "/opt/weir"), study("WEIR_DATA", "/data");
  const Variable foreign("WEIRD_STRATEGY", "odd");
  EXPECT_EQ(error_of(""), "");
  EXPECT_EQ(load_config("").notes.size(), 0U);
}

TEST(Config, NamesTheAllowedValuesAndTheNearest) {
  EXPECT_ERROR("strategy: rowz",
               "strategy: \"rowz\" is not one of auto, serial, collective, rows, columns, remap, servers, dynamic, "
               "file_per_rank, "
               "file_per_domain; did you mean \"rows\"? (configuration text, line 1)");
  EXPECT_ERROR("durability: disk", "durability: \"disk\" is not one of storage, cache");
  const Variable sink("WEIR_SINK", "dircet");
  EXPECT_ERROR(nullptr, "sink: \"dircet\" is not one of auto, pnetcdf, direct, memory, null; did you mean \"direct\"?");
}

TEST(Config, RejectsImpossibleNumbers) {
  EXPECT_ERROR("writers: -1", "writers: -1 is impossible; give 0 (writers_per_host decides) or more");
  EXPECT_ERROR("writers_per_host: 0", "writers_per_host: 0 is impossible; a strategy needs a rank that writes");
  EXPECT_ERROR("domains: -3", "domains: -3 is impossible");
  EXPECT_ERROR("writers: 2.5", "writers: \"2.5\" is not a whole number");
  EXPECT_ERROR("writers: 99999999999", "is impossible");
  EXPECT_ERROR("writers: 99999999999999999999", "is not a whole number");
  EXPECT_ERROR("buffer_limit: 65535", "buffer_limit: \"65535\" is too small; give at least 64KiB");
  EXPECT_ERROR("buffer_limit: -64MiB", "is too small");
  EXPECT_ERROR("buffer_limit: 64 megs", "is not a size");
  EXPECT_ERROR("buffer_limit: 9000000TiB", "is not a size");
  EXPECT_ERROR("stripe_size: -1", "stripe_size: \"-1\" is too small; give at least 0");
  EXPECT_ERROR("header_free: 2GiB", "header_free: \"2GiB\" is too large; give at most 1GiB");
  EXPECT_ERROR("timeout: 0", "timeout: \"0\" leaves no time to wait");
  EXPECT_ERROR("timeout: -5s", "leaves no time to wait");
  EXPECT_ERROR("timeout: soon", "timeout: \"soon\" is not a duration");
  EXPECT_ERROR("timeout: inf", "is not a duration");
  EXPECT_ERROR("timeout: nan", "is not a duration");
  EXPECT_EQ(load_config("buffer_limit: 64KiB").buffer_limit_bytes, 65536);
}

TEST(Config, RejectsImpossibleHints) {
  const Variable hints("WEIR_HINTS", "cb_nodes");
  EXPECT_ERROR(nullptr, "hints: \"cb_nodes\" is not a hint; give name=value");
  EXPECT_ERROR("hints: \"a=1;a=2\"", "the hint \"a\" is given twice");
  EXPECT_ERROR("hints: [a, b]", "expected a single value, found a list or map");
  EXPECT_ERROR("hints: {a: [1]}", "expected a single value, found a list or map");
  EXPECT_ERROR("hints: {\"\": 1}", "a hint has no name");
}

TEST(Config, RejectsWhatIsNoMapOfSingleValues) {
  EXPECT_ERROR("- a: 1\n- b\n", "does not hold a map");
  EXPECT_ERROR("just words\n", "does not hold a map");
  EXPECT_ERROR("strategy: [rows]", "strategy: expected a single value, found a list or map");
  EXPECT_ERROR("strategy: {a: b}", "strategy: expected a single value, found a map");
  EXPECT_ERROR("strategy: rows\nstrategy: remap\n", "the key \"strategy\" is given twice; keep one of them");
  EXPECT_ERROR("[a, b]: rows\n", "a key must be a single word");
}

TEST(Config, TellsWhereTheYamlIsBroken) {
  EXPECT_ERROR("strategy: rows\nhints: {a: 1\n", "configuration text is not YAML: ");
  EXPECT_ERROR("strategy: rows\nhints: {a: 1\n", " at line ");
  EXPECT_ERROR("strategy: rows\nhints: {a: 1\n", ", column ");
  EXPECT_ERROR("a: b: c\n", "at line 1, column 5");
  EXPECT_ERROR("strategy: *nothing\n", "is not YAML");
}

TEST(Config, TellsWhatItCannotRead) {
  EXPECT_ERROR("/nonexistent/weir.yaml",
               "cannot read the configuration file \"/nonexistent/weir.yaml\": No such file or directory");
  const std::string directory = std::filesystem::temp_directory_path().string();
  EXPECT_ERROR(directory.c_str(), "Is a directory");
}

TEST(Config, ReadsAFileWithByteOrderMarkAndCarriageReturns) {
  const TextFile file("\xEF\xBB\xBFsink: null\r\nstrategy: rows\r\n");
  const Config config = load_config(file.path().c_str());
  EXPECT_EQ(config.sink, SinkKind::null);
  EXPECT_EQ(config.strategy, StrategyKind::rows);
}

TEST(Config, DescribesEveryKeyOnALine) {
  const std::string text = describe_keys();
  for (const char* key : {"strategy ", "sink ", "debug.forward ", "writers ", "writers_per_host ", "domains ",
                          "buffer_limit ", "stripe_size ", "bundle_size ", "header_free ", "variable_align ",
                          "record_align ", "timeout ", "durability ", "report ", "hints "}) {
    EXPECT_TRUE(text.starts_with(key) || holds(text, std::string("\n") + key)) << key;
  }
  EXPECT_TRUE(holds(text, "[default: 64MiB; allowed: size from 64KiB]"));
  EXPECT_TRUE(holds(text, "[default: 600s;"));
}

TEST(Quantity, ReadsSizesWithUnits) {
  EXPECT_EQ(parse_bytes("67108864"), 67108864);
  EXPECT_EQ(parse_bytes("64MiB"), 67108864);
  EXPECT_EQ(parse_bytes("64MB"), 64000000);
  EXPECT_EQ(parse_bytes(" 64 KiB "), 65536);
  EXPECT_EQ(parse_bytes("64 kib"), 65536);
  EXPECT_EQ(parse_bytes("7 B"), 7);
  EXPECT_EQ(parse_bytes("2TiB"), 2LL << 40);
  for (const char* wrong :
       {"", "MiB", "64M", "6 4MiB", "1.5MiB", "0x10", "+1", "64MiBs", "9223372036854775808", "8388608TiB"}) {
    EXPECT_EQ(parse_bytes(wrong), std::nullopt) << wrong;
  }
}

TEST(Quantity, ReadsDurations) {
  EXPECT_EQ(parse_seconds("600"), 600.0);
  EXPECT_EQ(parse_seconds("0.5"), 0.5);
  EXPECT_EQ(parse_seconds("90s"), 90.0);
  EXPECT_EQ(parse_seconds("5 min"), 300.0);
  EXPECT_EQ(parse_seconds("2h"), 7200.0);
  EXPECT_EQ(parse_seconds("250ms"), 0.25);
  for (const char* wrong : {"", "s", "5 minutes", "1e999", "inf", "five"})
    EXPECT_EQ(parse_seconds(wrong), std::nullopt);
}

RC_GTEST_PROP(Quantity, SizesRoundTrip, (std::uint32_t number, std::uint8_t shift)) {
  const std::int64_t bytes = static_cast<std::int64_t>(number) << (shift % 31);
  RC_ASSERT(parse_bytes(show_bytes(bytes)) == bytes);
}

TEST(Spelling, CountsEdits) {
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("stratgy", "strategy"), 1);
  EXPECT_EQ(edit_distance("dircet", "direct"), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

RC_GTEST_PROP(Spelling, DistanceIsSymmetricAndZeroForEqualWords, (const std::string& a, const std::string& b)) {
  RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
  RC_ASSERT(edit_distance(a, a) == 0);
  RC_ASSERT((edit_distance(a, b) == 0) == (a == b));
}

TEST(Spelling, SuggestsOnlyWhatIsNear) {
  const std::array<std::string_view, 3> known{"rows", "columns", "remap"};
  EXPECT_EQ(nearest_word("rowz", known), "rows");
  EXPECT_EQ(nearest_word("colums", known), "columns");
  EXPECT_EQ(nearest_word("dynamic", known), std::nullopt);
  EXPECT_EQ(nearest_word("", known), std::nullopt);
}

}  // namespace
}  // namespace weir
