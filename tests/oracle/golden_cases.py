#!/usr/bin/env python3
"""Random golden queries and folders of runs, well-formed and not.

    python3 golden_cases.py --seed N --runs N --out DIR [--clean]

Writes DIR/golden.json and DIR/runs. With --clean every run can be read and most of them do
what they should, so that gates have a chance to pass. The same seed writes the same files.
"""

import argparse
import json
import os
import random

SPACES = ["", "", "", " ", "\n", "\u00a0"]


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())


class Maker:
    def __init__(self, seed, out, clean):
        self.random, self.out, self.clean = random.Random(seed), out, clean
        self.pick, self.odds = self.random.choice, self.random.random

    def ids(self, most):
        return [f"e{self.random.randrange(8)}" for _ in range(self.random.randint(0, most))]

    def golden(self, count):
        queries = []
        for at in range(count):
            query = {"objective": self.pick(SPACES) + f"objective {at} \u00e9" + self.pick(SPACES),
                     "required_evidence_ids": self.ids(4), "evidence_sufficient": self.odds() < 0.7}
            if self.odds() < 0.4:
                query["id"] = self.pick([f"q{at}", at])
            if self.odds() < 0.2:
                query["note"] = {"anything": [1, None]}
            queries.append(query)
        if count > 2 and self.odds() < 0.5:     # the same question under two ids
            queries[0]["id"], queries[1]["id"] = "twin-a", "twin-b"
            queries[1]["objective"] = queries[0]["objective"]
        self.queries = queries
        whole = {"queries": queries} if self.odds() < 0.5 else queries
        bom = b"\xef\xbb\xbf" if self.odds() < 0.2 else b""
        write(f"{self.out}/golden.json", bom + json.dumps(whole, ensure_ascii=self.odds() < 0.5).encode())

    def record(self, name):
        good = [{"quote": "words", "provenance": "page 1"}, {"span": [0, 9], "provenance": ["a"]},
                {"span": {"end": 4, "start": 3, "page": 1}, "provenance": {"url": None}},
                {"quote": "\u00e9\n", "span": "no", "provenance": "p", "more": {"x": [1.5]}}]
        bad = [{}, {"quote": "words"}, {"quote": " ", "provenance": "p"}, {"quote": "w", "provenance": "\t"},
               {"span": [4, 4], "provenance": "p"}, {"span": [-1, 4], "provenance": "p"},
               {"span": [0, 1, 2], "provenance": "p"}, {"span": [0, 1.5], "provenance": "p"},
               {"span": {"start": 1}, "provenance": "p"}, {"span": [False, True], "provenance": "p"},
               {"quote": 7, "provenance": "p"}, {"quote": "w", "provenance": {}}, {"quote": "w", "provenance": 1}]
        kind = self.pick(good if self.clean or self.odds() < 0.6 else bad)
        return {"id": name, **kind}

    def output(self, at):
        query = self.pick(self.queries)
        run = {"run_id": self.pick([f"run-{at}", at]), "objective": query["objective"].strip() + self.pick(SPACES)}
        if self.odds() < 0.1:
            run["objective"] = "something else"
        if self.odds() < 0.3:
            run[self.pick(["query_id", "golden_id"])] = query.get("id", "unknown")
        if self.odds() < 0.2:
            del run["run_id"]
        names = set(self.ids(8))
        if self.clean or self.odds() < 0.5:
            names |= set(query["required_evidence_ids"])
        evidence = [self.record(name) for name in sorted(names)]
        if evidence and self.odds() < 0.2:      # the same record again, in another order
            evidence.append(dict(reversed(evidence[0].items())))
        known = sorted(names)
        abstains = not query["evidence_sufficient"] and (self.clean or self.odds() < 0.6)
        claims = []
        for claim in range(self.random.randint(0, 4)):
            cited = [self.pick(known)] if known else []
            status = self.pick(["verified", "Verified", "VERIFIED", "open", "rejected", "verified?"])
            if not self.clean:
                cited = self.pick([cited, cited + self.ids(2), [], None])
            elif not cited:
                status = "open"
            claims.append({"id": self.pick([f"c{claim}", claim]), "status": "open" if abstains else status,
                           "evidence_ids": cited})
            if cited is None and self.odds() < 0.5:
                del claims[-1]["evidence_ids"]
        run |= {"stop_reason": "NO_EVIDENCE" if abstains else self.pick(["DONE", "NO_EVIDENCE", "no_evidence", None]),
                "claims": claims, "evidence": evidence}
        return run

    def damage(self, run):
        """Makes an output wrong in one way; bytes to be written."""
        how = self.random.randrange(10)
        if how == 0:
            return self.pick([b"", b"{", b"[]", b"7", b"{\"objective\": \"\xff\"}", b"null", b"{} {}"])
        if how == 1:
            del run[self.pick(["objective", "claims", "evidence"])]
        elif how == 2:
            run[self.pick(["objective", "claims", "evidence"])] = self.pick([None, 1, {}])
        elif how == 3:
            run["claims"].append(self.pick([1, [], {"id": "x"}, {"status": "verified"}, {"id": 1.5, "status": "open"},
                                            {"id": "x", "status": "open", "evidence_ids": [1]},
                                            {"id": "x", "status": "open", "evidence_ids": "e1"}]))
        elif how == 4:
            run["evidence"] += [{"id": "twice", "quote": "a"}, {"id": "twice", "quote": "b"}]
        elif how == 5:
            run["evidence"].append(self.pick([{"id": 1}, {}, "e1", None]))
        elif how == 6:
            run[self.pick(["run_id", "query_id", "stop_reason"])] = self.pick([[], True, {}])
        elif how == 7:
            run["steps"] = self.pick([{}, [{}], [{"id": None}], [1], "none"])
        else:
            run["stop_reason"] = 7
        return json.dumps(run).encode()

    def run(self, at):
        name = self.pick([f"run-{at}", f"Run {at}", f"r\u00e9-{at}", f"{at}"])
        run, folder = self.output(at), self.odds() < 0.7
        base = f"{self.out}/runs/{name}"
        steps, in_events = [], folder and self.odds() < 0.5
        for step in range(self.random.randint(0, 5)):
            entry = {"id": self.pick([f"s{step}", step, f"s-{step}.x"])}
            manifest = {"context": [step]}
            has_file = folder and self.odds() < 0.5
            if self.clean and not has_file or self.odds() < 0.4:
                entry["manifest"] = manifest
            elif not self.clean and self.odds() < 0.3:
                entry["manifest"] = self.pick([None, {}, [], "", "ref", 1, True])
            if has_file:
                text = "{}" if self.clean else self.pick(["{}", "{\"k\": 1}", "[]", "null", "", "{", "\xff"])
                write(f"{base}/manifests/{entry['id']}.json", text.encode("latin-1"))
            steps.append(entry)
        if in_events:
            lines = []
            for step in steps:
                if self.odds() < 0.3:
                    lines.append(self.pick(['{"type": "tool", "id": [1]}', "", "{}", '{"type": 7}']))
                if self.odds() < 0.2:
                    step = {"step_id": step.pop("id"), "id": "event", **step}
                lines.append(json.dumps({"type": "step", **step}))
            if not self.clean and self.odds() < 0.1:
                lines.append(self.pick(["{", "[]", '{"type": "step"}', '{"type": "step", "id": 1.5}', "\u00a0"]))
            write(f"{base}/events.jsonl", self.pick(["\n", "\r\n"]).join(lines))
            if self.odds() < 0.3:
                run["steps"] = self.pick([None, []])
        else:
            run["steps"] = steps
        if folder and self.odds() < 0.1:
            write(f"{base}/manifests/stray.json", "{}")
        if folder and self.odds() < 0.2:
            write(f"{base}/notes.txt", "anything")
        if self.odds() < 0.4:
            self.rename(run)
        data = json.dumps(run, ensure_ascii=self.odds() < 0.5).encode()
        if not self.clean:
            if self.odds() < 0.2:
                data = self.damage(run)
            if folder and self.odds() < 0.05:   # no output at all
                os.makedirs(base, exist_ok=True)
                return
            if folder and self.odds() < 0.05:
                os.makedirs(base, exist_ok=True)
                for link in ("output.json", "events.jsonl"):
                    if not os.path.exists(f"{base}/{link}"):
                        os.symlink("/dev/null", f"{base}/{link}")
                return
        name = self.pick(["output", "output", "result", "answer"])
        if folder and not self.clean and self.odds() < 0.1:     # a second file: which one is meant?
            write(f"{base}/other.json", "{}")
        write(f"{base}/{name}.json" if folder else f"{base}.json", data)

    def rename(self, run):
        """Calls ids by what they are ids of, as other writers do; some have both."""
        if "run_id" in run:
            run["id"] = run["run_id"] if self.odds() < 0.2 else run.pop("run_id")
        for items, name in (("claims", "claim_id"), ("evidence", "evidence_id"), ("steps", "step_id")):
            for item in run.get(items) or []:
                if self.odds() < 0.8:
                    item[name] = item.pop("id")
                    item |= self.pick([{}, {}, {"id": None}, {"id": item[name]}])

    def extras(self):
        runs = f"{self.out}/runs"
        os.makedirs(runs, exist_ok=True)
        write(f"{runs}/.hidden.json", "{}")
        write(f"{runs}/readme.md", "not a run")
        for name, target in (("link", "/"), ("link.json", "readme.md"), ("dangling", "nowhere")):
            if not os.path.lexists(f"{runs}/{name}"):
                os.symlink(target, f"{runs}/{name}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--runs", type=int, required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--clean", action="store_true")
    args = parser.parse_args()
    maker = Maker(args.seed, args.out, args.clean)
    maker.golden(max(1, args.runs // 2 + maker.random.randint(-1, 1)))
    for at in range(args.runs):
        maker.run(at)
    maker.extras()


if __name__ == "__main__":
    main()
