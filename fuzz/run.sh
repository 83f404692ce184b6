#!/usr/bin/env bash
# Builds the fuzzers under address and undefined-behaviour sanitizers and runs each: fuzz/run.sh [SECONDS]
# What they find is kept in build/fuzz/findings; the corpus grows in build/fuzz/corpus.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seconds=${1:-60}
build=build/fuzz

cmake -S . -B $build -G Ninja -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DEXECUTORCH_BUILD_FUZZERS=ON -DEXECUTORCH_SANITIZE=address,undefined,fuzzer-no-link \
  -DPython3_EXECUTABLE="$PWD/.venv-build/bin/python" >/dev/null
cmake --build $build -j "${JOBS:-$(nproc)}" --target program_fuzzer data_fuzzer

python3 fuzz/seed_corpus.py $build/seeds
mkdir -p $build/findings
export EXECUTORCH_FUZZ_PROGRAM=$PWD/tests/data/programs/two_data_files/model.pte
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
failed=0
for format in program data; do
  mkdir -p $build/corpus/$format
  printf '\n== %s files, %s seconds\n' $format "$seconds"
  $build/bin/${format}_fuzzer $build/corpus/$format $build/seeds/$format -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -max_len=65536 -artifact_prefix=$build/findings/$format- -print_final_stats=1 >$build/$format.log 2>&1 || failed=1
  grep -E '^#[0-9]+.*(cov:|DONE)' $build/$format.log | tail -1
  grep -E 'stat::(number_of_executed_units|peak_rss_mb)' $build/$format.log || true
  [ $failed -eq 0 ] || { grep -E 'ERROR|SUMMARY|runtime error' $build/$format.log | head; echo "see $build/$format.log"; exit 1; }
done
echo "nothing found"
