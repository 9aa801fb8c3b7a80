mkdir .deepeval
cat > .deepeval/.latest_test_run.json <<'END'
{"testRunData": {"testCases": [{"name": "a", "input": "q", "actualOutput": "out", "success": true, "order": 0, "metricsData": [{"name": "Exact", "success": true, "score": 1.0}]}], "conversationalTestCases": [], "metricsScores": [], "testPassed": 1, "testFailed": 0}}
END
