"""Serves the refund desk through ag-ui-langgraph, once in each of its two interrupt dialects.

/agent/langgraph         the bridge's default: CUSTOM on_interrupt and a plain RUN_FINISHED
/agent/langgraph-native  its newer options: RUN_FINISHED with outcome "interrupt", no RAW frames

Both run the same graph on the same checkpoints, kept in DATA_DIR/checkpoints.sqlite.
"""

from contextlib import asynccontextmanager

from host import Host, data_dir, model_name  # first: it switches telemetry off

from ag_ui_langgraph import add_langgraph_fastapi_endpoint
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

import desk
from bridge import Bridge


@asynccontextmanager
async def lifespan(_app):
    file = data_dir("langgraph") / "checkpoints.sqlite"
    async with AsyncSqliteSaver.from_conn_string(str(file)) as saver:
        graph = desk.build(model_name(), saver)
        for topic, dialect in {
            "langgraph": {},
            "langgraph-native": {
                "enable_legacy_on_interrupt_event": False,
                "emit_interrupt_outcome": True,
                "emit_raw_events": False,
            },
        }.items():
            agent = Bridge(name=topic, graph=graph, subagent_visibility="attributed", **dialect)
            host.topic(topic, lambda app, path, agent=agent: add_langgraph_fastapi_endpoint(app, agent, path))
        yield


host = Host("langgraph", 8104, lifespan=lifespan)
host.serve()
