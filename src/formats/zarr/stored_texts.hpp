// SPDX-License-Identifier: Apache-2.0
// Reads the strings of an array of a Zarr folder: UTF-8 preceded by its length (the codec vlen-utf8), code points of
// four bytes, or bytes; strings of one length are padded with zeros. Source: zarr-python 3.1, since there is no
// specification. Local.
#pragma once

#include <cstdint>
#include <string>

#include "formats/stored_array.hpp"
#include "schema/text_list.hpp"
#include "storage/identity.hpp"

namespace weir {

// How strings are stored.
enum class TextForm : std::uint8_t { lengths_before, code_points, bytes };
constexpr int utf32_bytes = 4;

// The folder, and the identity that it must have.
struct OpenedFolder {
  const std::string& path;
  const FileIdentity& identity;
};

// How an array stores its strings.
struct ZarrStrings {
  TextForm form = TextForm::lengths_before;
  std::int64_t element_bytes = 1;  // of strings of one length
  std::string fill;                // of what no rank wrote
};

// Reads all strings, and fill values beyond them up to `lengths`, of which only the first may be larger than the
// array's. Takes no more memory than texts of most_text_bytes and one chunk, and no more time than four times as many
// elements as such texts can have.
// Errors: WEIR_EFORMAT, with why the variable is left out in words that follow "but"; WEIR_EIO if the folder is not the
// one that was opened.
FixedTexts read_texts(const OpenedFolder& folder, const StoredArray& array, const ZarrStrings& texts,
                      const Shape& lengths);

}  // namespace weir
