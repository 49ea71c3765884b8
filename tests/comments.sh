#!/usr/bin/env bash
# Prints each comment that is wider than 100 columns, and fails if there is one.
set -uo pipefail
cd "$(dirname "$0")/.."

if git ls-files -z '*.rs' | LC_ALL=C.UTF-8 xargs -0 grep -nE '^ *//' | LC_ALL=C.UTF-8 grep -E '^[^:]*:[^:]*:.{101}'; then
    exit 1
fi
echo "no comment is wider than 100 columns"
