/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for PIO where PIO is not installed: the calls that the tests' programs make, as simply as can be. One rank
 * has the file open in PnetCDF, or a netCDF-4 file in netCDF; arrays are gathered there. Codes are those that PIO
 * gives. */
#include "stand_in.h"

#include <stdlib.h>
#include <string.h>

static struct system systems[most];
static struct decomposition {
  int ndims, lengths[8], elements;
  MPI_Datatype type;
  MPI_Offset* map; /* counted from 1 */
  int sorts;       /* by the map, what is read; then holes become zeros */
} decompositions[most];
static struct file files[most];
static int next_system = 1, next_decomposition = 1, next_file = 1;

static int rank_in(const struct system* system) {
  int rank;
  MPI_Comm_rank(system->comm, &rank);
  return rank;
}
int is_root(const struct file* file) {
  return rank_in(file->system) == file->system->root;
}
int answer(const struct file* file, int code) {
  MPI_Bcast(&code, 1, MPI_INT, file->system->root, file->system->comm);
  return code;
}
/* In netCDF where the file is of netCDF-4, else in PnetCDF. */
#ifdef WEIR_NETCDF
#define EITHER(at, netcdf, pnetcdf) ((at)->packed ? (netcdf) : (pnetcdf))
#else
#define EITHER(at, netcdf, pnetcdf) (pnetcdf)
#endif
MPI_Datatype type_of(int type) {
  const MPI_Datatype types[] = {MPI_DATATYPE_NULL, MPI_SIGNED_CHAR, MPI_CHAR,  MPI_SHORT,
                                MPI_INT,           MPI_FLOAT,       MPI_DOUBLE};
  return types[type];
}
size_t bytes_of(MPI_Datatype type) {
  int bytes;
  MPI_Type_size(type, &bytes);
  return (size_t)bytes;
}
struct file* file_of(int number) {
  return number > 0 && number < next_file && files[number].system != NULL ? &files[number] : NULL;
}
static struct decomposition* decomposition_of(int number) {
  return number > 0 && number < next_decomposition && decompositions[number].map ? &decompositions[number] : NULL;
}
static MPI_Offset cells_of(const struct decomposition* held) {
  MPI_Offset cells = 1;
  for (int d = 0; d < held->ndims; ++d) cells *= held->lengths[d];
  return cells;
}

int PIOc_Init_Intracomm(MPI_Comm comm, int io_tasks, int stride, int base, int rearranger, int* system) {
  (void)io_tasks, (void)stride, (void)rearranger;
  *system = next_system++;
  systems[*system].root = base;
  return MPI_Comm_dup(comm, &systems[*system].comm);
}
int PIOc_finalize(int system) {
  return MPI_Comm_free(&systems[system].comm);
}
int PIOc_free_iosystem(int system) {
  return PIOc_finalize(system);
}
static int is_netcdf4(int iotype) {
#ifdef WEIR_NETCDF
  return iotype == PIO_IOTYPE_NETCDF4C || iotype == PIO_IOTYPE_NETCDF4P;
#else
  return iotype < 0;
#endif
}
int PIOc_iotype_available(int iotype) {
  return iotype == PIO_IOTYPE_PNETCDF || iotype == PIO_IOTYPE_NETCDF || is_netcdf4(iotype);
}
int PIOc_iotask_rank(int system, int* rank) {
  *rank = rank_in(&systems[system]) == systems[system].root ? 0 : -1;
  return 0;
}
int PIOc_Set_IOSystem_Error_Handling(int system, int method) {
  (void)system, (void)method;
  return 0;
}
int PIOc_set_iosystem_error_handling(int system, int method, int* former) {
  if (former != NULL) *former = PIO_INTERNAL_ERROR;
  return PIOc_Set_IOSystem_Error_Handling(system, method);
}
int PIOc_Set_File_Error_Handling(int file, int method) {
  return PIOc_Set_IOSystem_Error_Handling(file, method);
}

