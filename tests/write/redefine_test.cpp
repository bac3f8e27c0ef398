// SPDX-License-Identifier: Apache-2.0
// alone: its own calls to the storage
// Files get new definitions. Where a classic file has room is told byte by byte; and the process ends at each of its
// calls to the storage, in each way: then the file has its old definitions or the new ones, and can get them again.
#include "formats/classic/redefine.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <fstream>
#include <functional>
#include <string>

#include "commit/undo_log.hpp"
#include "formats/zarr/documents.hpp"
#include "formats/zarr/folder.hpp"
#include "formats/zarr/leftovers.hpp"
#include "formats/zarr/stored_tables.hpp"
#include "formats/zarr/texts.hpp"
#include "storage/filesystem.hpp"
#include "write/cut_calls.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

Schema small_schema() {
  Schema schema;
  const int t = schema.add_dimension("t", 0), x = schema.add_dimension("x", 10);
  schema.add_variable("mask", WEIR_INT, std::array{x});
  schema.add_variable("a", WEIR_DOUBLE, std::array{t, x});
  schema.put_attribute(WEIR_GLOBAL, "title", WEIR_CHAR, 5, "first");
  return schema;
}

Schema with_more(Schema schema) {
  const int z = schema.add_dimension("z", 3);
  schema.add_variable("depth", WEIR_DOUBLE, std::array{z});
  schema.put_attribute(2, "units", WEIR_CHAR, 1, "m");
  schema.put_attribute(WEIR_GLOBAL, "title", WEIR_CHAR, 6, "second");
  schema.put_attribute(1, "units", WEIR_CHAR, 1, "K");
  return schema;
}

// Of Zarr, where a dimension gets longer.
Schema growing_schema() {
  Schema schema = small_schema();
  const int obs = schema.add_growing_dimension("obs", 4);
  schema.add_variable("b", WEIR_INT, std::array{0, obs});
  schema.add_variable("site", WEIR_DOUBLE, std::array{obs});
  return schema;
}

Schema grown(Schema schema) {
  schema.extend_dimension(2, 9);
  return schema;
}

// Of Zarr, where groups get more, and a new one comes.
Schema grouped_schema() {
  Schema schema = small_schema();
  const int y = schema.add_dimension("ice/y", 3);
  schema.add_variable("ice/area", WEIR_INT, std::array{0, y});
  schema.put_attribute(WEIR_GLOBAL, "ice/title", WEIR_CHAR, 3, "one");
  return schema;
}

Schema with_more_in_groups(Schema schema) {
  schema.add_variable("ice/age", WEIR_FLOAT, std::array{0, 2});
  schema.add_variable("ocean/deep/salt", WEIR_FLOAT, std::array{0});
  schema.put_attribute(WEIR_GLOBAL, "ice/history", WEIR_CHAR, 5, "later");
  schema.put_attribute(WEIR_GLOBAL, "ocean/title", WEIR_CHAR, 3, "new");
  return schema;
}

class RedefineTest : public testing::Test {
 protected:
  RedefineTest() : folder_(fs::temp_directory_path() / ("redefine." + std::to_string(::getpid()))) {}
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string file() const { return (folder_ / "file.nc").string(); }
  std::string zarr() const { return (folder_ / "folder.zarr").string(); }
  Redefinition wanted(const std::string& path) const { return {path, small_schema(), with_more(small_schema()), {}}; }

  // With so many records, each byte of them 7.
  Geometry make_file(const Alignment& alignment, std::int64_t records) const {
    DefinedHeader header = define_header(file(), small_schema(), alignment, 5);
    header.geometry.records = records;
    header.bytes[11] = static_cast<std::byte>(records);
    const auto length = static_cast<std::size_t>(header.geometry.file_bytes(records));
    std::string contents(length, '\7');
    std::memcpy(contents.data(), header.bytes.data(), header.bytes.size());
    std::ofstream(file(), std::ios::binary | std::ios::trunc) << contents;
    return header.geometry;
  }

