"""A chat server on the loopback interface that answers, or fails in a way that the address names.

    http://127.0.0.1:PORT/<mode>/<token>/v1

What it does depends on the mode, the question and how often that question came under this token,
never on the clock. Under a token it remembers how often each question was answered.
"""

import hashlib
import json
import threading
import time
from collections import Counter, defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Modes whose every question gets a usable answer in the end.
PATIENT = ["ok", "limited", "failing-once", "cut-once", "garbage-once"]
FAULTS = ["failing", "cut", "garbage", "html", "no-json", "empty", "filtered", "unreadable", "huge",
          "redirect", "unauthorized", "too-long", "escapes", "surrogate", "odd-usage", "wrong-shape"]


class Quiet(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        """A client that was killed breaks its connection: nothing to tell."""


class Server:
    def __init__(self):
        self.lock = threading.Lock()
        self.asked = defaultdict(Counter)
        self.answered = defaultdict(Counter)
        self.httpd = Quiet(("127.0.0.1", 0), handler_for(self))
        self.httpd.daemon_threads = True
        threading.Thread(target=self.httpd.serve_forever, daemon=True).start()

    def address(self, mode, token):
        return f"http://127.0.0.1:{self.httpd.server_port}/{mode}/{token}/v1"

    def note(self, book, token, question):
        with self.lock:
            book[token][question] += 1
            return book[token][question]

    def asked_twice(self, token):
        """Questions that were answered more than once under this token."""
        with self.lock:
            return sum(1 for count in self.answered[token].values() if count > 1)

    def forget(self, token):
        with self.lock:
            self.asked.pop(token, None)
            self.answered.pop(token, None)


def handler_for(server):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_POST(self):
            try:
                self.reply()
            except OSError:
                self.close_connection = True

        def reply(self):
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            parts = self.path.strip("/").split("/")
            mode, token = (parts + ["", ""])[:2]
            question = hashlib.sha256(body).hexdigest()
            count = server.note(server.asked, token, question)
            # A third of the questions meets a fault that happens once.
            unlucky = int(question[:8], 16) % 3 == 0 and count == 1
            if mode.endswith("-once"):
                mode = mode.removesuffix("-once") if unlucky else "ok"
            if mode == "limited":
                if unlucky:
                    return self.send(429, b'{"error": {"message": "slow down"}}', {"retry-after-ms": "20"})
                mode = "ok"
            if mode.startswith("slow"):
                time.sleep(int(mode.removeprefix("slow") or 50) / 1000)
                mode = "ok"
            return self.fault(mode, question) if mode != "ok" else self.answer(token, question, body)

        def answer(self, token, question, body):
            server.note(server.answered, token, question)
            yes = int(question[8:16], 16) % 2 == 0
            text = {"reasoning": "It has been looked at.", "correct": "yes" if yes else "no"}
            return self.send(200, chat(json.dumps(text), body))

        def fault(self, mode, question):
            simple = {
                "failing": (500, b'{"error": {"message": "down"}}', {}),
                "html": (200, b"<html><body>login</body></html>", {}),
                "no-json": (200, b'{"choices": [', {}),
                "empty": (200, b"", {}),
                "redirect": (307, b"", {"location": "http://127.0.0.1:9/"}),
                "unauthorized": (401, b'{"error": {"message": "bad key not-a-secret"}}', {}),
                "too-long": (400, b'{"error": {"code": "context_length_exceeded", "message": "long"}}', {}),
                "wrong-shape": (200, b'{"choices": {"message": [null]}, "usage": "much"}', {}),
                "huge": (200, b'{"choices": "' + b"x" * (9 << 20) + b'"}', {}),
            }
            texts = {
                "unreadable": "I would rather not say.",
                "escapes": '{"correct": "yes", "reasoning": "\\u001b[31mred\\u001b]0;title\\u0007"}',
                "surrogate": '{"correct": "no", "reasoning": "\\ud800 \\u0000"}',
            }
            if mode in simple:
                return self.send(*simple[mode])
            if mode in texts:
                return self.send(200, chat(texts[mode], b"{}"))
            if mode == "filtered":
                return self.send(200, chat("", b"{}", finish="content_filter"))
            if mode == "odd-usage":
                reply = json.loads(chat('{"correct": "yes", "reasoning": "r"}', b"{}"))
                reply["usage"] = {"prompt_tokens": -5, "completion_tokens": 1e308}
                return self.send(200, json.dumps(reply).encode())
            self.close_connection = True
            if mode == "cut":
                self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n{\"choices\"")
            else:
                self.wfile.write(bytes.fromhex(question) * 3)

        def send(self, status, body, headers=None):
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler


def chat(text, body, finish="stop"):
    try:
        model = json.loads(body).get("model", "m")
    except (ValueError, AttributeError):
        model = "m"
    return json.dumps({
        "model": model,
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 50, "completion_tokens": 9},
    }).encode()
