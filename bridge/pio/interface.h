/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of PIO's C library (2.5 to 2.7) that the bridge takes over, makes, or must know of, as its manual has them.
 * With this neither the bridge nor a program of the tests needs PIO's own header. */
#pragma once

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#else
#include <stdbool.h>
#endif

/* How a file is written, and by which library. */
enum { PIO_IOTYPE_PNETCDF = 1, PIO_IOTYPE_NETCDF = 2, PIO_IOTYPE_NETCDF4C = 3, PIO_IOTYPE_NETCDF4P = 4 };
enum { PIO_REARR_BOX = 1, PIO_REARR_SUBSET = 2 };
/* What a call does that fails: it ends the program, or all ranks or one return the code. */
enum { PIO_INTERNAL_ERROR = -51, PIO_BCAST_ERROR = -52, PIO_RETURN_ERROR = -53 };

int PIOc_Init_Intracomm(MPI_Comm comm, int io_tasks, int stride, int base, int rearranger, int* system);
/* The same as PIO's Fortran module calls it. */
int PIOc_Init_Intracomm_from_F90(int comm, int io_tasks, int stride, int base, int rearranger, void* options,
                                 int* system);
int PIOc_finalize(int system);
int PIOc_free_iosystem(int system);
int PIOc_iotype_available(int iotype);
int PIOc_iotask_rank(int system, int* rank);
int PIOc_Set_IOSystem_Error_Handling(int system, int method);
int PIOc_set_iosystem_error_handling(int system, int method, int* former);
int PIOc_Set_File_Error_Handling(int file, int method);

/* map: this rank's elements, counted from 1 (InitDecomp) or from 0 (init_decomp); 0, or -1, where the buffer holds
 * none. */
int PIOc_InitDecomp(int system, int type, int ndims, const int* lengths, int elements, const MPI_Offset* map,
                    int* decomposition, const int* rearranger, const MPI_Offset* io_start, const MPI_Offset* io_count);
/* Several ranks may hold an element: to read only. In PIO 2.7. */
int PIOc_InitDecomp_ReadOnly(int system, int type, int ndims, const int* lengths, int elements, const MPI_Offset* map,
                             int* decomposition, const int* rearranger, const MPI_Offset* io_start,
                             const MPI_Offset* io_count);
int PIOc_InitDecomp_bc(int system, int type, int ndims, const int* lengths, const long* start, const long* count,
                       int* decomposition);
int PIOc_init_decomp(int system, int type, int ndims, const int* lengths, int elements, const MPI_Offset* map,
                     int* decomposition, int rearranger, const MPI_Offset* io_start, const MPI_Offset* io_count);
int PIOc_freedecomp(int system, int decomposition);

int PIOc_createfile(int system, int* file, int* iotype, const char* name, int mode);
int PIOc_create(int system, const char* name, int mode, int* file);
int PIOc_openfile(int system, int* file, int* iotype, const char* name, int mode);
int PIOc_openfile2(int system, int* file, int* iotype, const char* name, int mode);
int PIOc_open(int system, const char* name, int mode, int* file);
int PIOc_redef(int file);
int PIOc_enddef(int file);
int PIOc_sync(int file);
int PIOc_closefile(int file);

int PIOc_def_dim(int file, const char* name, MPI_Offset length, int* dim);
int PIOc_def_var(int file, const char* name, int type, int ndims, const int* dims, int* var);
int PIOc_put_att(int file, int var, const char* name, int type, MPI_Offset length, const void* values);
int PIOc_put_vara_schar(int file, int var, const MPI_Offset* start, const MPI_Offset* count, const signed char* values);
int PIOc_put_vara_text(int file, int var, const MPI_Offset* start, const MPI_Offset* count, const char* values);
int PIOc_put_vara_short(int file, int var, const MPI_Offset* start, const MPI_Offset* count, const short* values);
int PIOc_put_vara_int(int file, int var, const MPI_Offset* start, const MPI_Offset* count, const int* values);
int PIOc_put_vara_float(int file, int var, const MPI_Offset* start, const MPI_Offset* count, const float* values);
int PIOc_put_vara_double(int file, int var, const MPI_Offset* start, const MPI_Offset* count, const double* values);
int PIOc_get_vara(int file, int var, const MPI_Offset* start, const MPI_Offset* count, void* values);
int PIOc_inq(int file, int* ndims, int* nvars, int* attributes, int* unlimited);
int PIOc_inq_unlimdims(int file, int* count, int* dims);
int PIOc_inq_dim(int file, int dim, char* name, MPI_Offset* length);
int PIOc_inq_dimlen(int file, int dim, MPI_Offset* length);
int PIOc_inq_var(int file, int var, char* name, int* type, int* ndims, int* dims, int* attributes);
int PIOc_inq_vardimid(int file, int var, int* dims);
int PIOc_inq_varndims(int file, int var, int* ndims);
int PIOc_inq_var_fill(int file, int var, int* no_fill, void* value);
int PIOc_inq_attname(int file, int var, int number, char* name);
int PIOc_inq_att(int file, int var, const char* name, int* type, MPI_Offset* length);
int PIOc_get_att(int file, int var, const char* name, void* values);

/* Of netCDF-4. The last five are in later versions only. */
int PIOc_def_var_chunking(int file, int var, int storage, const MPI_Offset* lengths);
int PIOc_def_var_deflate(int file, int var, int shuffle, int deflate, int level);
int PIOc_def_var_endian(int file, int var, int endian);
int PIOc_def_var_szip(int file, int var, int options, int pixels);
int PIOc_def_var_zstandard(int file, int var, int level);
int PIOc_def_var_bzip2(int file, int var, int level);
int PIOc_def_var_filter(int file, int var, unsigned id, size_t count, unsigned* parameters);
int PIOc_def_var_quantize(int file, int var, int mode, int digits);

int PIOc_setframe(int file, int var, int frame);
int PIOc_advanceframe(int file, int var);
int PIOc_write_darray(int file, int var, int decomposition, MPI_Offset elements, void* array, void* fill_value);
int PIOc_write_darray_multi(int file, const int* vars, int decomposition, int nvars, MPI_Offset elements, void* array,
                            const int* frames, void** fill_values, bool flush);
int PIOc_read_darray(int file, int var, int decomposition, MPI_Offset elements, void* array);

#ifdef __cplusplus
}
#endif
