"""Serves the expense copilot through agent-framework-ag-ui: POST /agent/maf."""

from host import Host, model_name  # first: it switches telemetry off

from agent_framework_ag_ui import add_agent_framework_fastapi_endpoint

import copilot

host = Host("maf", 8103)
# One token opens the whole service, so its callers are one principal to the bridge.
host.topic(
    "maf",
    lambda app, path: add_agent_framework_fastapi_endpoint(
        app, copilot.build(model_name()), path, single_user=True
    ),
)
host.serve()