static int decompose(int type, int ndims, const int* lengths, int elements, const MPI_Offset* map, MPI_Offset first,
                     int* number) {
  struct decomposition* const made = &decompositions[*number = next_decomposition++];
  made->ndims = ndims;
  memcpy(made->lengths, lengths, (size_t)ndims * sizeof *lengths);
  made->elements = elements;
  made->type = type_of(type);
  made->map = malloc((size_t)(elements + 1) * sizeof *map);
  made->sorts = 0;
  for (int i = 0; i < elements; ++i) {
    made->map[i] = map[i] + 1 - first;
    if (i > 0 && made->map[i] > 0 && made->map[i] < made->map[i - 1]) made->sorts = 1;
  }
  return 0;
}
int PIOc_InitDecomp(int system, int type, int ndims, const int* lengths, int elements, const MPI_Offset* map,
                    int* decomposition, const int* rearranger, const MPI_Offset* io_start, const MPI_Offset* io_count) {
  (void)system, (void)rearranger, (void)io_start, (void)io_count;
  return decompose(type, ndims, lengths, elements, map, 1, decomposition);
}
int PIOc_InitDecomp_ReadOnly(int system, int type, int ndims, const int* lengths, int elements, const MPI_Offset* map,
                             int* decomposition, const int* rearranger, const MPI_Offset* io_start,
                             const MPI_Offset* io_count) {
  return PIOc_InitDecomp(system, type, ndims, lengths, elements, map, decomposition, rearranger, io_start, io_count);
}
int PIOc_init_decomp(int system, int type, int ndims, const int* lengths, int elements, const MPI_Offset* map,
                     int* decomposition, int rearranger, const MPI_Offset* io_start, const MPI_Offset* io_count) {
  (void)system, (void)rearranger, (void)io_start, (void)io_count;
  return decompose(type, ndims, lengths, elements, map, 0, decomposition);
}
/* Boxes of two dimensions. */
int PIOc_InitDecomp_bc(int system, int type, int ndims, const int* lengths, const long* start, const long* count,
                       int* decomposition) {
  (void)system;
  const int elements = (int)(count[0] * count[1]);
  MPI_Offset* const map = malloc((size_t)(elements + 1) * sizeof *map);
  for (int i = 0; i < elements; ++i) map[i] = (start[0] + i / count[1]) * lengths[1] + start[1] + i % count[1];
  const int code = decompose(type, ndims, lengths, elements, map, 0, decomposition);
  free(map);
  return code;
}
int PIOc_freedecomp(int system, int decomposition) {
  (void)system;
  free(decompositions[decomposition].map);
  decompositions[decomposition].map = NULL;
  return 0;
}

static int begin(int system, int* number, struct file file, int code) {
  file.system = &systems[system];
  if (file.ncid >= 0 && code == 0 && !file.packed) code = ncmpi_buffer_attach(file.ncid, 1 << 20);
  for (int var = 0; var < most; ++var) file.frames[var] = -1;
  if ((code = answer(&file, code)) != 0) return code;
  files[*number = next_file++] = file;
  return 0;
}
int PIOc_createfile(int system, int* file, int* iotype, const char* name, int mode) {
  struct file made = {NULL, -1, is_netcdf4(*iotype), {0}};
  int code = 0, former;
  if (rank_in(&systems[system]) == systems[system].root) {
    code = EITHER(&made, nc_create(name, mode | NC_NETCDF4, &made.ncid),
                  ncmpi_create(MPI_COMM_SELF, name, mode, MPI_INFO_NULL, &made.ncid));
    if (code == 0)
      code = EITHER(&made, nc_set_fill(made.ncid, NC_NOFILL, &former), ncmpi_set_fill(made.ncid, NC_NOFILL, &former));
  }
  return begin(system, file, made, code);
}
int PIOc_openfile(int system, int* file, int* iotype, const char* name, int mode) {
  struct file made = {NULL, -1, iotype != NULL && is_netcdf4(*iotype), {0}};
  int code = 0;
  if (rank_in(&systems[system]) == systems[system].root)
    code = EITHER(&made, nc_open(name, mode, &made.ncid),
                  ncmpi_open(MPI_COMM_SELF, name, mode, MPI_INFO_NULL, &made.ncid));
  return begin(system, file, made, code);
}
int PIOc_openfile2(int system, int* file, int* iotype, const char* name, int mode) {
  return PIOc_openfile(system, file, iotype, name, mode);
}
int PIOc_open(int system, const char* name, int mode, int* file) {
  return PIOc_openfile(system, file, NULL, name, mode);
}

#define OF_ROOT(call)                    \
  struct file* const at = file_of(file); \
  if (at == NULL) return bad_number;     \
  return answer(at, is_root(at) ? (call) : 0)
#define OF_ROOT_AND(call, value)                                                   \
  struct file* const at = file_of(file);                                           \
  if (at == NULL) return bad_number;                                               \
  const int code = answer(at, is_root(at) ? (call) : 0);                           \
  MPI_Bcast(value, sizeof *(value), MPI_BYTE, at->system->root, at->system->comm); \
  return code

