"""What `judica eval --protocol tool-call` should find, from the protocol file and the design alone.

tool_call_oracle.py cases SAMPLES OUTPUTS   writes hostile calls
tool_call_oracle.py check SAMPLES OUTPUTS RECORDS PROTOCOL   prints what differs
"""
import json
import math
import random
import re
import sys
import tomllib

GARBAGE = [None, "", "none", "NONE", "get_weather", [], {}, "{}", "[1]", 1, True, {"city": ""},
           {"city": "X", "days": 15}, {"city": "X", "days": 3.0}, '{"city": "X"}', '{"city": "X"',
           [{"city": "X"}], {"city": "X", "unit": "Celsius"}]
TYPES = {"object": dict, "string": str, "array": list}


def cases(samples, out):
    draw = random.Random(5)
    with open(out, "w") as file:
        for line in open(samples):
            sample = json.loads(line)
            for m in range(8):
                call = json.loads(json.dumps(sample["gold"]))
                key, way = draw.choice(["name", "arguments"]), draw.randrange(4)
                if way == 0:
                    call.pop(key)
                elif way == 1:
                    call[key] = draw.choice(GARBAGE)
                elif way == 2:
                    call["extra"] = 1
                else:
                    call["arguments"] = json.dumps(call["arguments"])
                row = {"model": f"m{m}", "id": sample["sample_id"], "response": json.dumps(call)}
                file.write(json.dumps(row) + "\n")


def fits(schema, value):
    """JSON Schema, as far as the protocol uses it."""
    kind = schema.get("type")
    if kind == "integer":
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value != int(value):
            return False
        return schema["minimum"] <= value <= schema["maximum"]
    if kind and not isinstance(value, TYPES[kind]):
        return False
    if "enum" in schema:
        return value in schema["enum"]
    if kind == "string":
        length = schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", math.inf)
        return length and bool(re.search(schema.get("pattern", ""), value))
    if kind == "array":
        unique = len({json.dumps(item) for item in value}) == len(value)
        return unique and len(value) <= schema["maxItems"] and all(fits(schema["items"], item) for item in value)
    known = schema["properties"]
    return all(key in value for key in schema["required"]) and all(
        key in known and fits(known[key], item) for key, item in value.items())


def check(samples, outputs, records, file):
    protocol = tomllib.load(open(file, "rb"))
    tool, *others = protocol["field"]
    schemas = {field["when"].split("'")[1]: json.loads(field["schema"]) for field in others}
    gold = {row["sample_id"]: row["gold"] for row in map(json.loads, open(samples))}
    count, wrong = 0, []
    for output, record in zip(map(json.loads, open(outputs)), map(json.loads, open(records))):
        call, truth, failed = json.loads(output["response"]), gold[output["id"]], set()
        name = call.get("name")
        if name not in tool["values"]:
            failed.add("type_validity")
            name = None
        if set(call) - {"name", "arguments"}:
            failed.add("type_validity")
        arguments = call.get("arguments")
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments)
            except ValueError:
                pass
        if name in schemas and not fits(schemas[name], arguments):
            failed.add("type_validity")
        if name and name != truth["name"]:
            failed.add("choice")
        theirs = {atom["rule"].split(".")[0] for atom in record["evidence_pack"]["atoms"] if not atom["pass"]}
        mae = None
        if not failed:
            errors = [(tool["weight"], 0.0)]
            if name != "none":
                errors.append((1, float(arguments != truth["arguments"])))
            mae = sum(w * e for w, e in errors) / sum(w for w, _ in errors)
        said = record["optional_scores"]["mae"]
        same = mae == said or (None not in (mae, said) and abs(mae - said) < 1e-9)
        eligible = record["agent_output"]["adjudication"] == "eligible"
        if failed != theirs or eligible != (not failed) or not same:
            wrong.append((output["response"], truth, failed, theirs, mae, said))
        count += 1
    for one in wrong[:20]:
        print(*one, sep=" | ")
    print(f"{count} records, {len(wrong)} differences")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit({"cases": cases, "check": check}[sys.argv[1]](*sys.argv[2:]))
