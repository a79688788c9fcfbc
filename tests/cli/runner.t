# The runner of transcripts itself.
$ cat >good.t <<'X'
> # A remark.
> $ printf 'a\n\n$ b\n...\n\n'; echo e >&2; exit 3
> a
> 
> \$ b
> \...
> \
> ! e
> ? 3
>
> $ printf 'x\ny'
> x
> y
> \no newline
> $ printf '%s\n' 1 2 3 4
> 1
> ...
> 4
> %when false
> $ echo never
> X
$ "$PERL" "$BIPE_SRCDIR/tests/run-transcripts" good.t
good.t:20: left out: 'false' does not hold
good.t: 3 commands, 0 with a difference

# A transcript that lies fails, one that does not passes.
$ printf '$ echo a\nb\n$ exit 2\n$ echo e >&2\n$ kill -9 $$\n? signal 9\n' >bad.t
$ "$PERL" "$BIPE_SRCDIR/tests/run-transcripts" bad.t
bad.t:1: $ echo a
--- wanted
+++ found
@@ -1 +1 @@
-b
+a
bad.t:3: $ exit 2
--- wanted
+++ found
@@ -0,0 +1 @@
+? 2
bad.t:4: $ echo e >&2
--- wanted
+++ found
@@ -0,0 +1 @@
+! e
bad.t: 4 commands, 3 with a difference
? 1

$ cp bad.t new.t && "$PERL" "$BIPE_SRCDIR/tests/run-transcripts" --renew new.t && cat new.t
new.t: renewed
new.t: 4 commands, 3 with a difference
\$ echo a
a
\$ exit 2
\? 2
\$ echo e >&2
\! e
\$ kill -9 $$
\? signal 9

$ "$PERL" "$BIPE_SRCDIR/tests/run-transcripts" new.t
new.t: 4 commands, 0 with a difference

$ printf '# nothing to run\n' >none.t; "$PERL" "$BIPE_SRCDIR/tests/run-transcripts" none.t
none.t: found no command, expected at least one line '$ COMMAND'
? 1

$ printf '%%needs false\n$ echo a\nb\n' >skip.t; "$PERL" "$BIPE_SRCDIR/tests/run-transcripts" skip.t
skip.t: skipped: 'false' fails
? 77

# Numbers that a model computes may differ a little, other numbers not.
$ for n in 2.51 2.53 2.5 x.52 2.52; do printf '$ echo bipe-score %s\nbipe-score 2.52\n$ echo %s\n2.52\n' $n $n >near.t; "$PERL" "$BIPE_SRCDIR/tests/run-transcripts" near.t | tail -n 1; done
near.t: 2 commands, 1 with a difference
near.t: 2 commands, 1 with a difference
near.t: 2 commands, 2 with a difference
near.t: 2 commands, 2 with a difference
near.t: 2 commands, 0 with a difference

# The last line of make check.
$ for t in one two; do printf '%s: skipped: no cow\n' $t >$t.log; echo ':test-result: SKIP' >$t.trs; done; echo ':test-result: PASS' >good.trs
$ echo 'skipped: no ox' >last.log; cp one.trs last.trs; "$PERL" "$BIPE_SRCDIR/tests/say-skipped" one.log good.log two.log last.log
Skipped 3 of 4 tests: one, two (no cow); last (no ox)
$ "$PERL" "$BIPE_SRCDIR/tests/say-skipped" good.log
$ echo >one.log; "$PERL" "$BIPE_SRCDIR/tests/say-skipped" one.log
! say-skipped: one.log: does not say why, expected 'skipped: WHY'
? 1

# Documents.
$ cat >doc.md <<'X'
> <!-- $ echo hidden >file -->
> ```console
> $ cat file
> hidden
> $ echo 'a  b' \
>   c
> a  b c
> ```
> ```sh
> $ false
> ```
> X
$ "$PERL" "$BIPE_SRCDIR/tests/run-transcripts" doc.md
doc.md: 3 commands, 0 with a difference
$ sed -i 's/^hidden/other/' doc.md; "$PERL" "$BIPE_SRCDIR/tests/run-transcripts" doc.md
doc.md:3: $ cat file
--- wanted
+++ found
@@ -1 +1 @@
-other
+hidden
doc.md: 3 commands, 1 with a difference
? 1
$ cat >page.1.in <<'X'
> .\" $ printf 'a-b\n.c\n' >file
> .EX
> $ \fBcat\fR file; echo \(aqx\ey\(aq
> a\-b
> \&.c
> x\ey
> .EE
> X
$ "$PERL" "$BIPE_SRCDIR/tests/run-transcripts" page.1.in
page.1.in: 2 commands, 0 with a difference
