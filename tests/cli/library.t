# The public headers and what the shared library exports.
%needs ${CC:-cc} --version
$ cp -r "$BIPE_SRCDIR/src/include" include && (cd include && ls bipe/*.h) >headers

# They include one another and the system's alone; each stands alone in C and C++.
$ while read -r h; do printf '#include <%s>\nint one_declaration;\n' "$h" | ${CC:-cc} -std=c11 -pedantic -Wall -Wextra -Werror -fsyntax-only -Iinclude -x c - || echo "$h"; done <headers
%when c++ --version
$ while read -r h; do printf '#include <%s>\n' "$h" | c++ -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only -Iinclude -x c++ - || echo "$h"; done <headers

# All macros are BIPE_'s, but for those of the system.
$ echo '#include <bipe/bipe.h>' | ${CC:-cc} -Iinclude -E -dD -x c - | "$PERL" -ne '$ours = $1 =~ m{/?bipe/} if /^# \d+ "(.*?)"/; print "$1\n" if $ours && /^#define (?!BIPE_)(\w+)/'

# The library exports what they declare, all of it and nothing else.
%when nm --version
$ "$PERL" -0777 -ne 's{/\*.*?\*/}{}gs; s/static inline[^{]*//g; print "$_\n" for /\b(bipe_\w+)(?:\(|\[\])/g' include/bipe/*.h | LC_ALL=C sort -u >declared
$ nm -D --defined-only "$BIPE_BUILDDIR/.libs/libbipe.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort | diff declared -
