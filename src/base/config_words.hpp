// SPDX-License-Identifier: Apache-2.0
// The values of the configuration's enumerations, and what each means. Only config_keys.cpp includes this.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "base/config.hpp"

namespace weir {

template <class Kind>
using Names = std::span<const std::pair<std::string_view, Kind>>;

constexpr std::array strategy_names{std::pair{std::string_view("auto"), StrategyKind::automatic},
                                    std::pair{std::string_view("serial"), StrategyKind::serial},
                                    std::pair{std::string_view("collective"), StrategyKind::collective},
                                    std::pair{std::string_view("rows"), StrategyKind::rows},
                                    std::pair{std::string_view("columns"), StrategyKind::columns},
                                    std::pair{std::string_view("remap"), StrategyKind::remap},
                                    std::pair{std::string_view("servers"), StrategyKind::servers},
                                    std::pair{std::string_view("dynamic"), StrategyKind::dynamic},
                                    std::pair{std::string_view("file_per_rank"), StrategyKind::file_per_rank},
                                    std::pair{std::string_view("file_per_domain"), StrategyKind::file_per_domain}};
constexpr std::array sink_names{
    std::pair{std::string_view("auto"), SinkKind::automatic}, std::pair{std::string_view("pnetcdf"), SinkKind::pnetcdf},
    std::pair{std::string_view("direct"), SinkKind::direct}, std::pair{std::string_view("memory"), SinkKind::memory},
    std::pair{std::string_view("null"), SinkKind::null}};
constexpr std::array forward_names{std::pair{std::string_view("auto"), ForwardKind::automatic},
                                   std::pair{std::string_view("shared"), ForwardKind::shared},
                                   std::pair{std::string_view("messages"), ForwardKind::messages}};
constexpr std::array durability_names{std::pair{std::string_view("storage"), Durability::storage},
                                      std::pair{std::string_view("cache"), Durability::cache}};
constexpr std::array page_cache_names{std::pair{std::string_view("auto"), PageCacheKind::automatic},
                                      std::pair{std::string_view("through"), PageCacheKind::through},
                                      std::pair{std::string_view("past"), PageCacheKind::past}};
constexpr std::array control_names{std::pair{std::string_view("hosted"), ControlKind::hosted},
                                   std::pair{std::string_view("rank"), ControlKind::rank}};
constexpr std::array choose_names{std::pair{std::string_view("auto"), ChooseKind::automatic},
                                  std::pair{std::string_view("arrival"), ChooseKind::arrival},
                                  std::pair{std::string_view("recent"), ChooseKind::recent},
                                  std::pair{std::string_view("warm"), ChooseKind::warm}};
constexpr std::array hop_names{std::pair{std::string_view("one"), HopKind::one},
                               std::pair{std::string_view("two"), HopKind::two}};
constexpr std::array overlap_names{std::pair{std::string_view("auto"), OverlapKind::automatic},
                                   std::pair{std::string_view("none"), OverlapKind::none},
                                   std::pair{std::string_view("slack"), OverlapKind::slack},
                                   std::pair{std::string_view("background"), OverlapKind::background}};
constexpr std::array progress_names{std::pair{std::string_view("auto"), ProgressKind::automatic},
                                    std::pair{std::string_view("calls"), ProgressKind::calls},
                                    std::pair{std::string_view("thread"), ProgressKind::thread}};
constexpr std::array format_names{std::pair{std::string_view("auto"), FormatKind::automatic},
                                  std::pair{std::string_view("netcdf4"), FormatKind::netcdf4},
                                  std::pair{std::string_view("zarr"), FormatKind::zarr}};
constexpr std::array compression_names{std::pair{std::string_view("none"), CompressionKind::none},
                                       std::pair{std::string_view("zlib"), CompressionKind::zlib},
                                       std::pair{std::string_view("zstd"), CompressionKind::zstd}};
constexpr std::array answer_names{std::pair{std::string_view("no"), false}, std::pair{std::string_view("yes"), true}};

}  // namespace weir
