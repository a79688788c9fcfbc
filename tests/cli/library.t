# The public headers and what the shared library exports.
%needs ${CC:-cc} --version
$ headers=$(env -u MAKEFLAGS make -s -C "$BIPE_BUILDDIR" list-public-headers); cd "$BIPE_BUILDDIR" && mkdir -p "$OLDPWD/include" && cp --parents $headers "$OLDPWD/include" && cd "$OLDPWD" && echo "$headers" | tr ' ' '\n' >headers

# They include one another and the system's alone; each stands alone in C and C++.
$ while read -r h; do printf '#include <%s>\nint one_declaration;\n' "$h" | ${CC:-cc} -std=c11 -pedantic -Wall -Wextra -Werror -fsyntax-only -Iinclude -x c - || echo "$h"; done <headers
%when c++ --version
$ while read -r h; do printf '#include <%s>\n' "$h" | c++ -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only -Iinclude -x c++ - || echo "$h"; done <headers

# All macros are BIPE_'s, but for those of the system.
$ echo '#include <bipe/bipe.h>' | ${CC:-cc} -Iinclude -E -dD -x c - | "$PERL" -ne '$ours = $1 =~ m{/?bipe/} if /^# \d+ "(.*?)"/; print "$1\n" if $ours && /^#define (?!BIPE_)(\w+)/'

# The library exports what they declare, all of it and nothing else.
%when nm --version
$ nm -D --defined-only "$BIPE_BUILDDIR/.libs/libbipe.so" | awk '{ print $3 }' | LC_ALL=C sort | diff "$BIPE_BUILDDIR/libbipe.sym" -
