"""Something that alerts are posted to."""
import http.server
import json
import threading
import time


class Webhook:
    """Takes posts; answers with what `answer` says: a status, "hang", or a redirect."""

    def __init__(self):
        self.bodies, self.accepted, self.headers, self.answer = [], [], [], 200
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.headers.append(dict(self.headers))
                outer.bodies.append(json.loads(body))
                if outer.answer == "hang":
                    time.sleep(5)
                    return
                if outer.answer == 200:
                    outer.accepted.append(outer.bodies[-1])
                self.send_response(outer.answer)
                if outer.answer == 302:
                    self.send_header("Location", f"http://127.0.0.1:{outer.port}/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
