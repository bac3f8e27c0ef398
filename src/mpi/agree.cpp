// SPDX-License-Identifier: Apache-2.0
#include "mpi/agree.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/text.hpp"

namespace weir {

std::uint64_t mix(std::uint64_t signature, std::uint64_t part) noexcept {
  signature ^= part + 0x9e3779b97f4a7c15ULL + (signature << 6) + (signature >> 2);
  signature *= 0xff51afd7ed558ccdULL;
  return signature ^ (signature >> 33);
}

std::uint64_t mix(std::uint64_t signature, std::string_view text) noexcept {
  for (char c : text) signature = mix(signature, static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
  return mix(signature, text.size());
}

namespace {

std::string joined(const Point& point) {
  std::string text(point.call);
  if (point.history)
    for (const std::string& line : (*point.history)()) text += "\n" + line;
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The first line in which two ranks' histories differ; else their calls.
std::string difference_in_words(const std::string& a, int rank_a, const std::string& b, int rank_b) {
  const auto lines_a = lines_of(a), lines_b = lines_of(b);
  std::string in_a = lines_a.empty() ? "nothing" : lines_a[0], in_b = lines_b.empty() ? "nothing" : lines_b[0];
  const std::string end_of_a = formatted("nothing more before {}", in_a),
                    end_of_b = formatted("nothing more before {}", in_b);
  for (std::size_t i = 1; i < std::max(lines_a.size(), lines_b.size()); ++i) {
    const std::string of_a = i < lines_a.size() ? lines_a[i] : end_of_a;
    const std::string of_b = i < lines_b.size() ? lines_b[i] : end_of_b;
    if (of_a == of_b) continue;
    in_a = of_a;
    in_b = of_b;
    break;
  }
  return formatted(
      "rank {} calls {} where rank {} calls {}: all ranks must make the same collective calls in the same order",
      rank_a, in_a, rank_b, in_b);
}

// The lowest rank for which `holds` is true here.
int lowest_rank(const Comm& comm, bool holds, const Deadline& deadline, std::string_view what) {
  std::int64_t value = holds ? -comm.rank() : -comm.size();
  allreduce_max(comm, std::span(&value, 1), deadline, what);
  return static_cast<int>(-value);
}

Status mismatch(const Comm& comm, const Point& point, std::int64_t identity, const Deadline& deadline) {
  std::int64_t first = identity;
  broadcast(comm, std::span(&first, 1), 0, deadline, point.call);
  const int other = lowest_rank(comm, identity != first, deadline, point.call);
  const std::string of_first = broadcast_value(comm, joined(point), 0, deadline, point.call);
  const std::string of_other = broadcast_value(comm, joined(point), other, deadline, point.call);
  return {WEIR_EMISMATCH, difference_in_words(of_other, comm.number_of(other), of_first, comm.number_of(0))};
}

// Some ranks put themselves in order after a failure, and others have not heard of it: what they would do next differs.
[[noreturn]] void raise_diverged(const Status& why) {
  throw Error(WEIR_EMPI, "the ranks did not recover together from a failure, and output ends: {}", why.message);
}

}  // namespace

Status agree(const Comm& comm, const Point& point, const Status& mine, const Deadline& deadline, Question* question) {
  const auto kind = static_cast<std::int64_t>(point.kind);
  const auto identity = static_cast<std::int64_t>(mix(point.signature, static_cast<std::uint64_t>(kind)) >> 1);
  constexpr double unit = 1e-6;  // of a second
  // What concerns all files is heard first: what concerns one file is then over with it.
  std::int64_t values[7] = {-(mine.ok() ? 2 * comm.size() : comm.rank() + (mine.of_all_files() ? 0 : comm.size())),
                            identity,
                            -identity,
                            question ? question->value : 0,
                            kind,
                            -kind,
                            question ? std::llround(question->computed / unit) : 0};
  allreduce_max(comm, values, deadline, point.call);
  if (question) *question = {values[3], values[4] == -values[5], static_cast<double>(values[6]) * unit};
  Status common;
  if (-values[0] < 2 * comm.size()) {
    common = broadcast_value(comm, mine, static_cast<int>(-values[0]) % comm.size(), deadline, point.call);
  } else if (values[1] != -values[2]) {
    common = mismatch(comm, point, identity, deadline);
  }
  if (!common.ok() && -values[5] == static_cast<std::int64_t>(AgreementPoint::recovery)) raise_diverged(common);
  return common;
}

}  // namespace weir
