/* SPDX-License-Identifier: Apache-2.0 */
/* What a rank sees of the lab: prints its host's name, the ranks it shares memory with, and its directory; then rank 0
 * sends 10 MB to the last rank, which prints the rate in Mbit/s. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const int message_bytes = 10000000;

static double send_to_last(int rank, int ranks) {
  char* message = calloc((size_t)message_bytes, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  if (rank == 0) MPI_Send(message, message_bytes, MPI_BYTE, ranks - 1, 0, MPI_COMM_WORLD);
  if (rank == ranks - 1) MPI_Recv(message, message_bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  free(message);
  return 8e-6 * message_bytes / (MPI_Wtime() - begin);
}

int main(int argc, char** argv) {
  char name[MPI_MAX_PROCESSOR_NAME], directory[4096];
  int rank, ranks, length, group;
  MPI_Comm host;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Get_processor_name(name, &length);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
  MPI_Comm_size(host, &group);
  const char* word = getenv("LAB_TEST_WORD");
  printf("rank %d host %s group %d word %s in %s\n", rank, name, group, word ? word : "-",
         getcwd(directory, sizeof(directory)));
  double rate = send_to_last(rank, ranks);
  if (rank == ranks - 1) printf("rate %.1f\n", rate);
  MPI_Comm_free(&host);
  MPI_Finalize();
  return 0;
}
