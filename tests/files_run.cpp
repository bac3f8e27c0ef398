// SPDX-License-Identifier: Apache-2.0
#include "files_run.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace {

namespace fs = std::filesystem;

using Limits = std::map<std::string, unsigned, std::less<>>;  // seconds by the file's name; 0: none

std::string file_of(const testing::TestInfo& test) {
  std::string name = fs::path(test.file()).stem().string();
  for (const std::string_view end : {"_test", "_mpi"})
    if (name.ends_with(end)) name.resize(name.size() - end.size());
  return name;
}

std::string running_test;
char words_at_limit[300];  // made before the signal, in which little is allowed

void end_at_limit(int) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, words_at_limit, std::strlen(words_at_limit));
  ::_exit(124);
}

class FileByFile : public testing::EmptyTestEventListener {
 public:
  explicit FileByFile(Limits limits) : limits_(std::move(limits)) {}

  void OnTestStart(const testing::TestInfo& test) override {
    const std::string file = file_of(test);
    if (file != file_) begin(file);
    running_test = std::string(test.test_suite_name()) + "." + test.name();
    const unsigned seconds = limits_.contains(file) ? limits_.at(file) : 0;
    std::snprintf(words_at_limit, sizeof words_at_limit, "\n%s.%s did not end within %u s\n", test.test_suite_name(),
                  test.name(), seconds);
    std::signal(SIGALRM, end_at_limit);
    ::alarm(seconds);
  }
  void OnTestEnd(const testing::TestInfo&) override { ::alarm(0); }

 private:
  // The directory that was the program's is kept by its name: it may be that no variable names it.
  void begin(const std::string& file) {
    file_ = file;
    if (base_.empty()) return;
    std::error_code error;
    fs::create_directories(base_ / file, error);  // by all ranks at once
    if (!error) ::setenv("TMPDIR", (base_ / file).c_str(), 1);
  }

  Limits limits_;
  fs::path base_ = std::getenv("TMPDIR") == nullptr ? "" : std::getenv("TMPDIR");
  std::string file_;
};

bool read_limits(std::string_view words, Limits& limits) {
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(','));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    const std::size_t colon = std::min(word.find(':'), word.size());
    unsigned seconds = 0;
    if (colon < word.size() && std::sscanf(std::string(word.substr(colon + 1)).c_str(), "%u", &seconds) != 1)
      return false;
    limits[std::string(word.substr(0, colon))] = seconds;
  }
  return true;
}

// The file of all tests of a suite; "" where they are of several.
std::string file_of(const testing::TestSuite& suite) {
  std::string file;
  for (int i = 0; i < suite.total_test_count(); ++i) {
    const std::string of_test = file_of(*suite.GetTestInfo(i));
    if (i > 0 && of_test != file) return "";
    file = of_test;
  }
  return file;
}

// Makes GoogleTest's filter: --gtest_filter, where it is given, chooses among the tests of the files.
bool choose(const Limits& limits) {
  std::map<std::string, std::string> suites;  // by file, as words of a filter
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    const std::string file = file_of(suite);
    if (file.empty())
      return std::fprintf(stderr, "--files: %s is the name of tests in several files\n", suite.name()), false;
    suites[file] += std::string(":") + suite.name() + ".*";
  }
  for (const auto& [file, seconds] : limits)
    if (!suites.contains(file)) return std::fprintf(stderr, "--files: no test is of a file %s\n", file.c_str()), false;
  std::string chosen, others;
  for (const auto& [file, words] : suites) (limits.contains(file) ? chosen : others) += words;
  std::string filter = GTEST_FLAG_GET(filter);
  if (others.empty()) return true;
  if (filter == "*")
    filter = chosen.substr(1);
  else
    filter += filter.find('-') == std::string::npos ? "-" + others.substr(1) : others;
  GTEST_FLAG_SET(filter, filter);
  return true;
}

}  // namespace

void end_within(unsigned seconds) {
  const unsigned left = ::alarm(0);
  if (left == 0 || left > seconds) {
    std::snprintf(words_at_limit, sizeof words_at_limit, "\n%s has failed, and did not end within %u s after that\n",
                  running_test.c_str(), seconds);
  }
  ::alarm(left == 0 ? seconds : std::min(left, seconds));
}

bool choose_files(int argc, char** argv) {
  Limits limits;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    constexpr std::string_view option = "--files=";
    if (!word.starts_with(option) || !read_limits(word.substr(option.size()), limits))
      return std::fprintf(stderr, "what is %s? --files=NAME:SECONDS,... and GoogleTest's options are known\n", argv[i]),
             false;
  }
  if (!limits.empty() && !choose(limits)) return false;
  testing::UnitTest::GetInstance()->listeners().Append(
      new FileByFile(std::move(limits)));  // GoogleTest owns it from here
  return true;
}
