// SPDX-License-Identifier: Apache-2.0
#include "convert.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <vector>
#include <weir/weir.hpp>

#include "base/config.hpp"
#include "base/text.hpp"
#include "copy.hpp"
#include "schema/types.hpp"

namespace weir::convert {

namespace {

namespace fs = std::filesystem;

// As the user has it; but a rank that is kept for serving would have no part of the values.
Config settle_configuration(const std::string& text) {
  setenv("WEIR_CONTROL", "hosted", 1);
  const char* given = text.empty() ? nullptr : text.c_str();
  Config config = load_config(given);
  if (config.strategy == StrategyKind::servers) {
    setenv("WEIR_STRATEGY", "remap", 1);
    config = load_config(given);
  }
  if (writes_parts(config)) throw std::runtime_error("weir-convert makes one file: give it a strategy that does");
  return config;
}

// Rank 0 looks, since the file that is made appears while others would still be looking.
void check_target(const bench::PlainRanks& ranks, const std::string& in, const std::string& out, bool overwrite) {
  int found[2] = {0, 0};
  std::error_code absent;
  if (ranks.rank == 0) {
    found[0] = fs::exists(fs::symlink_status(out, absent)) ? 1 : 0;
    found[1] = fs::equivalent(in, out, absent) ? 1 : 0;
  }
  if (ranks.size > 1) MPI_Bcast(found, 2, MPI_INT, 0, ranks.comm);
  if (found[1] != 0)
    throw std::runtime_error(formatted("{} is the input file: give another name for the output file", out));
  if (found[0] != 0 && !overwrite)
    throw std::runtime_error(formatted("{} exists already: give another name, or --overwrite to replace it", out));
}

// A classic file takes a single string, as its text.
void copy_texts(const io::File& in, io::File& out, int var, const std::string& name, bool has_strings) {
  const std::vector<std::string> texts = in.get_att_texts(var, name);
  if (has_strings || texts.size() != 1)
    out.put_att(var, name, texts);
  else
    out.put_att_text(var, name, texts[0]);
}

void copy_attributes(const io::File& in, io::File& out, int var, int count, int format) {
  for (int i = 0; i < count; ++i) {
    const std::string name = in.inq_attname(var, i);
    const auto [type, length] = in.inq_att(var, name);
    if (type == WEIR_STRING) {
      copy_texts(in, out, var, name, is_packed(format));
      continue;
    }
    std::vector<std::byte> values(static_cast<std::size_t>(length * type_bytes(type)));
    const int got = weir_get_att(in.handle(), var, name.c_str(), values.data());
    if (got != WEIR_OK) throw io::Error(got, weir_file_error(in.handle()));
    const int put = weir_put_att(out.handle(), var, name.c_str(), type, length, values.data());
    if (put != WEIR_OK) throw io::Error(put, weir_file_error(out.handle()));
  }
}

// A length of 0 would make a dimension unlimited. In a classic file only the record dimension is.
void define_dimensions(const io::File& in, io::File& out, int record_dim, int format) {
  const std::vector<int> unlimited = in.inq_unlimdims();
  const int count = in.inq().ndims;
  for (int dim = 0; dim < count; ++dim) {
    const auto [name, length] = in.inq_dim(dim);
    if (dim != record_dim && length == 0)
      throw std::runtime_error(formatted(
          "dimension \"{}\" has length 0 and is not the record dimension: Weir cannot write such a file", name));
    if (dim != record_dim && is_packed(format) && std::ranges::find(unlimited, dim) != unlimited.end())
      out.def_dim_unlimited(name, length);
    else
      out.def_dim(name, dim == record_dim ? WEIR_UNLIMITED : length);
  }
}

// What no file of Weir's holds is told, and not dropped without a word.
void tell_left_out(const std::string& path, const io::File& file) {
  for (const auto& [name, reason] : file.inq_left_out())
    std::fprintf(stderr, "weir-convert: %s: \"%s\" is left out: %s\n", path.c_str(), name.c_str(), reason.c_str());
}

class Conversion {
 public:
  Conversion(const bench::PlainRanks& ranks, const std::string& in, const std::string& out, const Options& options)
      : options_(options),
        config_(settle_configuration(options.config)),
        weir_(ranks.comm, options.config),
        ranks_{ranks.rank, ranks.size} {
    in_ = weir_.open(in, WEIR_NOWRITE);
    if (ranks.rank == 0) tell_left_out(in, in_);
    check_chunks(in);
    check_target(ranks, in, out, options.overwrite);
    out_ = weir_.create(out, options.format | (options.overwrite ? WEIR_CLOBBER : WEIR_NOCLOBBER));
  }

