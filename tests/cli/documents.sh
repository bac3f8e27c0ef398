#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The documents say what is: README's examples are the files under examples/, the table of keys is what weir-bench --keys
# prints, the table of strategies has every strategy, links lead somewhere, and README, sentences and paragraphs are short.
set -eu
cd "$WEIR_SOURCE_DIR"

fail() {
  echo "documents: $1" >&2
  exit 1
}

# block FILE LANGUAGE: the first fenced block of that language in FILE.
block() {
  awk -v fence="\`\`\`$2" '$0 == fence { inside = 1; next } inside && /^```/ { exit } inside' "$1"
}

# An example is shown without its licence line.
for shown in README.md:hello.f90:fortran docs/first_program.md:hello.f90:fortran docs/first_program.md:hello.c:c; do
  IFS=: read -r page file language <<<"$shown"
  diff <(tail -n +2 "examples/$file") <(block "$page" "$language") || fail "$page does not show examples/$file as it is"
done

diff <(tail -n +2 examples/python/hello.py) <(block docs/python.md python) ||
  fail "docs/python.md does not show examples/python/hello.py as it is"

bench=$WEIR_BUILD_DIR/bin/weir-bench
if [[ -x $bench ]]; then
  "$WEIR_SOURCE_DIR/tools/launch" -n 1 -- "$bench" --keys >"$TMPDIR/keys"
  (($(wc -l <"$TMPDIR/keys") > 10)) || fail "weir-bench --keys names $(wc -l <"$TMPDIR/keys") keys"
  diff "$TMPDIR/keys" <(block docs/configuration.md text) || fail "docs/configuration.md differs from weir-bench --keys"
  strategies=$(sed -n 's/^strategy .*allowed: \(.*\)\]$/\1/p' "$TMPDIR/keys" | tr -d ,)
  for strategy in $strategies; do
    grep -qE "^\| .*\`$strategy\`" docs/strategies.md || fail "docs/strategies.md lacks $strategy"
  done
fi

(($(wc -w <README.md) < 900)) || fail "README.md has 900 words or more"

# A limit on a page's lines makes lines long and sentences dense, so a page may be as long as it needs, and what a reader has
# to keep in mind at once is short: a sentence (up to a full stop, a colon or a semicolon) and a paragraph (or a point of a
# list). Tables, listings and drawings are not read as sentences.
long=$(for page in docs/*.md docs/decisions/*.md; do
  awk -v page="$page" -v most_in_sentence=40 -v most_in_paragraph=155 '
    function words(text, parts) { return split(text, parts, " ") }
    function look(  sentences, count, i) {
      if (words(paragraph) > most_in_paragraph) print page ":" first ": a paragraph of " words(paragraph) " words"
      gsub(/\]\([^)]*\)/, "]", paragraph)
      gsub(/`[^`]*`/, "code", paragraph)
      count = split(paragraph, sentences, /[.:;!?][)"*]* /)
      for (i = 1; i <= count; ++i)
        if (words(sentences[i]) > most_in_sentence)
          print page ":" first ": a sentence of " words(sentences[i]) " words: " substr(sentences[i], 1, 60)
      paragraph = ""
    }
    /^```/ { look(); fenced = !fenced; next }
    fenced || /^    [^ ]/ && paragraph == "" { next }
    /^$|^[|#<]|^!\[/ { look(); next }
    /^ *([-*]|[0-9]+\.) / { look() }
    { if (paragraph == "") first = FNR; paragraph = paragraph " " $0 }
    END { look() }' "$page"
done)
[[ -z $long ]] || fail "divide these: $long"

# Links to files of the tree, as [words](path) or [words](path#place).
while IFS=: read -r document link; do
  target=$(dirname "$document")/${link%%#*}
  [[ -e $target ]] || fail "$document links to $link, which is not there"
done < <(git ls-files --cached --others --exclude-standard '*.md' | while read -r document; do
  grep -oE '\]\([^)#:]+[^):]*\)' "$document" | sed "s|^](|$document:|; s|)\$||" || true
done)
