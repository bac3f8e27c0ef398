// SPDX-License-Identifier: Apache-2.0
// The strings of an array of a Zarr folder: UTF-8 preceded by its length (the codec vlen-utf8), code points of four
// bytes, or bytes; those of one length are padded with zeros. Source: zarr-python 3.1, for want of a specification.
// Local.
#pragma once

#include <cstdint>
#include <string>

#include "formats/stored_array.hpp"
#include "schema/text_list.hpp"
#include "storage/identity.hpp"

namespace weir {

enum class TextForm : std::uint8_t { lengths_before, code_points, bytes };
constexpr int utf32_bytes = 4;

struct OpenedFolder {
  const std::string& path;
  const FileIdentity& identity;
};

struct ZarrStrings {
  TextForm form = TextForm::lengths_before;
  std::int64_t element_bytes = 1;  // of those of one length
  std::string fill;                // of what no rank wrote
};

// All of them, and fill values beyond them up to these lengths, of which only the first may be more than the array's.
// No more is taken than texts of most_text_bytes and one chunk take, and no more done than for four times as many
// elements as such texts may be. Throws Error: WEIR_EFORMAT with why they are left out, in words that follow "but";
// WEIR_EIO where the folder is not the one that was opened.
FixedTexts read_texts(const OpenedFolder& folder, const StoredArray& array, const ZarrStrings& texts,
                      const Shape& lengths);

}  // namespace weir
