/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of CFIO2 (Wang & Huang 2025, section 4, table 3) over Weir, for C and C++; docs/cfio2.md tells it.
 *
 * 1. The first rank of the communicator is the control process: cfio2_init returns on it when all others have called
 *    cfio2_finalize, and any call that it makes then does nothing and returns 0. With the configuration
 *    `control: hosted` there is none, and every rank puts. Ask cfio2_control_process.
 * 2. All other ranks make the same calls in the same order, with the arguments that are not their own data alike.
 *    Nothing waits longer than Weir's `timeout`.
 * 3. Every function returns 0 or a weir_code (weir/types.h), and cfio2_error has the sentence. An error of one rank
 *    reaches all ranks, at the latest at cfio2_wait_output. Nothing is printed.
 * 4. Indices start at 0 and dimensions are listed slowest first.
 * 5. After cfio2_put_vara returns, the buffer is the caller's again. What was put is on disk when cfio2_wait_output or
 *    cfio2_finalize has returned 0.
 * 6. The state is the communicator's, one for each of a process; a process calls from one thread at a time. */
#ifndef CFIO2_H
#define CFIO2_H

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
#include <string>
extern "C" {
#endif

/* The types of data, in the file and in memory. The first three are CFIO2's. */
enum {
  cfio2_data_type_int = 0,
  cfio2_data_type_float = 1,
  cfio2_data_type_double = 2,
  cfio2_data_type_byte = 3,
  cfio2_data_type_char = 4,
  cfio2_data_type_short = 5,
  cfio2_data_type_ubyte = 6,
  cfio2_data_type_ushort = 7,
  cfio2_data_type_uint = 8,
  cfio2_data_type_int64 = 9,
  cfio2_data_type_uint64 = 10
};

/* ---- The calls of table 3 ---------------------------------------------------------------------------------------- */

/* Starts. IO_process_per_node: most writers on a node; IO_process_per_var: most writers of a variable. They become
 * `writers_per_host` and `writers_per_variable` of Weir's configuration, beside `strategy: dynamic` and `control:
 * rank`; WEIR_CONFIG's file and WEIR_<KEY> say otherwise where they name these keys. Collective over `comm`, the
 * control process included; `comm` stays the caller's. */
int cfio2_init(MPI_Comm comm, int IO_process_per_node, int IO_process_per_var);

/* Puts this rank's part of a variable.
 *   dim_name, global  the variable's dimensions; a global[0] of 0 makes the first the record dimension
 *   start, count      this rank's part; start[0] of a record variable is the record. A count of 0: it has nothing
 *   append            0: the file begins anew, with this variable. 1: what the file holds stays; this variable is
 * added, or, where the file has it, written over (a further record: appended) How many dimensions there are follows
 * from the arrays where the compiler sees their lengths. Of mere pointers three entries count, or those before an entry
 * of dim_name that is NULL or "". Many ranks may give a variable whole, all with the same values; else parts must not
 * overlap. Collective. */
#ifndef __cplusplus
int cfio2_put_vara(MPI_Comm comm, const char* filename, const char* var_name, int datatype,
                   const char* const dim_name[], const int global[], const int start[], const int count[],
                   const void* buf, int append);
#endif

/* Everything that was put is in its file, on stable storage, when this has returned 0. Collective. */
int cfio2_wait_output(MPI_Comm comm);

/* cfio2_wait_output, then ends. Collective; the control process may leave it out. */
int cfio2_finalize(MPI_Comm comm);

/* ---- What Weir adds ---------------------------------------------------------------------------------------------- */

/* cfio2_put_vara of a variable with `ndims` dimensions (0: a scalar) and lengths beyond int. */
int cfio2_put_vara_nd(MPI_Comm comm, const char* filename, const char* var_name, int datatype, int ndims,
                      const char* const dim_name[], const int64_t global[], const int64_t start[],
                      const int64_t count[], const void* buf, int append);

/* Sets an attribute of a variable, or of the file (var_name NULL or ""), between the file's first cfio2_put_vara and
 * the next cfio2_wait_output; later it costs a rewriting of the file. Collective. */
int cfio2_put_att(MPI_Comm comm, const char* filename, const char* var_name, const char* name, int datatype,
                  int64_t length, const void* values);
int cfio2_put_att_text(MPI_Comm comm, const char* filename, const char* var_name, const char* name, const char* text);

/* 1 on a rank that has served inside cfio2_init (the control process), else 0. Local. */
int cfio2_control_process(MPI_Comm comm);

/* The sentence of this thread's last call of cfio2 that failed; "" where the last call did not. Local. */
const char* cfio2_error(void);

/* cfio2_put_vara with `ndims` from the arrays' lengths, or -1. Behind the macro and the template below. */
int cfio2_put_vara_sized(MPI_Comm comm, const char* filename, const char* var_name, int datatype, int ndims,
                         const char* const dim_name[], const int global[], const int start[], const int count[],
                         const void* buf, int append);

#ifdef __cplusplus
}

