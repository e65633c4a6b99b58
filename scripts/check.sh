#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks that need no build: generated files, format, white space, includes,
# licence lines. Prints every finding; exit 1 if there is any.
cd "$(dirname "$0")/.." || exit 1
bad=0
finding() {
    echo "check: $1" >&2
    bad=1
}

[ -z "$(git ls-files '*CMakeCache.txt' '*.o' '*.a' 2>/dev/null)" ] ||
    finding "the output of a build is in the repository"
python3 spec/generate.py --check || finding "generated files are stale: run spec/generate.py"
python3 scripts/check_docs.py || finding "documents against the tree"
python3 scripts/check_includes.py || finding "includes against the layers"
python3 scripts/check_names.py || finding "names that mean two things"
python3 scripts/check_contracts.py || finding "headers that leave a function without a word, or a call without its rule"

python3 tests/mutants/mutants.py --stale || finding "required mutants of lines that are gone"

mapfile -t c_files < <(scripts/c-files.sh)
if [ ${#c_files[@]} -gt 0 ]; then
    clang-format-14 --dry-run -Werror "${c_files[@]}" ||
        finding "C format: run make format"
fi

mapfile -t text < <(find CMakeLists.txt Makefile README.md CHANGELOG.md \
    CONTRIBUTING.md SECURITY.md .ci .github cmake docs examples hw include scripts sim spec src \
    tests tools bench -type f \( -name '*.[ch]' -o -name '*.cpp' \
    -o -name '*.sv' -o -name '*.svh' -o -name '*.py' -o -name '*.sh' \
    -o -name '*.md' -o -name '*.toml' -o -name "*.yml" -o -name '*.txt' -o -name '*.cmake' \
    -o -name '*.in' -o -name Makefile -o -name run \) \
    ! -path '*/__pycache__/*' 2>/dev/null)
grep -nE '[[:space:]]+$' "${text[@]}" && finding "white space at the end of a line"
for file in "${text[@]}"; do
    [ -s "$file" ] && [ -n "$(tail -c 1 "$file")" ] &&
        finding "$file: no newline at the end"
    case $file in
    *.[ch] | *.sv | *.svh | *.cpp | *.py | *.sh)
        head -n 3 "$file" | grep -q 'SPDX-License-Identifier: BSD-3-Clause' ||
            finding "$file: no SPDX line"
        ;;
    esac
    case $file in
    */fsh_spec_pkg.sv) ;; # generated
    *.sv | *.svh)
        grep -nP '\t' "$file" && finding "$file: tab"
        awk -v f="$file" 'length > 100 { print f ":" FNR ": " length " columns"; b = 1 }
                          END { exit b }' "$file" || finding "$file: line past 100 columns"
        ;;
    esac
done
exit $bad
