// SPDX-License-Identifier: Apache-2.0
// ranks: 3
// timeout: 240
// Every pair of collective calls of weir.h, one on rank 0 and the other on the rest: the same sentence on all ranks,
// which names both. The calls are those of weir.h's own text. Ranks that part would wait until `timeout`, and say so.
#include <cstdlib>
#include <functional>

#include "faults/faults.hpp"

namespace faults {
namespace {

class CallPairs : public FaultTest {
 protected:
  // A file with a committed record, another one to be committed with it, one whose definitions are open, and one to
  // read: ranks read a classic file while they write it, and other formats once they are closed.
  void begin_job(const std::string& strategy) {
    start("timeout: 20\nstrategy: " + strategy + "\n");
    file_ = begin("file.nc", mode_ | WEIR_CLOBBER);
    second_ = begin("second.nc", mode_ | WEIR_CLOBBER);
    EXPECT_EQ(put_field(file_, 0), WEIR_OK) << weir_error(weir_);
    EXPECT_EQ(weir_sync(file_), WEIR_OK) << weir_error(weir_);
    open_definitions_ = create("defining.nc", mode_ | WEIR_CLOBBER);
    define(open_definitions_);
    other_rows_ = layout_of(2 * rank_, 2);
    to_read_ = file_;
    if (mode_ != 0) {
      EXPECT_EQ(weir_open(weir_, path("old.nc").c_str(), WEIR_NOWRITE, &to_read_), WEIR_OK) << weir_error(weir_);
    }
  }
  int mode_ = 0;
  weir_file *file_ = nullptr, *second_ = nullptr, *open_definitions_ = nullptr, *to_read_ = nullptr;
  int other_rows_ = -1;

 public:
  // The calls that meet. Each makes its own, of good arguments.
  struct Call {
    const char* name;                // in weir.h
    std::vector<const char*> words;  // one of which a sentence has that names it
    std::function<int(CallPairs&)> make;
    const char* point = nullptr;  // calls of one point go well together, by design
  };
  static const std::vector<Call> calls;
  void expect_same_of(const Call& on_0, const Call& on_rest, const std::string& strategy);
  void expect_same_of_all(int mode, const std::set<std::string>& chosen);
  static std::set<std::string> collective_calls_of_the_header();

