/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that are drawn by the seed, by netCDF's or PnetCDF's calls: ranks put parts of several records in a call, by
 * themselves or together, over other values and beside none, with syncs, new definitions and new openings between. Each
 * rank draws all ranks' calls, and so knows what is to be in the file. Within a call no element is put twice.
 * Usage: PROGRAM FIRST_SEED SEEDS. */
#include "../reports/report.h"

enum { VARS = 3, RECORDS = 5, MOST_ROWS = 3, MOST_WIDTH = 12, MOST = MOST_ROWS * MOST_WIDTH, MOST_RANKS = 16 };

#ifdef DOOR_NETCDF
typedef size_t Index;
typedef ptrdiff_t Stride;
static const char* const path = "random4.nc";
#else
typedef MPI_Offset Index;
typedef MPI_Offset Stride;
static const char* const path = "random5.nc";
#endif

static uint64_t state;
static int draw(int below) { /* splitmix64 */
  uint64_t z = (state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (int)((z ^ (z >> 31)) % (uint64_t)below);
}

static struct variable {
  int id, record, rows;
  int wanted[RECORDS][MOST], known[RECORDS][MOST];
} vars[VARS];
static int width, var_count, records, value, file, steps;
static int alone; /* who has put by itself since all ranks met, or -1 */

/* A rank's part of a call: records, rows and columns with a step; nothing where no record is put. */
struct part {
  int record, records, row, rows, column, columns, step;
};

static int is_empty(const struct part* part) {
  return part->records == 0 || part->columns == 0;
}

/* Whom a part leaves room for: the columns are divided, or each rank has a record of its own. */
static void draw_parts(const struct variable* var, struct part* parts) {
  int cut[MOST_RANKS + 1] = {0};
  const int by_record = var->record && ranks <= RECORDS && draw(4) == 0, first_rank = draw(ranks);
  const int several = draw(2), most_records = var->record ? RECORDS : 1;
  for (int r = 1; r < ranks; ++r) cut[r] = draw(width + 1);
  for (int i = 1; i < ranks; ++i)
    for (int j = i; j > 1 && cut[j - 1] > cut[j]; --j) {
      const int swapped = cut[j];
      cut[j] = cut[j - 1], cut[j - 1] = swapped;
    }
  cut[ranks] = width;
  const int common = draw(most_records), common_count = 1 + draw(most_records - common);
  for (int r = 0; r < ranks; ++r) {
    struct part* part = &parts[r];
    const int begin_at = by_record ? 0 : cut[r], end_at = by_record ? width : cut[r + 1], whole = draw(3);
    part->record = by_record ? (first_rank + r) % RECORDS : several ? draw(most_records) : common;
    part->records = by_record ? 1 : several ? 1 + draw(most_records - part->record) : common_count;
    part->row = whole ? 0 : draw(var->rows);
    part->rows = whole ? var->rows : 1 + draw(var->rows - part->row);
    part->step = end_at - begin_at > 2 && draw(5) == 0 ? 2 : 1;
    part->column = begin_at;
    part->columns = (end_at - begin_at + part->step - 1) / part->step;
    if (whole == 1 && part->columns > 1) part->column += part->step, --part->columns;
    if (draw(5) == 0) part->records = 0;
  }
}

/* The values of a part, which are what is to be there from now on. */
static int values_of(struct variable* var, const struct part* part, int* buffer) {
  int count = 0;
  for (int t = part->record; t < part->record + part->records; ++t)
    for (int y = part->row; y < part->row + part->rows; ++y)
      for (int i = 0; i < part->columns; ++i) {
        const int at = y * width + part->column + i * part->step;
        var->wanted[t][at] = buffer[count++] = ++value;
        var->known[t][at] = 1;
      }
  if (count > 0 && var->record && records < part->record + part->records) records = part->record + part->records;
  return count;
}

static void place(const struct variable* var, const struct part* part, Index* start, Index* count, Stride* stride) {
  int d = 0;
  if (var->record) start[0] = (Index)part->record, count[0] = (Index)part->records, stride[0] = 1, d = 1;
  start[d] = (Index)part->row, count[d] = (Index)part->rows, stride[d] = 1;
  start[d + 1] = (Index)part->column, count[d + 1] = (Index)part->columns, stride[d + 1] = part->step;
  if (!is_empty(part)) return;
  for (int i = 0; i < d + 2; ++i) start[i] = 0, count[i] = 0, stride[i] = 1;
}

static int own_buffer[RECORDS * MOST], other_buffer[RECORDS * MOST];

static void put_together(void) {
  struct part parts[MOST_RANKS];
  struct variable* var = &vars[draw(var_count)];
  Index start[3], count[3];
  Stride stride[3];
  alone = -1;
  draw_parts(var, parts);
  for (int r = 0; r < ranks; ++r)
    if (!is_empty(&parts[r])) values_of(var, &parts[r], r == rank ? own_buffer : other_buffer);
  place(var, &parts[rank], start, count, stride);
#ifdef DOOR_NETCDF
  CK(nc_var_par_access(file, var->id, NC_COLLECTIVE));
  CK(nc_put_vars_int(file, var->id, start, count, stride, own_buffer));
#else
  if (draw(3)) {
    CK(ncmpi_put_vars_int_all(file, var->id, start, count, stride, own_buffer));
  } else {
    int request = NC_REQ_NULL, status = 0;
    CK(ncmpi_iput_vars_int(file, var->id, start, count, stride, own_buffer, &request));
    CK(ncmpi_wait_all(file, 1, &request, &status));
    expect(status == 0, "a request: %d", status);
  }
#endif
}

/* One rank by itself, into records that are there. Of two ranks that put by themselves none is the later one: until all
 * ranks meet, one of them does. */
static void put_alone(void) {
  struct part parts[MOST_RANKS];
  struct variable* var = &vars[draw(var_count)];
  const int who = draw(ranks);
  Index start[3], count[3];
  Stride stride[3];
  draw_parts(var, parts);
  if (is_empty(&parts[who]) || (var->record && parts[who].record + parts[who].records > records)) return;
  if (alone >= 0 && alone != who) return;
  alone = who;
  values_of(var, &parts[who], own_buffer);
  place(var, &parts[who], start, count, stride);
#ifdef DOOR_NETCDF
  CK(nc_var_par_access(file, var->id, NC_INDEPENDENT));
  if (rank == who) CK(nc_put_vars_int(file, var->id, start, count, stride, own_buffer));
#else
  CK(ncmpi_begin_indep_data(file));
  if (rank == who) CK(ncmpi_put_vars_int(file, var->id, start, count, stride, own_buffer));
  CK(ncmpi_end_indep_data(file));
#endif
}

static void define_more(void) {
  char name[24];
  snprintf(name, sizeof name, "step%d", ++steps);
#ifdef DOOR_NETCDF
  CK(nc_redef(file));
  CK(nc_put_att_int(file, NC_GLOBAL, name, NC_INT, 1, &steps));
  CK(nc_enddef(file));
#else
  CK(ncmpi_redef(file));
  CK(ncmpi_put_att_int(file, NC_GLOBAL, name, NC_INT, 1, &steps));
  CK(ncmpi_enddef(file));
#endif
}

static void create(void) {
  int t, y[MOST_ROWS + 1], x, dims[3];
  char name[24];
#ifdef DOOR_NETCDF
  CK(nc_create_par(path, NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
#define DEF_DIM nc_def_dim
#define DEF_VAR nc_def_var
#define END_DEF nc_enddef
#else
  CK(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
#define DEF_DIM ncmpi_def_dim
#define DEF_VAR ncmpi_def_var
#define END_DEF ncmpi_enddef
#endif
  CK(DEF_DIM(file, "t", NC_UNLIMITED, &t));
  CK(DEF_DIM(file, "x", width, &x));
  for (int rows = 1; rows <= MOST_ROWS; ++rows) {
    snprintf(name, sizeof name, "y%d", rows);
    CK(DEF_DIM(file, name, rows, &y[rows]));
  }
  for (int v = 0; v < var_count; ++v) {
    int ndims = 0;
    if (vars[v].record) dims[ndims++] = t;
    dims[ndims++] = y[vars[v].rows], dims[ndims++] = x;
    snprintf(name, sizeof name, "v%d", v);
    CK(DEF_VAR(file, name, NC_INT, ndims, dims, &vars[v].id));
  }
  CK(END_DEF(file));
}

static void open_again(void) {
#ifdef DOOR_NETCDF
  CK(nc_close(file));
  CK(nc_open_par(path, NC_WRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
#else
  CK(ncmpi_close(file));
  CK(ncmpi_open(MPI_COMM_WORLD, path, NC_WRITE, MPI_INFO_NULL, &file));
#endif
}

static void sync_file(void) {
#ifdef DOOR_NETCDF
  CK(nc_sync(file));
#else
  CK(ncmpi_sync(file));
#endif
}

/* What nobody has put is the fill value under netCDF, and anything under PnetCDF, which does not fill. */
static void compare(int seed) {
#ifdef DOOR_NETCDF
  if (rank == 0) {
    CK(nc_open(path, NC_NOWRITE, &file));
#else
  CK(ncmpi_open(MPI_COMM_WORLD, path, NC_NOWRITE, MPI_INFO_NULL, &file));
  {
#endif
    for (int v = 0; v < var_count; ++v) {
      struct variable* var = &vars[v];
      const struct part all = {0, var->record ? records : 1, 0, var->rows, 0, width, 1};
      Index start[3], count[3];
      Stride stride[3];
      if (is_empty(&all)) continue;
      place(var, &all, start, count, stride);
#ifdef DOOR_NETCDF
      CK(nc_get_vara_int(file, var->id, start, count, own_buffer));
#else
      CK(ncmpi_get_vara_int_all(file, var->id, start, count, own_buffer));
#endif
      for (int t = 0, i = 0; t < all.records; ++t)
        for (int at = 0; at < var->rows * width; ++at, ++i) {
#ifdef DOOR_NETCDF
          const int wanted = var->known[t][at] ? var->wanted[t][at] : NC_FILL_INT;
#else
          const int wanted = var->known[t][at] ? var->wanted[t][at] : own_buffer[i];
#endif
          expect(own_buffer[i] == wanted, "seed %d: v%d, record %d, element %d: %d, not %d", seed, v, t, at,
                 own_buffer[i], wanted);
        }
    }
#ifdef DOOR_NETCDF
    CK(nc_close(file));
  }
  MPI_Barrier(MPI_COMM_WORLD);
#else
    CK(ncmpi_close(file));
  }
#endif
}

static void run(int seed) {
  state = (uint64_t)seed;
  memset(vars, 0, sizeof vars);
  records = 0, steps = 0, alone = -1;
  value = 1000;
  width = 2 + draw(MOST_WIDTH - 1);
  var_count = 1 + draw(VARS);
  for (int v = 0; v < var_count; ++v) vars[v].record = draw(4) > 0, vars[v].rows = 1 + draw(MOST_ROWS);
  create();
  for (int calls = 2 + draw(9); calls > 0; --calls) switch (draw(10)) {
      case 0:
        put_alone();
        break;
      case 1:
        sync_file();
        break;
      case 2:
        draw(3) ? (void)0 : define_more();
        break;
      case 3:
        draw(3) ? (void)0 : open_again();
        break;
      default:
        put_together();
    }
#ifdef DOOR_NETCDF
  CK(nc_close(file));
#else
  CK(ncmpi_close(file));
#endif
  compare(seed);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int first = argc > 1 ? atoi(argv[1]) : 1, seeds = argc > 2 ? atoi(argv[2]) : 10;
  for (int seed = first; seed < first + seeds; ++seed) {
    const int before = failures;
    run(seed);
    if (failures > before) fprintf(stderr, "rank %d: seed %d failed on %d ranks\n", rank, seed, ranks);
  }
  return end();
}