  void make_folder(const Schema& schema) const {
    fs::remove_all(zarr());
    std::vector<ZarrArray> arrays;
    while (arrays.size() < schema.variables().size())
      arrays.push_back(zarr_array(schema, static_cast<int>(arrays.size()), {8, 1, 1, 1 << 20}));
    ZarrFolder folder(zarr(), new_folders({}, schema, 0), Durability::storage);
    folder.publish({}, zarr_documents(schema, arrays, 4)).raise();
  }

  StoredTables tables() const { return read_zarr(zarr(), identity_of(zarr()), StringVariables::left_out); }

  void redefine_folder(const Schema& before, const Schema& after) const {
    std::vector<ZarrArray> arrays(before.variables().size());
    while (arrays.size() < after.variables().size())
      arrays.push_back(zarr_array(after, static_cast<int>(arrays.size()), {8, 1, 1, 1 << 20}));
    redefine_zarr({zarr(), before, after, {}}, tables(), arrays);
  }

  // One that holds nothing, as zarr-python makes it.
  void make_group(const std::string& name, bool is_consolidated) const {
    const ZarrTexts::Json group{{"zarr_format", 3}, {"node_type", "group"}, {"attributes", ZarrTexts::Json::object()}};
    fs::create_directory(zarr() + "/" + name);
    std::ofstream(zarr() + "/" + name + "/zarr.json") << group.dump();
    if (!is_consolidated) return;
    std::ifstream text(zarr() + "/zarr.json");
    ZarrTexts::Json whole = ZarrTexts::Json::parse(text);
    whole.at("consolidated_metadata").at("metadata")[name] = group;
    std::ofstream(zarr() + "/zarr.json") << whole.dump();
  }

  // Old definitions or new ones, wherever the process ends.
  void expect_whole_folder(const Schema& before, const Schema& after) const {
    for (const cut::Loss loss : {cut::Loss::nothing, cut::Loss::at_random}) {
      bool ended = false;
      for (int call = 1; !ended; ++call) {
        make_folder(before);
        ended = ends_at({call, loss, static_cast<std::uint64_t>(call)}, [&] { redefine_folder(before, after); });
        const StoredTables found = tables();
        const bool is_new = found.schema == after;
        EXPECT_TRUE(is_new || found.schema == before) << call;
        EXPECT_TRUE(!ended || is_new);
        EXPECT_EQ(found.records, 4);
        ZarrFolder(zarr(), found, Durability::storage);  // the next run
        if (!is_new) redefine_folder(before, after);
        EXPECT_TRUE(tables().schema == after) << call;
        for (const auto& entry : fs::recursive_directory_iterator(zarr()))
          EXPECT_FALSE(is_pending(entry.path().filename().string())) << entry.path();
        ASSERT_LT(call, 100);
      }
    }
  }

  // `act` in a process that ends there. Whether it came to its end before.
  static bool ends_at(const cut::Cut& cut, const std::function<void()>& act) {
    const pid_t child = ::fork();
    if (child == 0) {
      cut::begin(cut);
      try {
        act();
      } catch (const Error&) {
        ::_exit(1);
      }
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == cut::exit_code));
    return WEXITSTATUS(status) == 0;
  }

  fs::path folder_;
};

TEST_F(RedefineTest, AHeaderGrowsWhereItHasRoom) {
  const Schema after = with_more(small_schema());
  const std::int64_t grows = header_bytes(after, 5) - header_bytes(small_schema(), 5);
  const auto extended = [&](const Alignment& alignment, std::int64_t records) {
    const Geometry before = make_file(alignment, records);
    const DefinedHeader header = extended_header(file(), read_definition(file()), after, {});
    EXPECT_EQ(header.geometry.begin[0], before.begin[0]);
    EXPECT_EQ(std::ssize(header.bytes), header_bytes(after, 5));
    return header.geometry;
  };
  EXPECT_THROW(extended({grows - 4, 0, 0}, 0), Error);
  const Geometry empty = extended({grows, 0, 0}, 0);  // records that are not there move
  EXPECT_EQ(empty.begin[2], empty.begin[0] + 40);
  EXPECT_EQ(empty.begin[1], empty.begin[2] + 24);
  EXPECT_THROW(extended({grows, 0, 0}, 2), Error);
  const Geometry full = extended({grows, 0, 512}, 2);
  EXPECT_EQ(full.begin[2], full.begin[0] + 40);
  EXPECT_EQ(full.begin[1] % 512, 0);
}