  int with_layout(int (*make)(CallPairs&, const std::int64_t*, const std::int64_t*, const std::int64_t*)) {
    const std::int64_t shape[] = {2 * ranks_, 6}, at[] = {2 * rank_, 0}, count[] = {2, 6};
    return make(*this, shape, at, count);
  }
  int layout_ = -1;
};

// Ranks may hold different kinds of layout: the three are one call of all ranks.
constexpr const char* layouts = "layouts";
// weir_finalize closes what is open, the oldest file first.
constexpr const char* closing = "closing";

const std::vector<CallPairs::Call> CallPairs::calls{
    {"weir_finalize", {"weir_finalize", "weir_close"}, [](CallPairs& t) { return weir_finalize(&t.weir_); }, closing},
    {"weir_report",
     {"weir_report"},
     [](CallPairs& t) {
       const char* json = nullptr;
       return weir_report(t.weir_, &json);
     }},
    {"weir_create",
     {"weir_create of"},
     [](CallPairs& t) {
       weir_file* made = nullptr;
       return weir_create(t.weir_, t.path("new.nc").c_str(), t.mode_, &made);
     }},
    {"weir_open",
     {"weir_open of"},
     [](CallPairs& t) {
       weir_file* opened = nullptr;
       return weir_open(t.weir_, t.path("old.nc").c_str(), WEIR_NOWRITE, &opened);
     }},
    {"weir_enddef", {"weir_enddef of"}, [](CallPairs& t) { return weir_enddef(t.open_definitions_); }},
    {"weir_redef", {"weir_redef of"}, [](CallPairs& t) { return weir_redef(t.file_); }},
    {"weir_sync", {"weir_sync of"}, [](CallPairs& t) { return weir_sync(t.file_); }},
    {"weir_sync_all", {"weir_sync_all of"}, [](CallPairs& t) { return weir_sync_all(t.weir_); }},
    {"weir_close", {"weir_close of"}, [](CallPairs& t) { return weir_close(t.file_); }, closing},
    {"weir_def_layout",
     {"weir_def_layout of"},
     [](CallPairs& t) {
       return t.with_layout([](CallPairs& own, const auto* shape, const auto* at, const auto* count) {
         return weir_def_layout(own.weir_, 2, shape, 1, at, count, nullptr, &own.layout_);
       });
     },
     layouts},
    {"weir_def_layout_subarray",
     {"weir_def_layout of"},
     [](CallPairs& t) {
       return t.with_layout([](CallPairs& own, const auto* shape, const auto* at, const auto* count) {
         const std::int64_t begin[] = {0, 0};
         return weir_def_layout_subarray(own.weir_, 2, shape, at, count, nullptr, count, begin, &own.layout_);
       });
     },
     layouts},
    {"weir_def_layout_map",
     {"weir_def_layout of"},
     [](CallPairs& t) {
       return t.with_layout([](CallPairs& own, const auto* shape, const auto* at, const auto*) {
         return weir_def_layout_map(own.weir_, 2, shape, 1, std::vector<std::int64_t>{at[0] * 6}.data(), &own.layout_);
       });
     },
     layouts},
    {"weir_free_layout",
     {"weir_free_layout of"},
     [](CallPairs& t) { return weir_free_layout(t.weir_, t.other_rows_); }},
    {"weir_put", {"put of \"temp\""}, [](CallPairs& t) { return t.put_field(t.file_, 1); }},
    {"weir_put_vara",
     {"put_vara of \"temp\"", "put of \"temp\""},
     [](CallPairs& t) {
       const std::int64_t at[] = {2, 2 * t.rank_, 0}, count[] = {1, 2, 6};
       return weir_put_vara(t.file_, t.temp_, at, count, WEIR_FLOAT, t.field(2).data());
     }},
    {"weir_put_var",
     {"put of \"step\""},
     [](CallPairs& t) {
       const int step = 7;
       return weir_put_var(t.file_, t.step_, 0, WEIR_INT, &step);
     }},
    {"weir_plan",
     {"weir_plan of \"mask\"", "put of \"mask\""},
     [](CallPairs& t) {
       const char* json = nullptr;
       return weir_plan(t.file_, t.mask_, t.rows_, &json);
     }},
    {"weir_get",
     {"weir_get of"},
     [](CallPairs& t) {
       std::vector<float> values(12);
       return weir_get(t.to_read_, t.temp_, 0, t.rows_, WEIR_FLOAT, values.data());
     }},
    {"weir_prefetch",
     {"weir_prefetch from"},
     [](CallPairs& t) { return weir_prefetch(t.to_read_, 1, &t.temp_, 0, t.rows_); }},
    {"weir_get_vara_all",
     {"weir_get_vara_all of"},
     [](CallPairs& t) {
       std::vector<float> values(12);
       const std::int64_t at[] = {0, 2 * t.rank_, 0}, count[] = {1, 2, 6};
       return weir_get_vara_all(t.to_read_, t.temp_, at, count, WEIR_FLOAT, values.data());
     }},
};

// weir_init is over the caller's communicator, where no Weir is yet that could meet another call. weir_open_at meets as
// weir_open does. The calls of streams but weir_start_streams wait for no rank, and meet in the puts that they lead to
// (tests/streams).
const std::set<std::string> calls_without_a_pair{
    "weir_init",      "weir_open_at",       "weir_def_field", "weir_put_field_att", "weir_put_field_att_text",
    "weir_set_field", "weir_start_streams", "weir_send"};

bool names(const std::string& sentence, const std::vector<const char*>& words) {
  return std::ranges::any_of(words, [&](const char* word) { return sentence.find(word) != std::string::npos; });
}

// A put need not meet. It shows at the commit that follows, where the call has not closed the file.
void CallPairs::expect_same_of(const Call& on_0, const Call& on_rest, const std::string& strategy) {
  SCOPED_TRACE(std::string(on_0.name) + " on rank 0, " + on_rest.name + " on the rest, strategy " + strategy);
  begin_job(strategy);
  const Call& mine = rank_ == 0 ? on_0 : on_rest;
  const auto outcome_of = [&](int code) {
    return Outcome{code, code == WEIR_OK ? "" : weir_ ? weir_error(weir_) : weir_init_error()};
  };
  Outcome outcome = outcome_of(mine.make(*this));
  if (outcome.code == WEIR_OK && mine.point != closing) outcome = outcome_of(weir_sync(file_));
  end();  // before they are compared: a rank in weir_finalize waits for the others
  if (on_0.point && on_0.point == on_rest.point) {
    expect_same(outcome, WEIR_OK, {});
  } else {
    expect_same(outcome, WEIR_EMISMATCH, {});
    EXPECT_TRUE(names(outcome.message, on_0.words)) << on_0.name << " is not named: " << outcome.message;
    EXPECT_TRUE(names(outcome.message, on_rest.words)) << on_rest.name << " is not named: " << outcome.message;
  }
}

// PAIRS_STRATEGY: with another strategy than remap. PAIRS_ALL: all pairs in every format.
void CallPairs::expect_same_of_all(int mode, const std::set<std::string>& chosen) {
  mode_ = mode;
  start();
  weir_file* old = begin("old.nc", mode_ | WEIR_CLOBBER);
  EXPECT_EQ(put_field(old, 0), WEIR_OK) << weir_error(weir_);
  EXPECT_EQ(weir_close(old), WEIR_OK) << weir_error(weir_);
  end();
  const char* strategy = std::getenv("PAIRS_STRATEGY");
  const bool all = chosen.empty() || std::getenv("PAIRS_ALL");
  // Zarr folders are not committed as one, whatever other ranks call.
  const auto may_pair = [this](const Call& call) {
    return mode_ != WEIR_ZARR || call.name != std::string_view("weir_sync_all");
  };
  for (const Call& on_0 : calls)
    for (const Call& on_rest : calls)
      if (&on_0 != &on_rest && may_pair(on_0) && may_pair(on_rest) &&
          (all || (chosen.contains(on_0.name) && chosen.contains(on_rest.name))))
        expect_same_of(on_0, on_rest, strategy ? strategy : "remap");
}

TEST_F(CallPairs, OfAClassicFileEndInTheSameSentence) {
  expect_same_of_all(0, {});
}

// Formats differ in how a file is made, committed and read.
TEST_F(CallPairs, OfANetcdf4FileEndInTheSameSentence) {
  expect_same_of_all(WEIR_NETCDF4, {"weir_enddef", "weir_sync", "weir_sync_all", "weir_close", "weir_get"});
}

TEST_F(CallPairs, OfAZarrFolderEndInTheSameSentence) {
  expect_same_of_all(WEIR_ZARR, {"weir_enddef", "weir_sync", "weir_redef", "weir_close", "weir_prefetch"});
}

// Definitions do not meet: weir_enddef compares them, and names what they have made.
struct Definition {
  const char* name;
  std::function<int(weir_file*, int dim, int var)> make;
};
const std::vector<Definition> definitions{
    {"weir_def_dim", [](weir_file* f, int dim, int) { return weir_def_dim(f, "z", 9, &dim); }},
    {"weir_def_dim_unlimited", [](weir_file* f, int dim, int) { return weir_def_dim_unlimited(f, "u", 9, &dim); }},
    {"weir_extend_dim", [](weir_file* f, int dim, int) { return weir_extend_dim(f, dim, 12); }},
    {"weir_def_var", [](weir_file* f, int dim, int var) { return weir_def_var(f, "v", WEIR_INT, 1, &dim, &var); }},
    {"weir_put_att",
     [](weir_file* f, int, int var) {
       const double scale = 2;
       return weir_put_att(f, var, "scale", WEIR_DOUBLE, 1, &scale);
     }},
    {"weir_put_att_text", [](weir_file* f, int, int var) { return weir_put_att_text(f, var, "units", "K"); }},
    {"weir_def_var_chunking",
     [](weir_file* f, int, int var) {
       const std::int64_t chunks[] = {2};
       return weir_def_var_chunking(f, var, WEIR_CHUNKED, chunks);
     }},
    {"weir_def_var_deflate", [](weir_file* f, int, int var) { return weir_def_var_deflate(f, var, 1, 1, 2); }},
    {"weir_def_var_zstd", [](weir_file* f, int, int var) { return weir_def_var_zstd(f, var, 3); }},
    {"weir_def_var_fletcher32", [](weir_file* f, int, int var) { return weir_def_var_fletcher32(f, var, 1); }},
    {"weir_def_var_quantize",
     [](weir_file* f, int, int var) { return weir_def_var_quantize(f, var, WEIR_QUANTIZE_BITROUND, 5); }},
    {"weir_set_fill", [](weir_file* f, int, int) { return weir_set_fill(f, WEIR_NOFILL); }},
    {"weir_set_alignment", [](weir_file* f, int, int) { return weir_set_alignment(f, 4096, 512, 1024); }},
};

TEST_F(CallPairs, OfDefinitionsEndInTheSameSentenceAtEnddef) {
  start("timeout: 20\nstrategy: remap\n");
  for (const Definition& on_0 : definitions)
    for (const Definition& on_rest : definitions) {
      if (&on_0 == &on_rest) continue;
      SCOPED_TRACE(std::string(on_0.name) + " on rank 0, " + on_rest.name + " on the rest");
      weir_file* file = create("defining.zarr", WEIR_ZARR | WEIR_CLOBBER);
      int dim = -1, var = -1;
      EXPECT_EQ(weir_def_dim_unlimited(file, "n", 8, &dim), WEIR_OK) << weir_file_error(file);
      EXPECT_EQ(weir_def_var(file, "temp", WEIR_FLOAT, 1, &dim, &var), WEIR_OK) << weir_file_error(file);
      EXPECT_EQ((rank_ == 0 ? on_0 : on_rest).make(file, dim, var), WEIR_OK) << weir_file_error(file);
      expect_same(first_error([&] { return weir_enddef(file); }), WEIR_EMISMATCH, {"defining.zarr"});
      weir_close(file);
    }
}

// The functions of weir.h that are not local by its own words.
std::set<std::string> CallPairs::collective_calls_of_the_header() {
  const char* tree = std::getenv("WEIR_SOURCE_DIR");
  const std::string text = contents(std::string(tree ? tree : ".") + "/include/weir/weir.h");
  static const std::regex part(R"(/\*[\s\S]*?\*/|\n(?:int|const char\*) (weir_\w+)\()");
  std::set<std::string> found;
  std::string section, comment;
  for (std::sregex_iterator at(text.begin(), text.end(), part), end; at != end; ++at) {
    const std::string word = at->str();
    const bool is_comment = word.starts_with("/*");
    if (is_comment) comment = word;
    if (word.starts_with("/* ----")) section = word;
    const bool local = comment.find("Local") != std::string::npos || section.find("(local)") != std::string::npos;
    if (!is_comment && !local) found.insert((*at)[1]);
  }
  return found;
}

TEST_F(CallPairs, AreOfAllCallsOfTheHeader) {
  std::set<std::string> tested = calls_without_a_pair;
  for (const Call& call : calls) tested.insert(call.name);
  for (const Definition& definition : definitions) tested.insert(definition.name);
  EXPECT_EQ(tested, collective_calls_of_the_header());
}

}  // namespace
}  // namespace faults
