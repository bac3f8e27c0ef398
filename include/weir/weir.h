/* SPDX-License-Identifier: Apache-2.0 */
/* Weir: output for Earth-system models. The C interface.
 *
 * 1. Every function returns WEIR_OK (0) or a weir_code; weir_error() gives the sentence that says what was wrong,
 *    where, and what to do. An error of one rank reaches all ranks as the same error, at the latest at the next
 *    collective call. A file that has failed answers every later call with its first error.
 *    What would lose data in silence fails the file too when it comes in the wrong state: a put or weir_sync before
 *    weir_enddef, a definition after it, either of them in a file opened with WEIR_NOWRITE. So it is enough to look at
 *    what weir_close returns: it says so on all ranks, also where one rank alone made the call.
 * 2. "Collective" means: every rank of the model communicator calls it, in the same order, with the arguments that are
 *    not its own data alike. Such a call need not wait for all ranks: "Putting data" says for which ones a put waits.
 *    "Local" means: any rank may call it, at any time, and it waits for no rank. Nothing here waits longer than
 *    `timeout` seconds for another rank, nor than `storage_timeout`, where that is set, for the storage.
 * 3. Indices start at 0 and dimensions are listed slowest first, as in netCDF's C interface. (The Fortran module counts
 *    from 1 and lists the fastest first, as in netCDF's Fortran interface.) Indices and counts are int64_t.
 * 4. After weir_put* returns, the buffer is the caller's again. What was put is in the file, for good, when weir_sync
 *    or weir_close has returned WEIR_OK: until then the file under its name is the one of the last commit.
 * 5. The library prints nothing but what `report` asks for and, by rank 0 in weir_init, a line about an environment
 *    variable WEIR_... that is no key. It holds no global state: several instances live side by side. It ends no
 *    program, but for one case: a rank ends within the microseconds in which weir_init makes communicators, and MPI was
 *    initialised with less than MPI_THREAD_MULTIPLE. MPI then never comes back, and after `timeout` Weir prints why and
 *    ends the ranks that wait. */
#ifndef WEIR_WEIR_H
#define WEIR_WEIR_H

#include <mpi.h>
#include <stdint.h>
#include <weir/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_VERSION "0.2.0"

typedef struct weir_instance weir_t;   /* one running Weir: made by weir_init, ended by weir_finalize */
typedef struct weir_dataset weir_file; /* one netCDF file: made by weir_create or weir_open, ended by weir_close */

/* ---- Start and end ------------------------------------------------------------------------------------------- */

/* Starts Weir on the ranks of `world`. Collective over `world`, which stays the caller's.
 *   config      a YAML file's path, or YAML text itself (it then holds ": " or a newline), or NULL: the file that
 *               WEIR_CONFIG names, if any. Single keys come from the environment too: WEIR_STRATEGY=remap.
 *   model_comm  gets the communicator the model is to use (free it after weir_finalize), or MPI_COMM_NULL on a rank
 *               that the strategy reserved: it has then served inside this call until the model was finished.
 *   weir        gets the instance; NULL on a reserved rank and on error. On error weir_init_error() has the sentence.
 */
int weir_init(MPI_Comm world, const char* config, MPI_Comm* model_comm, weir_t** weir);

/* The sentence of this thread's last failed weir_init. Local. */
const char* weir_init_error(void);

/* Closes what is open, writes the report where one was asked for, frees all handles; *weir becomes NULL. Collective. */
int weir_finalize(weir_t** weir);

/* The sentence of the last error on this rank; "" where there was none. Valid until the next call. Local. */
const char* weir_error(const weir_t* weir);
const char* weir_file_error(const weir_file* file);

/* A code's name in words, for instance "ranks disagree". Local. */
const char* weir_strerror(int code);

/* The report so far as JSON: bytes, seconds in each step, seconds the model waited, high-water memory, strategy, sink,
 * and why. The text is Weir's and valid until the next call. Collective. */
