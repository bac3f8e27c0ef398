/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of MPI in which a rank may die, stop or be late, each before MPI's own. Those that only ask whether
 * something has come (MPI_Test, MPI_Iprobe, MPI_Improbe) are made as often as a rank waits, and so do not count. */
#include <mpi.h>

#include "layer.h"

#define MPI_CALL(name, parameters, arguments)        \
  int name parameters {                              \
    const bool happens = fault_at(#name, "", "mpi"); \
    fault_before(happens);                           \
    const int result = P##name arguments;            \
    fault_after(happens);                            \
    return result;                                   \
  }

MPI_CALL(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm* made), (comm, made))
MPI_CALL(MPI_Comm_idup, (MPI_Comm comm, MPI_Comm* made, MPI_Request* request), (comm, made, request))
MPI_CALL(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made), (comm, color, key, made))
MPI_CALL(MPI_Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made),
         (comm, type, key, info, made))
MPI_CALL(MPI_Comm_free, (MPI_Comm * comm), (comm))

MPI_CALL(MPI_Barrier, (MPI_Comm comm), (comm))
MPI_CALL(MPI_Bcast, (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm),
         (data, count, type, root, comm))
MPI_CALL(MPI_Allreduce, (const void* give, void* get, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm),
         (give, get, count, type, operation, comm))
MPI_CALL(MPI_Ibarrier, (MPI_Comm comm, MPI_Request* request), (comm, request))
MPI_CALL(MPI_Ibcast, (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request),
         (data, count, type, root, comm, request))
MPI_CALL(MPI_Iallreduce,
         (const void* give, void* get, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm,
          MPI_Request* request),
         (give, get, count, type, operation, comm, request))
MPI_CALL(MPI_Iallgather,
         (const void* give, int count, MPI_Datatype type, void* get, int counts, MPI_Datatype types, MPI_Comm comm,
          MPI_Request* request),
         (give, count, type, get, counts, types, comm, request))
MPI_CALL(MPI_Iallgatherv,
         (const void* give, int count, MPI_Datatype type, void* get, const int counts[], const int places[],
          MPI_Datatype types, MPI_Comm comm, MPI_Request* request),
         (give, count, type, get, counts, places, types, comm, request))

MPI_CALL(MPI_Send, (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm),
         (data, count, type, to, tag, comm))
MPI_CALL(MPI_Isend,
         (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request),
         (data, count, type, to, tag, comm, request))
MPI_CALL(MPI_Issend,
         (const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request),
         (data, count, type, to, tag, comm, request))
MPI_CALL(MPI_Recv, (void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status),
         (data, count, type, from, tag, comm, status))
MPI_CALL(MPI_Irecv, (void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request),
         (data, count, type, from, tag, comm, request))
MPI_CALL(MPI_Imrecv, (void* data, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request),
         (data, count, type, message, request))

MPI_CALL(MPI_File_open, (MPI_Comm comm, const char* path, int mode, MPI_Info info, MPI_File* file),
         (comm, path, mode, info, file))
MPI_CALL(MPI_File_set_view,
         (MPI_File file, MPI_Offset at, MPI_Datatype unit, MPI_Datatype type, const char* kind, MPI_Info info),
         (file, at, unit, type, kind, info))
MPI_CALL(MPI_File_set_size, (MPI_File file, MPI_Offset bytes), (file, bytes))
MPI_CALL(MPI_File_write_all, (MPI_File file, const void* data, int count, MPI_Datatype type, MPI_Status* status),
         (file, data, count, type, status))
MPI_CALL(MPI_File_write_at_all,
         (MPI_File file, MPI_Offset at, const void* data, int count, MPI_Datatype type, MPI_Status* status),
         (file, at, data, count, type, status))
MPI_CALL(MPI_File_write_at,
         (MPI_File file, MPI_Offset at, const void* data, int count, MPI_Datatype type, MPI_Status* status),
         (file, at, data, count, type, status))
MPI_CALL(MPI_File_sync, (MPI_File file), (file))
MPI_CALL(MPI_File_close, (MPI_File * file), (file))
