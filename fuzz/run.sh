#!/usr/bin/env bash
# Runs each fuzzer: fuzz/run.sh BUILD_FOLDER [SECONDS]. `./dev fuzz` builds them first.
# What they find is kept in build/fuzz/findings; the corpus grows in build/fuzz/corpus.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
binaries=$1/bin
seconds=${2:-60}
out=build/fuzz

python3 fuzz/seed_corpus.py $out/seeds
mkdir -p $out/findings
export EXECUTORCH_FUZZ_PROGRAM=$PWD/tests/data/programs/two_data_files/model.pte
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
failed=0
for format in program data xnnpack; do
  mkdir -p $out/corpus/$format
  printf '\n== %s files, %s seconds\n' $format "$seconds"
  "$binaries/${format}_fuzzer" $out/corpus/$format $out/seeds/$format -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -max_len=65536 -artifact_prefix=$out/findings/$format- -print_final_stats=1 >$out/$format.log 2>&1 || failed=1
  grep -E '^#[0-9]+.*cov:' $out/$format.log | tail -1
  grep -E 'stat::(number_of_executed_units|peak_rss_mb)' $out/$format.log || true
  [ $failed -eq 0 ] || { grep -E 'ERROR|SUMMARY|runtime error' $out/$format.log | head; echo "see $out/$format.log"; exit 1; }
done
echo "nothing found"