int weir_report(weir_t* weir, const char** json);

/* ---- Files and definitions (collective; definitions must be alike on all ranks) --------------------------------- */

/* Creates a file. It appears under `path` at the first weir_sync or weir_close. `mode`: WEIR_NOCLOBBER, a format. With
 * WEIR_ZARR it is a folder, best called NAME.zarr.
 * What has that name already is replaced then: of a symbolic link the file that it leads to, while the link stays; of
 * several hard links this one, while the others keep the old file. The new file gets the old one's mode, and its owner
 * and group where that is permitted; an old file that may not be written is refused. A relative path
 * begins in the folder in which the model is at this call, whatever folder it goes to later. */
int weir_create(weir_t* weir, const char* path, int mode, weir_file** file);

/* Opens an existing file: WEIR_NOWRITE to read, WEIR_WRITE also to append records and overwrite, which classic files,
 * netCDF-4 and Zarr take, of whatever library: a put of a variable in a form that Weir does not write is then
 * WEIR_EFORMAT. A put into a file to read is refused, and is the error of its weir_close; reading goes on. Weir
 * knows these variables of a netCDF-4 file, whichever program made it: those of netCDF's number types and char, in all
 * groups, with at most one record dimension, as the first; other unlimited dimensions keep the length they have.
 * Variables of types of the file's own are not numbered, and weir_inq_varid and weir_inq_left_out say why. Those of
 * strings are text in a file to read, with one dimension more (up to 1 MiB), and stay as they are in one to write,
 * where they are left out. A variable with a filter that is not known here can be asked about, and not be read. Such a
 * file that this Weir writes is read once it was closed and opened. A Zarr folder of version 3 is read likewise: its
 * arrays, and those of its groups; the record dimension is the one that Weir has noted, or else time. */
int weir_open(weir_t* weir, const char* path, int mode, weir_file** file);

/* Opens an existing file as weir_open does with WEIR_WRITE, which `mode` must have, and goes back to its first
 * `records` records: a run that restarts from an earlier checkpoint finds records behind it, which do not belong to it.
 * Puts of record numbers from `records` on are new records, and nothing of the former ones shows in them. The next
 * commit (weir_sync, weir_close, or of a group of files) shows the first `records` records and those put since; fixed
 * variables stay. If the run is killed or fails before that commit, the file keeps all its records. Until then other
 * programs find all of them in netCDF-4 and Zarr, and the first `records` of them in a classic file. WEIR_EARGUMENT if
 * the file has fewer than `records` records. The configuration may say it for an unchanged program (key `files`). */
int weir_open_at(weir_t* weir, const char* path, int mode, int64_t records, weir_file** file);

/* Defines a dimension of `length` elements (WEIR_UNLIMITED: the record dimension, one a file). */
int weir_def_dim(weir_file* file, const char* name, int64_t length, int* dim);

/* Defines a dimension that is unlimited in a netCDF-4 file or Zarr folder beside the record dimension, and has `length`
 * elements, at least one. Puts do not make it longer; weir_extend_dim does, here and after weir_redef: its variables
 * then have fill value where nothing was put, and keep their chunks. Classic formats are refused by weir_enddef. */
int weir_def_dim_unlimited(weir_file* file, const char* name, int64_t length, int* dim);
int weir_extend_dim(weir_file* file, int dim, int64_t length);

/* Defines a variable over `ndims` dimensions, slowest first (0: a scalar). The record dimension can only be the first.
 * In netCDF-4 and Zarr a name may have groups before it, here and for dimensions and attributes of the file: "ice/area"
 * is area in the group ice, which is made where it is not there. A variable takes dimensions of its group and of those
 * that hold it. */
int weir_def_var(weir_file* file, const char* name, weir_type type, int ndims, const int dims[], int* var);

/* Sets an attribute of `count` values of `type` (file type = memory type). var = WEIR_GLOBAL: of the file. Of
 * WEIR_STRING, which netCDF-4 and Zarr have, `values` are const char* const[count]. */
