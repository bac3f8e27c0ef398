// SPDX-License-Identifier: Apache-2.0
// How modes are written: names, settings, peers, and what is refused.
#include "workloads/modes.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace weir::workloads {
namespace {

std::string refusal(const std::string& list) {
  try {
    parse_modes(list);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), WEIR_EARGUMENT);
    return error.what();
  }
  return "";
}

TEST(Modes, SettingsBelongToTheModeOnTheirLeft) {
  const auto modes = parse_modes("remap:writers=4,sink=pnetcdf,serial,peer:pnetcdf:romio_cb_write=disable,none");
  ASSERT_EQ(modes.size(), 4U);
  EXPECT_EQ(modes[0].text, "remap:writers=4,sink=pnetcdf");
  EXPECT_EQ(modes[0].name, "remap");
  EXPECT_EQ(modes[0].settings, (Settings{{"writers", "4"}, {"sink", "pnetcdf"}}));
  EXPECT_TRUE(modes[1].is_weir());
  EXPECT_TRUE(modes[1].settings.empty());
  EXPECT_EQ(modes[2].name, "peer:pnetcdf");
  EXPECT_TRUE(modes[2].is_peer());
  EXPECT_EQ(modes[2].settings, (Settings{{"romio_cb_write", "disable"}}));
  EXPECT_TRUE(modes[3].writes_nothing());
}

TEST(Modes, AValueMayHaveColonsAndEqualSigns) {
  const auto modes = parse_modes("remap:report=a:b,trace=c=d:e");
  ASSERT_EQ(modes.size(), 1U);
  EXPECT_EQ(modes[0].settings, (Settings{{"report", "a:b"}, {"trace", "c=d:e"}}));
}

TEST(Modes, WhatIsNoModeIsRefused) {
  EXPECT_EQ(refusal(""), "no mode is named; give --modes a,b,c");
  EXPECT_EQ(refusal("writers=4,remap"), "the setting \"writers=4\" has no mode before it; give MODE:writers=4");
  EXPECT_EQ(refusal("remap:writers"), "\"writers\" is no setting; give key=value");
  EXPECT_EQ(refusal("peer:raw:fast"), "\"fast\" is no setting; give key=value");
  EXPECT_EQ(refusal("remap:=4"), "\"=4\" is no setting; give key=value");
  EXPECT_THROW(parse_mode("remap,serial"), Error);
  EXPECT_EQ(parse_mode("remap:writers=4,sink=null").settings.size(), 2U);
}

}  // namespace
}  // namespace weir::workloads
