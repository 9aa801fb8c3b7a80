. "$BEFORE/import.sh"
