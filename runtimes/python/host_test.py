"""Tests of the door: who gets in, how large a body may be, what is said when a bridge raises.

    PYTHONPATH=runtimes/python runtimes/strands/.install/bin/python -m unittest host_test
"""

import asyncio
import json
import logging
import os
import unittest

import host

TOKEN = [(b"x-internal-token", b"secret")]
STREAM = [(b"content-type", b"text/event-stream")]


async def ok(scope, receive, send):
    """A bridge that says how much it was sent."""
    size = len((await receive())["body"])
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


def raises(*frames):
    """A bridge that raises after these frames, or before its answer when there are none."""

    async def bridge(scope, receive, send):
        if frames:
            await send({"type": "http.response.start", "status": 200, "headers": STREAM})
        for frame in frames:
            await send({"type": "http.response.body", "body": frame, "more_body": True})
        raise ValueError("out of luck")

    return bridge


def ask(bridge, method="POST", path="/agent/demo", headers=(*TOKEN,), body=(b"{}",)):
    """Sends one request, its body in pieces, and gives status, headers and body of the answer."""
    os.environ["AG_UI_INTERNAL_TOKEN"] = "secret"
    door = host.Host("demo", default_port=8100)
    door.topic("demo", lambda app, _path: setattr(app.router, "default", bridge))
    pieces = [{"type": "http.request", "body": piece, "more_body": True} for piece in body]
    pieces[-1]["more_body"] = False
    said = []

    async def receive():
        return pieces.pop(0) if pieces else {"type": "http.disconnect"}

    async def send(message):
        said.append(message)

    scope = {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "root_path": "",
             "query_string": b"", "headers": list(headers), "http_version": "1.1", "scheme": "http"}
    asyncio.run(door(scope, receive, send))
    return said[0]["status"], dict(said[0]["headers"]), b"".join(m.get("body", b"") for m in said[1:])


class Door(unittest.TestCase):
    def test_who_gets_in(self):
        for what, want, request in (
            ("health needs no token", 200, {"method": "GET", "path": "/ok", "headers": ()}),
            ("the topic", 200, {}),
            ("no token", 401, {"headers": ()}),
            ("a wrong token", 401, {"headers": [(b"x-internal-token", b"secret2")]}),
            ("two tokens", 401, {"headers": TOKEN * 2}),
            ("a stranger does not learn the topics", 401, {"path": "/agent/other", "headers": ()}),
            ("no such topic", 404, {"path": "/agent/other"}),
            ("no such path", 404, {"path": "/docs"}),
            ("a path below the topic", 404, {"path": "/agent/demo/x"}),
            ("another method", 404, {"method": "GET"}),
        ):
            with self.subTest(what):
                self.assertEqual(ask(ok, **request)[0], want)

    def test_the_token_leaves_the_environment(self):
        ask(ok)
        self.assertNotIn("AG_UI_INTERNAL_TOKEN", os.environ)

    def test_a_body_has_a_limit(self):
        half = b"x" * (host.MAX_BODY // 2)
        self.assertEqual(ask(ok, body=(half, half))[::2], (200, str(host.MAX_BODY).encode()))
        status, headers, _ = ask(ok, body=(half, half, b"x", half))
        self.assertEqual((status, headers[b"connection"]), (413, b"close"))


class Failing(unittest.TestCase):
    def setUp(self):
        logging.disable(logging.CRITICAL)
        self.addCleanup(logging.disable, logging.NOTSET)

    def test_before_the_answer(self):
        self.assertEqual(ask(raises())[0], 500)

    def test_in_the_stream(self):
        _, _, body = ask(raises(b'data: {"type":"RUN_STARTED"}\n\n'))
        frame = json.loads(body.decode().split("data: ")[2])
        self.assertEqual(frame, {"type": "RUN_ERROR", "message": "ValueError: out of luck", "code": "HOST_ERROR"})

    def test_after_the_run_ended_it_is_not_said_twice(self):
        end = b'data: {"type":"RUN_FINISHED"}\n\n'
        self.assertEqual(ask(raises(end))[2], end)


if __name__ == "__main__":
    unittest.main()
