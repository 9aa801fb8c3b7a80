"""A stand-in for a model, to try `judica judge` without one.

Speaks as much of the OpenAI-compatible chat API as is needed, on the loopback interface. It
judges by one rule: a prediction is correct if it has the same words as the gold, in any order.
Real judges are better, and slower.

    python3 server.py [PORT [SECONDS]]      (default 8099, and 0 seconds before each reply)
"""

import json
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def block(text, label):
    found = re.search(rf"^BEGIN {label} (\w+)\n(.*?)\nEND {label} \1$", text, re.M | re.S)
    return found.group(2) if found else ""


def words(formula):
    return sorted(set(re.findall(r"\w+", formula)))


def verdict(text):
    gold = block(text, "(?:GOLD|REFERENCE|EXPECTED|TEXT-A)")
    prediction = block(text, "(?:PREDICTION|CANDIDATE|ANSWER|TEXT-B)")
    same = words(gold) == words(prediction)
    word = "the same words" if same else "other words"
    return {"reasoning": f"The prediction has {word}.", "correct": "yes" if same else "no"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        time.sleep(delay)
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        text = asked["messages"][-1]["content"]
        reply = json.dumps(verdict(text))
        body = json.dumps({
            "model": asked["model"],
            "choices": [{"message": {"content": reply}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": len(text) // 4, "completion_tokens": len(reply) // 4},
        }).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


port = int(sys.argv[1]) if len(sys.argv) > 1 else 8099
delay = float(sys.argv[2]) if len(sys.argv) > 2 else 0
server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
print(f"http://127.0.0.1:{port}/v1", flush=True)
server.serve_forever()