namespace cfio2_detail {

/* The length of an array, -1 of a pointer. */
template <class T>
struct length {
  enum { value = -1 };
};
template <class T, int N>
struct length<T[N]> {
  enum { value = N };
};

inline int fewer(int a, int b) {
  return a < 0 ? b : (b < 0 || a < b ? a : b);
}
inline const char* text(const std::string& name) {
  return name.c_str();
}
inline const char* text(const char* name) {
  return name;
}

/* Names as C has them: all of an array, three or fewer behind a pointer. */
enum { most_dimensions = 1024 };
template <class Name>
int collect(const Name* names, int ndims, const char** texts) {
  const int most = ndims < 0 ? 3 : ndims;
  for (int d = 0; d < most && d < most_dimensions; ++d) {
    texts[d] = text(names[d]);
    if (!texts[d] || !*texts[d]) return d;
  }
  return most;
}

}  // namespace cfio2_detail

/* In C++ names are std::string or const char*, as are the elements of dim_name. */
template <class Names, class Global, class Start, class Count>
inline int cfio2_put_vara(MPI_Comm comm, const std::string& filename, const std::string& var_name, int datatype,
                          const Names& dim_name, const Global& global, const Start& start, const Count& count,
                          const void* buf, int append) {
  using namespace cfio2_detail;
  const char* names[most_dimensions];
  const int seen =
      fewer(fewer(length<Names>::value, length<Global>::value), fewer(length<Start>::value, length<Count>::value));
  const int ndims = collect(&dim_name[0], seen, names);
  return cfio2_put_vara_sized(comm, filename.c_str(), var_name.c_str(), datatype, ndims, names, global, start, count,
                              buf, append);
}

#elif defined(__GNUC__)

/* C sees an array's length only where the call is written. */
#define CFIO2_LENGTH(array)                                                 \
  (__builtin_types_compatible_p(__typeof__(array), __typeof__(&(array)[0])) \
       ? -1                                                                 \
       : (int)sizeof(__typeof__(array)) / (int)sizeof(__typeof__(*(array))))
#define CFIO2_FEWER(a, b) ((a) < 0 ? (b) : ((b) < 0 || (a) < (b) ? (a) : (b)))
#define CFIO2_NDIMS(dim_name, global, start, count)                      \
  CFIO2_FEWER(CFIO2_FEWER(CFIO2_LENGTH(dim_name), CFIO2_LENGTH(global)), \
              CFIO2_FEWER(CFIO2_LENGTH(start), CFIO2_LENGTH(count)))
#define CFIO2_NAMES(names) \
  _Generic((names), char** : (const char* const*)(names), const char** : (const char* const*)(names), \
           char* const* : (const char* const*)(names), const char* const* : (const char* const*)(names))
#define cfio2_put_vara(comm, filename, var_name, datatype, dim_name, global, start, count, buf, append) \
  cfio2_put_vara_sized(comm, filename, var_name, datatype, CFIO2_NDIMS(dim_name, global, start, count), \
                       CFIO2_NAMES(dim_name), global, start, count, buf, append)

#endif

#endif