int weir_put_att(weir_file* file, int var, const char* name, weir_type type, int64_t count, const void* values);
int weir_put_att_text(weir_file* file, int var, const char* name, const char* text);

/* How a variable of a file made with WEIR_NETCDF4 or WEIR_ZARR is kept; names, arguments and meaning are netCDF's.
 * Chunks: one length for each dimension, slowest first; NULL, or no call: 1 along the record dimension and whole along
 * the fastest dimensions, so that a chunk has at most 1 MiB. Of a chunk of several records ranks hold in memory what
 * was put until its last record is there; a commit before writes it, and a later one writes it anew. `storage` is
 * WEIR_CHUNKED. Deflate: 0 to 9, written by
 * libdeflate as the stream that zlib reads. zstd: HDF5's filter 32015, for which a reader needs its plugin. Quantize:
 * of float and double, values keep `digits` significant decimal digits (bit round: bits), and the attribute that
 * netCDF-C makes says so. The bits are netCDF-C's for a record that is put whole. In a Zarr folder chunks are those
 * within shards; with shuffle, deflate and zstd are blosc's, without it the codecs gzip and zstd, and fletcher32 is
 * crc32c. */
int weir_def_var_chunking(weir_file* file, int var, int storage, const int64_t chunks[]);
int weir_def_var_deflate(weir_file* file, int var, int shuffle, int deflate, int level);
int weir_def_var_zstd(weir_file* file, int var, int level);
int weir_def_var_fletcher32(weir_file* file, int var, int fletcher32);
int weir_def_var_quantize(weir_file* file, int var, int mode, int digits);

/* What becomes of unput elements of this file. Before weir_enddef. */
int weir_set_fill(weir_file* file, weir_fill_mode mode);

/* Bytes to leave free after the header, and the multiples at which fixed variables and the first record begin; 0 keeps
 * the configuration's value. Before weir_enddef. */
int weir_set_alignment(weir_file* file, int64_t header_free_bytes, int64_t variable_align_bytes,
                       int64_t record_align_bytes);

/* Ends the definitions: compares them over all ranks, and lays the file out. Once a file, and once after each
 * weir_redef. Collective. */
int weir_enddef(weir_file* file);

/* Commits what was put, as weir_sync does, and opens the definitions again, of a file that was made or opened to write:
 * new dimensions, variables and attributes, and other values of attributes, until weir_enddef. After a kill the file
 * has its old definitions or the new ones. No data are moved. netCDF-4 and Zarr take all; a classic file takes what has
 * room: a header as long as was left free (weir_set_alignment), fixed variables before the first record, variables with
 * records while there is none. What has none is refused by weir_enddef (WEIR_EARGUMENT), with what to do, and the file
 * goes on with the definitions that it had. What is there keeps its chunks, filters and _FillValue. A file in parts
 * cannot be redefined. Collective. */
int weir_redef(weir_file* file);

/* Writes what was put and commits it: it is then on stable storage and visible under the file's name. A file that the
 * key `commit_group` puts into a group is committed with all of that group that are open to write. Collective.
 * All ranks get the same error: that of a put before, if one was refused; WEIR_ERANGE if values did not fit their type
 * (the file is committed all the same); WEIR_ECOVER if a file with WEIR_COVER lacks a record; WEIR_EIO if the storage
 * refuses. But for WEIR_ERANGE the file has failed and stays at its last commit. In a file that is not open to write:
 * WEIR_ESTATE, on this rank; see 1. */
int weir_sync(weir_file* file);

/* Commits all files of this Weir that are open to write and past weir_enddef, as one: after a kill at any moment, all
 * of them show what was put before this call, or none does, once one of them has been made or opened by Weir again (or
 * weir-verify --clean has seen it). Until then other readers may find some shown and others not. Files may be
 * classic and netCDF-4, in different folders of one file system. Over two file systems, and of files in parts and of
 * Zarr, nothing is committed (WEIR_ECONFIG), and the files go on. Where one of the files fails, all of them do: each
 * stays at what was committed before. */
