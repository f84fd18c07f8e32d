"""A server on the official Python SDK: every revision it knows, over stdio or (`--http PORT`) HTTP."""

import socket
import sys
from typing import Annotated

import anyio
import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import ToolAnnotations
from pydantic import BaseModel, Field

READ_ONLY = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)

server = MCPServer("py-server", version="1.0.0", instructions="A demonstration.")


class Sum(BaseModel):
    sum: float


@server.tool(annotations=READ_ONLY, structured_output=False)
def echo(text: str) -> str:
    """Returns the text that it is given"""
    return text


@server.tool(annotations=READ_ONLY)
def add(a: float, b: float) -> Sum:
    """Adds two numbers"""
    return Sum(sum=a + b)


@server.tool(annotations=READ_ONLY, structured_output=False)
async def count(context: Context, to: Annotated[int, Field(ge=1, le=10)] = 3) -> str:
    """Counts, and reports its progress"""
    for number in range(1, to + 1):
        await context.report_progress(number, to)
        await anyio.sleep(0.01)
    return f"counted to {to}"


@server.tool(annotations=READ_ONLY, structured_output=False)
def fail() -> str:
    """Always fails"""
    raise ValueError("this tool fails on purpose")


@server.resource("demo://greeting", mime_type="text/plain")
def greeting() -> str:
    """A greeting"""
    return "hello"


@server.resource("demo://pixel", mime_type="application/octet-stream")
def pixel() -> bytes:
    """A few bytes"""
    return b"\x00\x01\x02"


@server.resource("demo://people/{name}", mime_type="text/plain")
def person(name: str) -> str:
    """Somebody"""
    return f"this is {name}"


@server.prompt()
def greet(name: str) -> str:
    """Greets somebody"""
    return f"Say hello to {name}."


def serve_http(port: int) -> None:
    listener = socket.create_server(("127.0.0.1", port))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    config = uvicorn.Config(server.streamable_http_app(), log_level="error")
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--http"]:
        serve_http(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    else:
        server.run("stdio")