TEST_F(RedefineTest, WhatStandsInAClassicFileStays) {
  const Geometry before = make_file({4096, 0, 512}, 3);
  redefine_classic(wanted(file()));
  const DefinedFile found = read_definition(file());
  EXPECT_EQ(found.schema, with_more(small_schema()));
  EXPECT_EQ(found.geometry.records, 3);
  std::ifstream stream(file(), std::ios::binary);
  const std::string contents{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(std::ssize(contents), before.file_bytes(3));
  EXPECT_EQ(contents.find_first_not_of('\7', static_cast<std::size_t>(before.begin[0])), std::string::npos);
}

TEST_F(RedefineTest, AClassicFileHasOldOrNewDefinitionsWhereverItEnds) {
  for (const cut::Loss loss : {cut::Loss::nothing, cut::Loss::all, cut::Loss::at_random}) {
    bool ended = false;
    for (int call = 1; !ended; ++call) {
      make_file({4096, 0, 512}, 3);
      ended = ends_at({call, loss, static_cast<std::uint64_t>(call)}, [&] { redefine_classic(wanted(file())); });
      roll_back_commit(file());
      const DefinedFile found = read_definition(file());
      EXPECT_TRUE(found.schema == small_schema() || found.schema == with_more(small_schema())) << call;
      EXPECT_TRUE(!ended || found.schema == with_more(small_schema()));
      EXPECT_EQ(found.geometry.records, 3);
      ASSERT_LT(call, 100);
    }
  }
}

TEST_F(RedefineTest, AFolderHasOldOrNewDefinitionsWhereverItEnds) {
  expect_whole_folder(small_schema(), with_more(small_schema()));
  EXPECT_TRUE(fs::exists(zarr() + "/depth/zarr.json"));
}

TEST_F(RedefineTest, AFolderHasOldGroupsOrNewOnesWhereverItEnds) {
  expect_whole_folder(grouped_schema(), with_more_in_groups(grouped_schema()));
  for (const char* name : {"/ice/age", "/ocean", "/ocean/deep", "/ocean/deep/salt"})
    EXPECT_TRUE(fs::exists(zarr() + name + "/zarr.json")) << name;
}

TEST_F(RedefineTest, AGroupThatHeldNothingGetsVariables) {
  make_folder(small_schema());
  make_group("ocean", true);
  Schema after = small_schema();
  after.add_variable("ocean/deep/salt", WEIR_FLOAT, std::array{0});
  redefine_folder(small_schema(), after);
  EXPECT_TRUE(tables().schema == after);
  EXPECT_TRUE(fs::exists(zarr() + "/ocean/deep/salt/zarr.json"));
}

TEST_F(RedefineTest, AGroupThatTheConsolidatedMetadataDoNotTellOfIsRefused) {
  make_folder(small_schema());
  make_group("ocean", false);
  Schema after = small_schema();
  after.add_variable("ocean/salt", WEIR_FLOAT, std::array{0});
  try {
    redefine_folder(small_schema(), after);
    ADD_FAILURE() << "it is taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), WEIR_EARGUMENT);
    EXPECT_NE(std::string(error.what()).find("zarr.consolidate_metadata"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(tables().schema == small_schema());
}

TEST_F(RedefineTest, AFoldersDimensionHasItsOldLengthOrTheNewOneWhereverItEnds) {
  expect_whole_folder(growing_schema(), grown(growing_schema()));
  const StoredTables found = tables();
  EXPECT_EQ(found.arrays[2].lengths, (Shape{4, 9}));
  EXPECT_EQ(found.arrays[3].lengths, Shape{9});
}

}  // namespace
}  // namespace weir