int weir_sync_all(weir_t* weir);

/* weir_sync (of its group, if it has one), then ends the handle, also on error. A failed file is removed if it was
 * never committed, else left at its last commit. A handle that was closed answers WEIR_ESTATE to every call, the
 * weir_inq* included, and weir_file_error still has the sentence of the close; so it does for the last 1,000 files that
 * were closed. An older one may not be used any more. */
int weir_close(weir_file* file);

/* ---- Layouts ---------------------------------------------------------------------------------------------------
 * A layout says what this rank holds of an array of `shape` (a variable without its record dimension), and how it lies
 * in memory. It is made once and serves any variable of that shape, in any file, for ever. Collective: ranks may hold
 * nothing, and different kinds of layout. The arrays are copied.
 *   order   the array's axes as they lie in memory, slowest first: a model that holds (y, z, x) of an array (z, y, x)
 *           gives {1, 0, 2}. NULL: as in the file. */

/* `nboxes` boxes, starts[nboxes][ndims] and counts[nboxes][ndims]; in memory one after another without gaps. */
int weir_def_layout(weir_t* weir, int ndims, const int64_t shape[], int nboxes, const int64_t starts[],
                    const int64_t counts[], const int order[], int* layout);

/* One box inside a larger array in memory (halos): the array has memory_shape[], the box begins at memory_start[]; both
 * are listed in the order of memory, slowest first. */
int weir_def_layout_subarray(weir_t* weir, int ndims, const int64_t shape[], const int64_t start[],
                             const int64_t count[], const int order[], const int64_t memory_shape[],
                             const int64_t memory_start[], int* layout);

/* An offset map: element i of the buffer is element offsets[i] of the array in file order, or WEIR_ABSENT. */
int weir_def_layout_map(weir_t* weir, int ndims, const int64_t shape[], int64_t length, const int64_t offsets[],
                        int* layout);

/* Elements that a buffer for this layout has on this rank (absent and halo elements included). Local. */
int weir_inq_layout(const weir_t* weir, int layout, int64_t* buffer_length);

/* Frees the layout and its plans. Collective. */
int weir_free_layout(weir_t* weir, int layout);

/* ---- Putting data (collective) ----------------------------------------------------------------------------------
 * A put waits for all ranks where Weir makes a plan (the first put of a layout at a place in a file), and where its
 * record was put before since the last commit. Else it waits, if at all, for the ranks whose memory or messages it
 * needs: where memory is full, and under `dynamic` where the ranks that will write are not chosen yet. With collective
 * writes (MPI-IO) it waits for all ranks where memory is full. */

/* Puts this rank's part of a variable. record: its number, ignored for a variable without record dimension. Elements in
 * memory are of `type` and converted; what does not fit becomes the fill value and WEIR_ERANGE at the next commit.
 * Under WEIR_FILL what no rank holds becomes the fill value, and keeps its value where an earlier put by another layout
 * gave the record one. In chunks (netCDF-4, Zarr), which are written whole, a later put by another layout must hold
 * everything, else WEIR_ECOVER on all ranks. */
int weir_put(weir_file* file, int var, int64_t record, int layout, weir_type type, const void* values);

/* Puts one box, start[] and count[] over all dimensions, the record's included; a count of 0: this rank has nothing.
 * All ranks that have something put the same records in a call, else WEIR_EMISMATCH. All ranks meet in each call:
 * weir_put with a layout does not. A record may be put in several boxes of a rank; one call for all is faster. */
int weir_put_vara(weir_file* file, int var, const int64_t start[], const int64_t count[], weir_type type,
                  const void* values);

/* Puts a whole variable (one record of it) that all ranks hold alike: a time, a coordinate, a scalar. Rank 0's is
 * taken. */
