#!/bin/sh
# Holds a report against a gates file: a table in the log, annotations beside the commit,
# Markdown in the job's summary, JUnit in a file. Ends as `judica gate check` does: 0 if
# every gate passed, 1 if one failed, 2 or 3 if there was nothing to hold.
#
# INPUT_REPORT, INPUT_GATES   files; needed
# INPUT_BASELINE              an older report; optional
# INPUT_JUNIT                 where to write JUnit XML; optional
# INPUT_ALLOW_UNDEFINED       `true`: a gate over an undefined number passes
# GITHUB_STEP_SUMMARY         the job's summary, to which Markdown is added
# JUDICA                      the program, if it is not `judica` on the PATH
set -eu

if [ -z "${INPUT_REPORT:-}" ] || [ -z "${INPUT_GATES:-}" ]; then
  echo "a report and a gates file are needed" >&2
  exit 2
fi

# With `=`, a name that begins with a dash is still a name.
set -- gate check --github "--report=$INPUT_REPORT" "--gates=$INPUT_GATES"
if [ -n "${INPUT_BASELINE:-}" ]; then
  set -- "$@" "--baseline=$INPUT_BASELINE"
fi
if [ -n "${INPUT_JUNIT:-}" ]; then
  set -- "$@" "--junit=$INPUT_JUNIT"
fi
if [ "${INPUT_ALLOW_UNDEFINED:-}" = true ]; then
  set -- "$@" --allow-undefined
fi
if [ -z "${GITHUB_STEP_SUMMARY:-}" ]; then
  exec "${JUDICA:-judica}" "$@"
fi

# The summary may hold what earlier steps wrote, so the page goes to its end.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
code=0
"${JUDICA:-judica}" "$@" "--markdown=$scratch/gates.md" || code=$?
if [ -f "$scratch/gates.md" ]; then
  cat "$scratch/gates.md" >> "$GITHUB_STEP_SUMMARY"
fi
exit "$code"
