#!/usr/bin/env bash
# The main job, end to end, on a lake that it makes itself: run it with `make demo`.
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
# What is shown can be typed: words with spaces stand in quotes.
shown() {
  local word line=
  for word in "$@"; do
    case $word in *[!A-Za-z0-9_./:=@-]*) line+=" '$word'" ;; *) line+=" $word" ;; esac
  done
  printf '%s$%s%s\n' "$dim" "$line" "$plain"
}
run() { shown "$@"; "$@"; }
# A command that finds something exits 1: that is the point of it, not a failure of the demo.
finds() {
  shown "$@"
  local code=0
  "$@" || code=$?
  [ "$code" = 1 ] || { echo "expected exit code 1, got $code" >&2; exit 1; }
}

cd "$target"
git init --quiet --initial-branch main
printf '/lake/\n/.lumos-demo\n' > .git/info/exclude

say "A lake, as lakes are: Parquet, ORC, Avro, Arrow, CSV and JSON, partitioned and nested"
python3 "$here/lake.py" lake
(cd lake && find . -type f | sort)

say "A tree is a folder in a git repository; a scan fills it, in seconds"
run lumos snap init --environment PROD
cat >> lumos.yaml <<'YAML'
sources:
  - name: lake
    path: lake
YAML
git add --all
run git commit --quiet --message "A tree"
run lumos snap scan --commit

say "One canonical file for each dataset: what machines found"
run cat snapshots/file/lake/raw/orders.json
run lumos snap scan --explain lake/raw/orders/2026/01/15/part-0.parquet

say "People add what no machine can know, in lines that no scan ever touches"
python3 - <<'PY'
import dataclasses
import lumos_snap as ls
from lumos_snap.model import Documentation, FieldDocumentation, FieldGovernance, Governance, Owner, Ownership

tree = ls.open_tree()
orders = tree["lumos://file/lake/raw/orders"]
customers = tree["lumos://file/lake/crm/customers"]
words = FieldDocumentation(path="total", description="What the customer pays, in euro")
secret = FieldGovernance(path="phone", pii=True)
tree.write(
    dataclasses.replace(
        orders,
        documentation=Documentation(description="Orders as they are placed", fields=(words,)),
        ownership=Ownership(owners=(Owner(group="sales", type="TECHNICAL_OWNER"),)),
    ),
    dataclasses.replace(customers, governance=Governance(fields=(secret,))),
)
PY
run git diff --stat
run git commit --quiet --all --message "Say what orders are, and what is private"
run lumos snap bump --tag

say "A month later the lake is another one. The scan notices; the words stay"
run git switch --quiet --create february
python3 "$here/lake.py" lake --later
run lumos snap scan --commit
run git show --unified=0 --no-color --format= HEAD -- snapshots/file/lake/crm

say "What does that break, and for whom?"
finds lumos snap diff --base main

say "One change was a mistake: a job writes local time. It is mended, and scanned again"
python3 - "$here" <<'PY'
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
import lake

for day in (*lake.JANUARY, lake.FEBRUARY):
    lake.orders(Path("lake"), day, later=True, zone="UTC")
PY
run lumos snap scan --only 'file/lake/raw/orders' --commit

say "The others are agreed on: a waiver says so, is reviewed like code, and expires"
lumos snap diff --base main --json > findings.json || true
for fingerprint in $(python3 - <<'PY'
import json

for dataset in json.load(open("findings.json"))["datasets"]:
    for finding in dataset["findings"]:
        if finding["blocks"]:
            print(finding["fingerprint"])
PY
); do
  run lumos snap waive "$fingerprint" --base main --reason "The shop no longer calls anybody" --ticket CRM-12
done
rm findings.json
run git add waivers
run git commit --quiet --message "Phone numbers go: agreed with sales"
run lumos snap diff --base main

say "Merged, released: versions follow from what changed"
run git switch --quiet main
run git merge --quiet --no-edit february
run lumos snap bump --tag --explain

say "Who changed what, and since when is each column what it is?"
run lumos snap log file/lake/raw/orders
run lumos snap blame file/lake/raw/orders

say "Nothing changed since: the tree says what lies there, so the drift gate is content"
run lumos snap scan --check
run lumos snap validate

say "A catalog is brought in line: DataHub Lite, DataHub's own store in one file, stands for yours"
export DATAHUB_TELEMETRY_ENABLED=false
echo 'catalogs: [{name: datahub, type: datahub-lite}]' >> lumos.yaml
git commit --quiet --all --message "Sync with DataHub"
run lumos snap sync --apply --yes --limit 3

say "Somebody finds better words there, with DataHub's own tools; nobody's words are lost"
python3 - <<'PY'
from contextlib import closing

from datahub.emitter.mcp import MetadataChangeProposalWrapper
from datahub.lite.sqlite_lite import SqliteLite
from datahub.metadata.schema_classes import EditableDatasetPropertiesClass

words = EditableDatasetPropertiesClass(description="Orders as they are placed, in euro and in UTC")
store = SqliteLite.create({"file": ".lumos/datahub.db"})
with closing(store.sqlite_client):
    (orders,) = (urn for urn in store.list_ids() if "raw/orders" in urn)
    store.write(MetadataChangeProposalWrapper(entityUrn=orders, aspect=words))
PY
run lumos snap sync --pull
run git diff --unified=0 --no-color -- snapshots
run git commit --quiet --all --message "What DataHub says of orders"
run lumos snap sync --apply --yes
run lumos snap verify --source tree --target datahub

say "Done: play with it"
echo "cd $target && lumos snap --help     (lumos is in .venv/bin)"
