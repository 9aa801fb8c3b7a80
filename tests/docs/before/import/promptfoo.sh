row() {
    cat <<END
{"testIdx": $1, "promptIdx": $2, "testCase": {"vars": {"q": "$1"}}, "prompt": {"raw": "ask", "label": "$3"}, "provider": {"id": "openai:gpt-4o", "label": ""}, "response": {"output": "out"}, "score": 1, "success": true, "failureReason": 0, "namedScores": {}}
END
}
cat > out.json <<END
{"evalId": "e", "results": {"version": 3, "prompts": [], "results": [
$(row 0 0 terse), $(row 0 1 polite), $(row 1 0 terse), $(row 1 1 polite)]}, "config": {}}
END
