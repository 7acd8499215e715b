#!/usr/bin/env bash
# The main job, end to end, on a copy of the example tree: run it with `make demo`.
# It leaves a git repository to play with in the folder that is named.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
target=${1:?name a folder for the demo}
if [ -e "$target" ] && [ ! -f "$target/.lumos-demo" ]; then
  echo "$target is there already and is not a demo: remove it, or name another folder" >&2
  exit 2
fi
rm -rf "$target"
mkdir -p "$target"
target=$(cd "$target" && pwd)
touch "$target/.lumos-demo"

export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_PAGER=cat NO_COLOR=1
export GIT_AUTHOR_NAME=Demo GIT_AUTHOR_EMAIL=demo@example.com
export GIT_COMMITTER_NAME=Demo GIT_COMMITTER_EMAIL=demo@example.com

if [ -t 1 ]; then bold=$'\033[1m' dim=$'\033[2m' plain=$'\033[0m'; else bold='' dim='' plain=''; fi
say() { printf '\n%s# %s%s\n' "$bold" "$1" "$plain"; }
run() { printf '%s$ %s%s\n' "$dim" "$*" "$plain"; "$@"; }
# A command that finds something exits 1: that is the point of it, not a failure of the demo.
finds() {
  printf '%s$ %s%s\n' "$dim" "$*" "$plain"
  local code=0
  "$@" || code=$?
  [ "$code" = 1 ] || { echo "expected exit code 1, got $code" >&2; exit 1; }
}

copy=$(mktemp -d)/copy
cd "$target"
say "A tree is a folder in a git repository"
run git init --quiet --initial-branch main
run lumos snap init --environment PROD --track-observations

say "Bring in metadata: an export of another tree, and a document in an older shape"
run lumos snap export --tree "$here/shop" -o shop.json
run lumos snap import shop.json
run lumos snap import "$here/older/lumos_export.json"
rm shop.json
run git add --all
run git commit --quiet -m "Adopt the metadata of the shop"

say "What is there"
run lumos snap ls
run lumos snap show silver/orders

say "A column changes its type: one line in git"
sed -i.bak '/"name": "customer_id"/s/INT64/STRING/' snapshots/iceberg/lake/silver/orders.json
rm snapshots/iceberg/lake/silver/orders.json.bak
run git diff --unified=0 --no-color snapshots
echo "…while the tree of the last commit is still there to ask:"
run lumos snap ls --at HEAD silver/orders 'iceberg/*'

say "An editor has left one file in disorder, and broken another"
python3 - <<'PY'
import json, pathlib
kafka = pathlib.Path("snapshots/kafka/prod/shop.orders.v1.json")
kafka.write_text(json.dumps(json.loads(kafka.read_text()), indent=7))
delta = pathlib.Path("snapshots/delta/lake/gold/daily_revenue.json")
delta.write_text(delta.read_text().replace('"DECIMAL"', '"DECIMALS"', 1))
PY
finds lumos snap validate
finds lumos snap fmt
run git checkout --quiet snapshots/delta
run lumos snap validate

say "Release it: versions follow from what changed"
run git commit --quiet --all --message "In order" --allow-empty
run lumos snap bump --tag

say "A change that breaks readers is stopped, with the reason and what to do"
raw=snapshots/s3/shop-lake/raw/orders.json
run sed -i.bak '/"customer_id"/s/INT64/INT16/; /"placed_at"/s/, "timezone": "UTC"//' "$raw"
rm "$raw.bak"
finds lumos snap diff
run git checkout --quiet "$raw"

say "A change that does not may go on, and says since when each column is what it is"
run sed -i.bak '/"customer_id"/s/"nullable": false/"nullable": false, "description": "never reused"/' "$raw"
rm "$raw.bak"
run git commit --quiet --all --message "Say what a customer id is"
run lumos snap log s3/shop-lake/raw/orders
run lumos snap blame s3/shop-lake/raw/orders
run lumos snap bump --tag --explain

say "The whole tree as one document, and back: the same bytes"
run lumos snap export -o "$copy.json"
mkdir "$copy"
run lumos snap init "$copy" --environment PROD
run lumos snap import "$copy.json" --tree "$copy"
run diff -r snapshots "$copy"/snapshots
rm -r "$(dirname "$copy")"
git checkout --quiet snapshots

say "Done: play with it"
echo "cd $target && lumos snap --help     (lumos is in .venv/bin)"
