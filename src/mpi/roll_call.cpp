// SPDX-License-Identifier: Apache-2.0
#include "mpi/roll_call.hpp"

#include <algorithm>

namespace weir {

namespace {

constexpr int here_tag = 9;
constexpr int absent_tag = 10;
constexpr int most_named = 20;

// Nobody waits for it, so its memory stays.
void send_away(const Comm& comm, std::vector<int> ranks, int to, int tag) {
  Lent memory(std::move(ranks));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Isend(memory->data(), static_cast<int>(memory->size()), MPI_INT, to, tag, comm.raw(), &request),
            "MPI_Isend");
  check_mpi(MPI_Request_free(&request), "MPI_Request_free");
}

bool take(const Comm& comm, int from, int tag, int& source, std::vector<int>& ranks) {
  int there = 0, count = 0;
  MPI_Status status;
  check_mpi(MPI_Iprobe(from, tag, comm.raw(), &there, &status), "MPI_Iprobe");
  if (there == 0) return false;
  check_mpi(MPI_Get_count(&status, MPI_INT, &count), "MPI_Get_count");
  source = status.MPI_SOURCE;
  ranks.resize(static_cast<std::size_t>(count));
  check_mpi(MPI_Recv(ranks.data(), count, MPI_INT, source, tag, comm.raw(), MPI_STATUS_IGNORE), "MPI_Recv");
  return true;
}

std::vector<int> ask_all(const Comm& comm, const Deadline& deadline) {
  std::vector<int> heard{0}, words;
  for (Patience patience; static_cast<int>(heard.size()) < comm.size() && !deadline.passed(); patience.pause())
    for (int source = 0; take(comm, MPI_ANY_SOURCE, here_tag, source, words);) heard.push_back(source);
  std::vector<int> absent;
  for (int rank = 0; rank < comm.size(); ++rank)
    if (std::find(heard.begin(), heard.end(), rank) == heard.end()) absent.push_back(rank);
  for (int rank : heard)
    if (rank != 0) send_away(comm, absent, rank, absent_tag);
  return absent;
}

std::string in_words(const std::vector<int>& absent) {
  if (absent.empty())
    return "all ranks of the model wait: each for another, where they do not make the same calls in the same order, "
           "else "
           "for a storage or a reserved rank that does not answer";
  std::string text;
  for (std::size_t i = 0; i < absent.size() && i < most_named; ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(absent[i]);
  return "rank(s) " + text + (absent.size() > most_named ? ", ..." : "") + " did not answer";
}

}  // namespace

std::string call_roll(const Comm& comm, double seconds) {
  if (comm.rank() == 0) return in_words(ask_all(comm, Deadline(seconds)));
  send_away(comm, {}, 0, here_tag);
  std::vector<int> absent;
  int source = 0;
  const Deadline deadline(2 * seconds);  // rank 0 may have given up later
  for (Patience patience; !deadline.passed(); patience.pause())
    if (take(comm, 0, absent_tag, source, absent)) return in_words(absent);
  return "rank 0 did not answer";
}

}  // namespace weir
