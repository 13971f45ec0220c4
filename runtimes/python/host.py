"""What the three Python runtime services share: the door, not the agent.

A Host serves `GET /ok` openly, asks everything else for the X-Internal-Token, answers
unknown paths and topics with 404, and lets each vendor bridge mount its own FastAPI
endpoint, unchanged, at /agent/<topic>. It listens on 127.0.0.1 only and refuses to boot
without AG_UI_INTERNAL_TOKEN. A body larger than MAX_BODY is
refused with 413 and not read to its end. It never rewrites a frame of a bridge; the one
frame it may add is RUN_ERROR with code HOST_ERROR, when a bridge raised instead of ending its stream.

    host = Host("strands", default_port=8102)
    host.topic("strands", lambda app, path: add_strands_fastapi_endpoint(app, agent, path))
    host.serve()

Import this module before any vendor package: it switches their telemetry off.
"""

import hmac
import json
import logging
import os
import pathlib
import sys

# The packages read these when they are imported. Nothing but the model is contacted.
os.environ.update(
    OTEL_SDK_DISABLED="true",
    OTEL_TRACES_EXPORTER="none",
    OTEL_METRICS_EXPORTER="none",
    OTEL_LOGS_EXPORTER="none",
    LANGSMITH_TRACING="false",
    LANGCHAIN_TRACING_V2="false",
    ENABLE_INSTRUMENTATION="false",
    AGENT_FRAMEWORK_USER_AGENT_DISABLED="true",
)
# The vendors' OpenAI client does not start without a key; a local model needs none.
os.environ.setdefault("OPENAI_API_KEY", "none")

import uvicorn  # noqa: E402
from fastapi import FastAPI  # noqa: E402

MAX_BODY = 1_000_000  # bytes, as in the Mastra service

log = logging.getLogger("host")


def model_name():
    """The model the agents ask for (CAIRN_MODEL)."""
    return os.environ.get("CAIRN_MODEL") or "gpt-4o-mini"


def data_dir(service):
    """The folder that outlives a restart: DATA_DIR, or .data in the service's folder."""
    here = pathlib.Path(__file__).resolve().parent.parent / service / ".data"
    folder = pathlib.Path(os.environ.get("DATA_DIR") or here)
    os.umask(0o077)  # what is kept there is what people wrote
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class Host:
    """One service: its topics, its token, its port.

    lifespan is FastAPI's: an async context manager taking the app, for stores that have to
    be opened in the running loop; topic() may be called inside it.
    """

    def __init__(self, service, default_port, lifespan=None):
        # Taken out of the environment, so that no tool and no child process can read it.
        token = os.environ.pop("AG_UI_INTERNAL_TOKEN", "")
        if not token:
            sys.exit(f"{service}: AG_UI_INTERNAL_TOKEN is not set; refusing to start without it")
        port = os.environ.get("PORT") or str(default_port)
        if not port.isdigit() or not 0 < int(port) < 65536:
            sys.exit(f"{service}: PORT is not a port number: {port!r}")
        self.service, self.port = service, int(port)
        self._token = token.encode()
        self._topics = set()
        self._app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)

    def topic(self, name, mount):
        """Registers POST /agent/<name>; mount(app, path) adds the vendor's own route there."""
        mount(self._app, f"/agent/{name}")
        self._topics.add(name)

    def serve(self):
        """Serves until SIGINT or SIGTERM. Running streams get two seconds to end."""
        logging.basicConfig(level=os.environ.get("LOG_LEVEL", "WARNING").upper(), stream=sys.stderr)
        print(f"{self.service}: http://127.0.0.1:{self.port}/agent/…", file=sys.stderr, flush=True)
        uvicorn.run(
            self,
            host="127.0.0.1",
            port=self.port,
            access_log=False,
            log_level="warning",
            server_header=False,
            timeout_graceful_shutdown=2,
        )

    async def __call__(self, scope, receive, send):
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._door(scope, receive, send)
        # A websocket is not answered, which uvicorn turns into a refusal.

    async def _door(self, scope, receive, send):
        method, path = scope["method"], scope["path"]
        if method == "GET" and path == "/ok":
            return await _reply(send, 200, {"ok": True})
        sent = [value for name, value in scope["headers"] if name == b"x-internal-token"]
        # Before the path, so that a stranger learns nothing about which topics exist.
        if not hmac.compare_digest(sent[0] if len(sent) == 1 else b"", self._token):
            return await _reply(send, 401, {"detail": "unauthorized"})
        topic = path.removeprefix("/agent/")
        if method != "POST" or topic in ("", path) or "/" in topic:
            return await _reply(send, 404, {"detail": "not found"})
        if topic not in self._topics:
            return await _reply(send, 404, {"detail": f"no such topic: {topic}"})
        body = await _read(receive)
        if body is None:
            return await _reply(send, 413, {"detail": f"the body is larger than {MAX_BODY} bytes"})
        await self._run(scope, _again(body, receive), send)

    async def _run(self, scope, receive, send):
        """Passes the request to the bridge, and its failures on as far as HTTP still allows.

        One before the answer is FastAPI's 500; one in a stream becomes its last frame. A
        client that leaves is the bridge's business: Starlette cancels its generator.
        """
        answer = _Answer(send)
        try:
            await self._app(scope, receive, answer)
        except Exception as error:
            log.exception("%s: the bridge raised", self.service)
            if answer.streaming and not answer.ended:
                frame = {"type": "RUN_ERROR", "message": f"{type(error).__name__}: {error}"[:500], "code": "HOST_ERROR"}
                data = b"" if answer.told else b"data: " + _json(frame) + b"\n\n"
                await send({"type": "http.response.body", "body": data})


class _Answer:
    """Watches a response go by, to know what can still be said when the bridge raises."""

    def __init__(self, send):
        self._send = send
        self.streaming, self.told, self.ended = False, False, False

    async def __call__(self, message):
        if message["type"] == "http.response.start":
            kind = dict(message.get("headers", [])).get(b"content-type", b"")
            self.streaming = kind.startswith(b"text/event-stream")
        elif message["type"] == "http.response.body":
            body = message.get("body", b"")
            # Bridges send one frame a message, with the type as its first member.
            self.told = self.told or body[:48].find(b'"RUN_FINISHED"') > 0 or body[:48].find(b'"RUN_ERROR"') > 0
            self.ended = not message.get("more_body", False)
        await self._send(message)


async def _read(receive):
    """The body of a request, or None when it is too large."""
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MAX_BODY:
            return None
        more = message.get("more_body", False)  # a client that is gone sends no more
    return body


def _again(body, receive):
    """An ASGI receive that gives a body that was read already, then what still comes."""
    first = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay():
        return first.pop() if first else await receive()

    return replay


async def _reply(send, status, body):
    data = _json(body)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(data)).encode())]
    if status == 413:
        headers.append((b"connection", b"close"))  # the rest of the body is not read
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": data})


def _json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
