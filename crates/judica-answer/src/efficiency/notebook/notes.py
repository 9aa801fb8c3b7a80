for note in report["notes"]:
    print("-", note)
if not report["notes"]:
    print("none")
