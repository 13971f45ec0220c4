"""The Strands runtime service: the vendor's bridge behind the shared door."""

import logging

from host import Host, data_dir  # first: it switches telemetry off

from ag_ui_strands import add_strands_fastapi_endpoint

from agents import Scheduler

# The bridge steps each frame in a task of its own, and the tracing API, switched off or not,
# logs an error with a stack for every step that ends in another task than it began in.
logging.getLogger("opentelemetry.context").setLevel(logging.CRITICAL)

service = Host("strands", default_port=8102)
bridge = Scheduler(data_dir("strands") / "sessions").bridge()
service.topic("strands", lambda app, path: add_strands_fastapi_endpoint(app, bridge, path))
service.serve()