int weir_put_var(weir_file* file, int var, int64_t record, weir_type type, const void* values);

/* This rank cannot make the put that the others make: all ranks get `code` and `sentence`, with this rank's number and
 * the file's path, where they meet next (at the latest at the commit). For models and front doors that see what Weir
 * cannot, such as a buffer too short. Returns the code. Local. */
int weir_fail(weir_file* file, int code, const char* sentence);

/* The plan of a put as JSON: tiles, owners, messages, bytes between hosts, bytes of memory. The text is Weir's and
 * valid until the next call. Collective. */
int weir_plan(weir_file* file, int var, int layout, const char** json);

/* ---- Reading (sees what is committed) ----------------------------------------------------------------------------
 * weir_get and weir_get_vara_all are Collective: each part of the file leaves storage once, by the rank that owns it,
 * and goes to all ranks that want it. Ranks may want the same elements (halos, coordinates, masks) or nothing. What was
 * put before is written first. On error all ranks get the same sentence, and nothing is to be made of the buffers; the
 * file stays usable. (Of WEIR_ERANGE all values but those that did not fit have been read.) */

/* By layout, one record. Elements of the buffer that are absent from the map or in the halo stay as they are. */
int weir_get(weir_file* file, int var, int64_t record, int layout, weir_type type, void* values);

/* Storage is asked to have at hand what weir_get of these variables (vars[nvars], one record of those that have
 * records) by this layout will read: each owner asks for its tiles, and the call returns without waiting for them. So
 * call it before the model sets itself up, and get the variables afterwards. It takes none of Weir's memory and reads
 * nothing into yours: the operating system keeps what has come. What storage refuses is told by the get. Where an
 * argument is wrong all ranks get the sentence, and the file stays usable. Collective. */
int weir_prefetch(weir_file* file, int nvars, const int vars[], int64_t record, int layout);

/* One box of each rank, start[] and count[] over all the variable's dimensions; a count of 0: this rank wants nothing.
 * All ranks that want something get the same records. */
int weir_get_vara_all(weir_file* file, int var, const int64_t start[], const int64_t count[], weir_type type,
                      void* values);

/* One box, by this rank alone. Local: any rank, any time. */
int weir_get_vara(weir_file* file, int var, const int64_t start[], const int64_t count[], weir_type type, void* values);

/* ---- Asking (local) -----------------------------------------------------------------------------------------------
 */

int weir_inq(const weir_file* file, int* ndims, int* nvars, int* natts, int* record_dim);
/* The record dimension and those of weir_def_dim_unlimited, as nc_inq_unlimdims. dims[] has room for *ndims of an
 * earlier call, or is NULL. */
int weir_inq_unlimdims(const weir_file* file, int* ndims, int dims[]);
int weir_inq_nrecords(const weir_file* file, int64_t* records); /* committed and put */
/* Names are as in weir_def_var: "ice/area", or "/ice/area". */
int weir_inq_dimid(const weir_file* file, const char* name, int* dim);
int weir_inq_dim(const weir_file* file, int dim, char name[WEIR_MAX_NAME], int64_t* length);
int weir_inq_varid(const weir_file* file, const char* name, int* var);
/* dims[] has room for *ndims of an earlier call; pass NULL for what is not wanted. */
int weir_inq_var(const weir_file* file, int var, char name[WEIR_MAX_NAME], weir_type* type, int* ndims, int dims[],
                 int* natts);
/* What a file that was opened has and Weir does not number: variables, by their names, and why.
 * names[] and reasons[] have room for *count of an earlier call, or are NULL; the texts stay the file's, until it is
 * closed or defined anew. */
int weir_inq_left_out(const weir_file* file, int* count, const char* names[], const char* reasons[]);
int weir_inq_attname(const weir_file* file, int var, int number, char name[WEIR_MAX_NAME]);
int weir_inq_att(const weir_file* file, int var, const char* name, weir_type* type, int64_t* count);
/* values[] has room for `count` of weir_inq_att, of the attribute's type. Of WEIR_STRING they are const char*, which
 * stay the file's: valid until it is closed or defined anew. */
