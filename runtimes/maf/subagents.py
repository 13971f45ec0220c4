"""Shows a nested agent on the wire: the one part of the stream that is not the bridge's.

agent-framework-ag-ui emits nothing for an agent that runs inside a tool. WithSubagents is
its agent class with a side entrance: delegate(), called by a tool, streams the nested
agent's text as SUBAGENT_STARTED, TEXT_MESSAGE_* carrying subagentRunId, and
SUBAGENT_FINISHED or SUBAGENT_ERROR. It touches no frame of the bridge.
"""

import asyncio
import contextlib
from contextvars import ContextVar
from uuid import uuid4

from ag_ui.core import (
    SubagentErrorEvent,
    SubagentFinishedEvent,
    SubagentStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
)
from agent_framework_ag_ui import AgentFrameworkAgent

# How many frames may wait for a slow reader before the run has to wait as well.
AHEAD = 64

_END = object()
_frames: ContextVar[asyncio.Queue] = ContextVar("frames")


class WithSubagents(AgentFrameworkAgent):
    async def run(self, input_data, **kwargs):
        frames = asyncio.Queue(AHEAD)

        async def bridge():
            _frames.set(frames)  # Seen by the tools of this run only: a task has its own context.
            last = _END
            try:
                async for event in super(WithSubagents, self).run(input_data, **kwargs):
                    await frames.put(event)
            except Exception as problem:
                last = problem
            await frames.put(last)

        # Ended by the bridge, or cancelled below when the reader leaves.
        task = asyncio.create_task(bridge())
        try:
            while (event := await frames.get()) is not _END:
                if isinstance(event, Exception):
                    raise event
                yield event
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


async def delegate(agent, task, tool_call_id):
    """Runs a nested agent for a tool call, shows it, and returns its text. Raises its failure."""
    show = _frames.get().put
    run = {"subagent_run_id": f"sub-{uuid4()}"}
    message = {"message_id": f"msg-{uuid4()}"} | run
    await show(
        SubagentStartedEvent(**run, name=agent.name, description=task, parent_tool_call_id=tool_call_id)
    )
    text = ""
    try:
        async for update in agent.run(task, stream=True):
            # The Responses client ends a text with all of it once more, marked "replace".
            words = "".join(c.text for c in update.contents if c.type == "text" and c.merge_mode != "replace")
            if not words:
                continue
            if not text:
                await show(TextMessageStartEvent(**message))
            text += words
            await show(TextMessageContentEvent(**message, delta=words))
    except Exception as problem:
        if text:
            await show(TextMessageEndEvent(**message))
        # As the bridge does it: what a provider says about its failure stays here.
        await show(
            SubagentErrorEvent(**run, message=f"{agent.name} failed.", code=type(problem).__name__)
        )
        raise
    if text:
        await show(TextMessageEndEvent(**message))
    await show(SubagentFinishedEvent(**run))
    return text