  void run() {
    try {
      define();
      copy();
    } catch (const std::exception& error) {
      // So that closing commits nothing.
      weir_fail(out_.handle(), WEIR_EIO, error.what());
      weir_close(out_.handle());
      throw;
    }
    out_.close();
    in_.close();
    weir_.finalize();
  }

 private:
  void check_chunks(const std::string& in) const {
    for (const auto& [name, length] : options_.chunks) {
      int dim = -1;
      if (weir_inq_dimid(in_.handle(), name.c_str(), &dim) != WEIR_OK)
        throw std::runtime_error(formatted("--chunks: {} has no dimension \"{}\"", in, name));
    }
  }

  void define() {
    const io::File::Summary all = in_.inq();
    define_dimensions(in_, out_, all.record_dim, options_.format);
    copy_attributes(in_, out_, WEIR_GLOBAL, all.natts, options_.format);
    for (int var = 0; var < all.nvars; ++var) {
      const io::File::Variable variable = in_.inq_var(var);
      out_.def_var(variable.name, variable.type, variable.dims);
      copy_attributes(in_, out_, var, variable.natts, options_.format);
      if (is_packed(options_.format) && !variable.dims.empty()) pack(var, variable.dims, all.record_dim);
    }
    // Everything is put; and each piece of a record would fill what the pieces before it have put.
    if (!is_packed(options_.format)) out_.set_fill(WEIR_NOFILL);
    out_.enddef();
  }

  // Along dimensions that were not named a chunk is whole, as long as one of them was.
  void pack(int var, const std::vector<int>& dims, int record_dim) {
    io::Indices chunk;
    bool named = false;
    for (const int dim : dims) {
      const auto [name, length] = in_.inq_dim(dim);
      const auto given = options_.chunks.find(name);
      named = named || given != options_.chunks.end();
      const bool records = dim == record_dim;
      const std::int64_t usual = records ? 1 : length;
      chunk.push_back(given == options_.chunks.end() ? usual
                      : records                      ? given->second
                                                     : std::min(given->second, length));
    }
    if (named) out_.def_var_chunking(var, chunk);
    if (options_.shuffle || options_.deflate >= 0)
      out_.def_var_deflate(var, options_.shuffle, options_.deflate >= 0, std::max(options_.deflate, 0));
    if (options_.zstd >= 0) out_.def_var_zstd(var, options_.zstd);
  }

  // A quarter of what Weir may hold: it has the values that were read and those to write besides.
  void copy() {
    Copier copier(in_, out_, ranks_, config_.buffer_limit_bytes / 4, !is_packed(options_.format));
    const int count = in_.inq().nvars;
    for (int var = 0; var < count; ++var) {
      if (options_.progress && ranks_.rank == 0)
        std::fprintf(stderr, "weir-convert: variable %d of %d, %s\n", var + 1, count, in_.inq_var(var).name.c_str());
      copier.copy(var);
    }
  }

  const Options& options_;
  Config config_;
  io::Weir weir_;
  Ranks ranks_;
  io::File in_, out_;
};

}  // namespace

bool is_packed(int format) {
  return format == WEIR_NETCDF4 || format == WEIR_ZARR;
}

void convert(const bench::PlainRanks& ranks, const std::string& in, const std::string& out, const Options& options) {
  Conversion(ranks, in, out, options).run();
}

}  // namespace weir::convert
