"""A server that repeats all that it was given, in many encodings, wherever a server can say something.

`echo.py [WORD…]` speaks on stdin and stdout; with ECHO_HTTP set it listens on loopback and prints its port.
"""

import base64
import http.server
import json
import os
import sys
import urllib.parse


def spell(secret):
    data = secret.encode()
    yield secret
    for before in (b"", b"a", b"ab"):
        yield base64.b64encode(before + data).decode()
        yield base64.urlsafe_b64encode(before + data + b"x").decode().rstrip("=")
    yield base64.b64encode(b"user:" + data).decode()
    yield data.hex()
    yield data.hex().upper()
    yield urllib.parse.quote(secret, safe="")
    yield "".join("%%%02x" % byte for byte in data)
    yield "".join("%%%02X" % byte for byte in data)
    yield "".join("&#%d;" % byte for byte in data)
    yield "".join("\\u%04x" % byte for byte in data)
    yield secret.replace("/", "\\/")


def heard(more):
    words = list(sys.argv[1:]) + list(os.environ.values()) + more
    return [word for word in words if "QZ" in word]


def leak(more):
    return " | ".join(form for word in heard(more) for form in spell(word))


def answer(message, more):
    method, number = message.get("method"), message.get("id")
    if number is None:
        return None
    text = leak(more)
    if method == "initialize":
        result = {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": heard(more)[0] if heard(more) else "echo", "version": text},
            "instructions": text,
        }
    elif method == "tools/list":
        schema = {"type": "object", "properties": {}}
        hints = {"readOnlyHint": True}
        first = {"name": "say " + text[:90], "description": text, "inputSchema": schema, "annotations": hints}
        result = {"tools": [first, {"name": "other", "description": text, "inputSchema": 7, "annotations": hints}]}
    elif method == "tools/call":
        result = {"content": [{"type": "nothing", "text": text}], "isError": text}
    elif method == "ping":
        result = {}
    else:
        return {"jsonrpc": "2.0", "id": number, "error": {"code": "odd", "message": text, "data": text}}
    return {"jsonrpc": "2.0", "id": number, "result": result}


def written(message):
    # Some of it as JSON may spell it.
    return json.dumps(message).replace("q", "\\u0071", 1)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        parts = urllib.parse.urlsplit(self.path)
        more = [value.split(" ")[-1] for value in self.headers.values()] + parts.path.split("/")
        more += [value for _, value in urllib.parse.parse_qsl(parts.query)]
        try:
            said = answer(json.loads(body), more)
        except Exception:
            said = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": leak(more)}}
        data = written(said).encode() if said else b""
        self.send_response(200 if said else 202, "OK")
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.send_header("x-echo", " ".join(heard(more)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.send_response(405)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if "ECHO_HTTP" in os.environ:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
print(leak([]), "\x1b]0;title\x07", file=sys.stderr, flush=True)
if "ECHO_DIES" in os.environ:
    sys.exit(3)
for line in sys.stdin:
    try:
        said = answer(json.loads(line), [])
    except Exception:
        said = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": leak([])}}
    if said:
        print(written(said), flush=True)
        print(leak([])[:400], file=sys.stderr, flush=True)
