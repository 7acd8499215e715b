#!/usr/bin/env bash
# What action.yml runs: installs the tool, and calls it with the inputs, which come as LUMOS_*.
# It works with the bash 3.2 of macOS: an empty array is written ${name[@]+"${name[@]}"}.
set -euo pipefail

stop() {
  printf '::error title=Lumos Snapshots::%s\n' "$1"
  exit 2
}

# Workflow commands end at a line's end: inputs in messages are shown on one line.
one_line() {
  printf '%s' "$1" | tr '\r\n' '  '
}

find_python() {
  local candidate
  for candidate in python3 python python3.13 python3.12 python3.11 \
    "${RUNNER_TOOL_CACHE:-/nowhere}"/Python/3.1[1-9].*/*/bin/python3; do
    if "$candidate" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
      command -v "$candidate"
      return
    fi
  done
  return 1
}

# yes_or_no NAME VALUE OPTION: adds the option, or its opposite; nothing where nothing is said.
yes_or_no() {
  case "$2" in
    true) arguments+=("--$3") ;;
    false) arguments+=("--no-$3") ;;
    "") ;;
    *) stop "input $1 is true or false, not $(one_line "$2")" ;;
  esac
}

[ "${RUNNER_OS:-}" != Windows ] || stop "Lumos Snapshots needs a runner with Linux or macOS"
python=$(find_python) || stop "Python 3.11 or newer is needed: add actions/setup-python before this step"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
lumos=$(env -u LUMOS_TOKEN "$python" -I "$here/install.py" "$LUMOS_VERSION")

arguments=()
[ -z "$LUMOS_MARKER" ] || arguments+=("--marker=$LUMOS_MARKER")
yes_or_no status "$LUMOS_STATUS" status
export GITHUB_TOKEN="$LUMOS_TOKEN"
unset LUMOS_TOKEN

if [ -n "$LUMOS_CHANGES" ]; then
  exec "$lumos" -I -m lumos_snap snap comment "--changes=$LUMOS_CHANGES/gate.json" \
    ${arguments[@]+"${arguments[@]}"}
fi

trees=()
while IFS= read -r tree || [ -n "$tree" ]; do
  [ -z "$tree" ] || trees+=("$tree")
done <<< "$LUMOS_TREES"

case "${LUMOS_RESPOND:-}" in
  true)
    arguments=()
    [ -z "$LUMOS_MARKER" ] || arguments+=("--marker=$LUMOS_MARKER")
    [ -z "$LUMOS_CONFIG" ] || arguments+=("--config=$LUMOS_CONFIG")
    exec "$lumos" -I -m lumos_snap snap respond \
      ${arguments[@]+"${arguments[@]}"} -- ${trees[@]+"${trees[@]}"}
    ;;
  false | "") ;;
  *) stop "input respond is true or false, not $(one_line "$LUMOS_RESPOND")" ;;
esac

yes_or_no comment "$LUMOS_COMMENT" comment
case "${LUMOS_REQUIRE_REPORT:-}" in
  true) arguments+=("--require-report") ;;
  false | "") ;;
  *) stop "input require-report is true or false, not $(one_line "$LUMOS_REQUIRE_REPORT")" ;;
esac
[ -z "$LUMOS_BASE" ] || arguments+=("--base=$LUMOS_BASE")
[ -z "$LUMOS_CONFIG" ] || arguments+=("--config=$LUMOS_CONFIG")
[ -z "$LUMOS_FAIL_ON" ] || arguments+=("--fail-on=$LUMOS_FAIL_ON")
[ -z "$LUMOS_SARIF" ] || arguments+=("--output=sarif=$LUMOS_SARIF")
report=$(mktemp -d "${RUNNER_TEMP:-/tmp}/lumos-XXXXXX")
exec "$lumos" -I -m lumos_snap snap gate "--report=$report" \
  ${arguments[@]+"${arguments[@]}"} -- ${trees[@]+"${trees[@]}"}