int PIOc_redef(int file) {
  OF_ROOT(EITHER(at, nc_redef(at->ncid), ncmpi_redef(at->ncid)));
}
int PIOc_enddef(int file) {
  OF_ROOT(EITHER(at, nc_enddef(at->ncid), ncmpi_enddef(at->ncid)));
}
int PIOc_sync(int file) {
  OF_ROOT(EITHER(at, nc_sync(at->ncid), ncmpi_wait_all(at->ncid, NC_REQ_ALL, NULL, NULL)));
}
static int end_file(int ncid) {
  const int code = ncmpi_wait_all(ncid, NC_REQ_ALL, NULL, NULL);
  ncmpi_buffer_detach(ncid);
  const int closed = ncmpi_close(ncid);
  return code != 0 ? code : closed;
}
int PIOc_closefile(int file) {
  struct file* const at = file_of(file);
  if (at == NULL) return bad_number;
  const int code = answer(at, is_root(at) ? EITHER(at, nc_close(at->ncid), end_file(at->ncid)) : 0);
  at->system = NULL;
  return code;
}
int PIOc_def_dim(int file, const char* name, MPI_Offset length, int* dim) {
  OF_ROOT_AND(EITHER(at, nc_def_dim(at->ncid, name, (size_t)length, dim), ncmpi_def_dim(at->ncid, name, length, dim)),
              dim);
}
int PIOc_def_var(int file, const char* name, int type, int ndims, const int* dims, int* var) {
  OF_ROOT_AND(EITHER(at, nc_def_var(at->ncid, name, type, ndims, dims, var),
                     ncmpi_def_var(at->ncid, name, type, ndims, dims, var)),
              var);
}
int PIOc_put_att(int file, int var, const char* name, int type, MPI_Offset length, const void* values) {
  OF_ROOT(EITHER(at, nc_put_att(at->ncid, var, name, type, (size_t)length, values),
                 ncmpi_put_att(at->ncid, var, name, type, length, values)));
}
int PIOc_inq_dimlen(int file, int dim, MPI_Offset* length) {
  OF_ROOT_AND(EITHER(at, nc_inq_dimlen(at->ncid, dim, (size_t*)length), ncmpi_inq_dimlen(at->ncid, dim, length)),
              length);
}
int PIOc_inq_var_fill(int file, int var, int* no_fill, void* value) {
  OF_ROOT_AND(
      EITHER(at, nc_inq_var_fill(at->ncid, var, no_fill, value), ncmpi_inq_var_fill(at->ncid, var, no_fill, value)),
      no_fill);
}
#define PUT_BOX(word, ctype)                                                                                           \
  int PIOc_put_vara_##word(int file, int var, const MPI_Offset* start, const MPI_Offset* count, const ctype* values) { \
    OF_ROOT(EITHER(at, nc_put_vara_##word(at->ncid, var, (const size_t*)start, (const size_t*)count, values),          \
                   ncmpi_bput_vara_##word(at->ncid, var, start, count, values, NULL)));                                \
  }
PUT_BOX(schar, signed char)
PUT_BOX(text, char)
PUT_BOX(short, short)
PUT_BOX(int, int)
PUT_BOX(float, float)
PUT_BOX(double, double)

int PIOc_setframe(int file, int var, int frame) {
  if (file_of(file) == NULL) return bad_number;
  files[file].frames[var] = frame;
  return 0;
}
int PIOc_advanceframe(int file, int var) {
  return PIOc_setframe(file, var, files[file].frames[var] + 1);
}

/* Where the root puts or gets a record of this decomposition. */
static int place_of(const struct file* file, int var, const struct decomposition* held, MPI_Offset* start,
                    MPI_Offset* count) {
  int ndims = 0;
  if (EITHER(file, nc_inq_varndims(file->ncid, var, &ndims), ncmpi_inq_varndims(file->ncid, var, &ndims)) != 0)
    return no_variable;
  const int records = ndims > held->ndims;
  start[0] = records ? file->frames[var] : 0;
  count[0] = 1;
  for (int d = records; d < ndims; ++d) {
    start[d] = 0;
    count[d] = held->lengths[d - records];
  }
  return 0;
}

/* At the root: the whole record in `all`, holes as they are there. */
static void gather(const struct file* file, const struct decomposition* held, const char* values, char* all) {
  int ranks;
  const size_t bytes = bytes_of(held->type);
  MPI_Comm_size(file->system->comm, &ranks);
  for (int from = 0; from < ranks; ++from) {
    int elements = held->elements;
    MPI_Bcast(&elements, 1, MPI_INT, from, file->system->comm);
    MPI_Offset* const map = malloc((size_t)(elements + 1) * sizeof *map);
    char* const part = malloc(((size_t)elements + 1) * bytes);
    if (rank_in(file->system) == from) {
      memcpy(map, held->map, (size_t)elements * sizeof *map);
      if (elements > 0) memcpy(part, values, (size_t)elements * bytes);
    }
    MPI_Bcast(map, elements, MPI_OFFSET, from, file->system->comm);
    MPI_Bcast(part, elements, held->type, from, file->system->comm);
    for (int i = 0; i < elements; ++i)
      if (map[i] > 0) memcpy(all + (size_t)(map[i] - 1) * bytes, part + (size_t)i * bytes, bytes);
    free(part);
    free(map);
  }
}

int PIOc_write_darray(int file, int var, int decomposition, MPI_Offset elements, void* array, void* fill_value) {
  struct file* const at = file_of(file);
  struct decomposition* const held = decomposition_of(decomposition);
  MPI_Offset start[9], count[9];
  (void)fill_value;
  if (at == NULL || held == NULL) return bad_number;
  if (elements < held->elements) return bad_argument;
  if (answer(at, is_root(at) ? place_of(at, var, held, start, count) : 0) != 0) return no_variable;
  const MPI_Offset cells = cells_of(held);
  const size_t bytes = bytes_of(held->type);
  char* const all = malloc((size_t)cells * bytes);
  char fill[8];
  if (is_root(at) && !at->packed) ncmpi_wait_all(at->ncid, NC_REQ_ALL, NULL, NULL);
  if (is_root(at)) EITHER(at, packed_fill(at->ncid, var, fill), ncmpi_inq_var_fill(at->ncid, var, NULL, fill));
  for (MPI_Offset cell = 0; cell < cells && is_root(at); ++cell) memcpy(all + (size_t)cell * bytes, fill, bytes);
  gather(at, held, array, all);
  const int code =
      answer(at, is_root(at) ? EITHER(at, packed_put(at->ncid, var, start, count, held->type, all),
                                      ncmpi_put_vara_all(at->ncid, var, start, count, all, cells, held->type))
                             : 0);
  free(all);
  return code;
}
int PIOc_write_darray_multi(int file, const int* vars, int decomposition, int nvars, MPI_Offset elements, void* array,
                            const int* frames, void** fill_values, bool flush) {
  (void)fill_values;
  for (int i = 0; i < nvars; ++i) {
    if (file_of(file) != NULL && frames != NULL) PIOc_setframe(file, vars[i], frames[i]);
    const size_t step = (size_t)elements * bytes_of(decompositions[decomposition].type);
    const int code = PIOc_write_darray(file, vars[i], decomposition, elements, (char*)array + (size_t)i * step, NULL);
    if (code != 0) return code;
  }
  return flush ? PIOc_sync(file) : 0;
}
int PIOc_read_darray(int file, int var, int decomposition, MPI_Offset elements, void* array) {
  struct file* const at = file_of(file);
  struct decomposition* const held = decomposition_of(decomposition);
  MPI_Offset start[9], count[9];
  if (at == NULL || held == NULL) return bad_number;
  const MPI_Offset cells = cells_of(held);
  const size_t bytes = bytes_of(held->type);
  char* const all = malloc((size_t)cells * bytes);
  if (var >= 0 && var < most && at->frames[var] < 0) at->frames[var] = 0;
  int code = is_root(at) ? place_of(at, var, held, start, count) : 0;
  if (code == 0 && is_root(at))
    code = EITHER(at, packed_get(at->ncid, var, start, count, held->type, all),
                  ncmpi_get_vara_all(at->ncid, var, start, count, all, cells, held->type));
  code = answer(at, code);
  MPI_Bcast(all, (int)cells, held->type, at->system->root, at->system->comm);
  for (int i = 0; code == 0 && i < held->elements && i < elements; ++i) {
    char* const to = (char*)array + (size_t)i * bytes;
    if (held->map[i] > 0)
      memcpy(to, all + (size_t)(held->map[i] - 1) * bytes, bytes);
    else if (held->sorts)
      memset(to, 0, bytes);
  }
  free(all);
  return code;
}

#ifdef WEIR_SCORPIO
/* By this one SCORPIO is known. */
int PIOc_get_version_major(void);
int PIOc_get_version_major(void) {
  return 2;
}
#elif !defined WEIR_OTHER_LIBRARY
/* By this one a PIO of 2.5 or later is known. */
int PIOc_put_vard(int file, int var, int decomposition, MPI_Offset record, const void* values);
int PIOc_put_vard(int file, int var, int decomposition, MPI_Offset record, const void* values) {
  struct decomposition* const held = decomposition_of(decomposition);
  if (file_of(file) == NULL || held == NULL) return bad_number;
  files[file].frames[var] = (int)record;
  return PIOc_write_darray(file, var, decomposition, held->elements, (void*)values, NULL);
}
#endif