int weir_get_att(const weir_file* file, int var, const char* name, void* values);
/* The file's format: 1, 2 or 5, 3 for netCDF-4 and 10 for Zarr. */
int weir_inq_format(const weir_file* file, int* format);

/* ---- Streams: fields in, files out --------------------------------------------------------------------------------
 * A model may send fields in place of putting records. It defines each field once and sends its values as they are
 * computed; the configuration's key `streams` says what becomes of them: instants, means, minima, maxima, sums; at
 * which intervals, in which files, that begin anew each day, month or year. The model opens no file and counts no
 * records; weir_finalize ends all files. weir_create and the calls above go on working.
 *
 *     weir_def_field     for each field, with the names of its dimensions and a layout
 *     weir_set_field     for each fixed field: coordinates, masks
 *     weir_start_streams once: the time axis, and when this run begins
 *     weir_send          a field at a time, again and again */

/* Defines a field: its name, its type in files, the names of its `ndims` dimensions, slowest first, and the layout by
 * which all its values are sent. The dimensions have the lengths of the layout's array; one name has one length in all
 * fields. ndims = 0: a scalar, whose value rank 0 holds; dims and layout are ignored. Before weir_start_streams, which
 * compares the definitions of all ranks. Collective, and waits for no rank. */
int weir_def_field(weir_t* weir, const char* name, weir_type type, int ndims, const char* const dims[], int layout,
                   int* field);

/* Sets an attribute of a field (units, standard_name, _FillValue: values equal to it are missing samples), or, with
 * field = WEIR_GLOBAL, of all files of all streams. As weir_put_att; before weir_start_streams. */
int weir_put_field_att(weir_t* weir, int field, const char* name, weir_type type, int64_t count, const void* values);
int weir_put_field_att_text(weir_t* weir, int field, const char* name, const char* text);

/* Gives a fixed field its values, this rank's part by the field's layout; they are copied. A file has those fixed
 * fields that are the coordinate variable of one of its dimensions, those that an attribute of its variables names
 * (coordinates, bounds, cell_measures, ancillary_variables, grid_mapping, formula_terms), and those that its stream
 * lists. Before weir_start_streams. Collective, and waits for no rank. */
int weir_set_field(weir_t* weir, int field, weir_type type, const void* values);

/* Ends the definitions and begins the streams. `units` and `calendar` are CF's ("seconds since 1990-01-01 00:00:00",
 * "noleap"; NULL: "standard") and those of all times that follow; they are also the files'. `start` is the time from
 * which this run computes: the beginning of the experiment, or the time of the restart from which it goes on. Where the
 * key `restart` is set and a file for that time is there, unfinished intervals go on to the bit from where they were.
 * A wrong configuration is refused here, before anything is written. Collective. */
int weir_start_streams(weir_t* weir, const char* units, const char* calendar, double start);

/* Sends this rank's part of a field as it is at `time`, by the field's layout; memory of `type`. On return the buffer
 * is the caller's. An interval (begin, end] takes the samples after its begin, and that at its end. A sample at the
 * run's start is an instant of a new run, in no mean, and nothing in a run that goes on from a restart. The times of a
 * field ascend. All ranks send the same fields at the same times, in the same order; a call that ends no interval waits
 * for no rank. Collective.
 * Errors: WEIR_EARGUMENT for a time that is not after the one before, or passes the end of an interval that no sample
 * has met; WEIR_ESTATE before weir_start_streams, and of a fixed field. */
int weir_send(weir_t* weir, int field, double time, weir_type type, const void* values);

/* Sets *wanted to 1 if a stream takes the field at this time, else to 0: the model need not compute it then. Local. */
int weir_field_wanted(const weir_t* weir, int field, double time, int* wanted);

#ifdef __cplusplus
}
#endif

#endif
