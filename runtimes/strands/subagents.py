"""Shows a specialist at work: the emitter the bridge leaves to the hosting service.

The bridge forwards what an async generator tool yields to ToolBehavior.tool_stream_event_handler
and puts the AG-UI events the handler yields into the run's stream, between the delegating
call's TOOL_CALL_END and its TOOL_CALL_RESULT. So the tool below yields AG-UI events.
Text only: the specialist here has no tools of its own.
"""

import uuid

from ag_ui.core import (
    BaseEvent,
    SubagentErrorEvent,
    SubagentFinishedEvent,
    SubagentStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
)


async def forward(context):
    """The tool_stream_event_handler: AG-UI events pass, the tool's own result does not."""
    if isinstance(context.stream_data, BaseEvent):
        yield context.stream_data


async def delegate(specialist, task, tool_call_id):
    """Runs the specialist and yields its work as attributed events, then its answer as text.

    A failure is told as SUBAGENT_ERROR and raised on, so that the tool call fails and the
    run goes on. Closing the generator (the client left) closes the specialist's model call.
    """
    run = str(uuid.uuid4())
    message, answer = None, ""
    yield SubagentStartedEvent(
        subagent_run_id=run,
        name=specialist.name,
        description=specialist.description,
        parent_tool_call_id=tool_call_id,
    )
    try:
        async for event in specialist.stream_async(task):
            words = event.get("data")
            if words:
                if message is None:
                    message = str(uuid.uuid4())
                    yield TextMessageStartEvent(message_id=message, role="assistant", subagent_run_id=run)
                answer += words
                yield TextMessageContentEvent(message_id=message, delta=words, subagent_run_id=run)
    except Exception as error:
        if message is not None:
            yield TextMessageEndEvent(message_id=message, subagent_run_id=run)
        yield SubagentErrorEvent(subagent_run_id=run, message=str(error) or type(error).__name__)
        raise
    if message is not None:
        yield TextMessageEndEvent(message_id=message, subagent_run_id=run)
    yield SubagentFinishedEvent(subagent_run_id=run)
    yield answer or "The researcher had nothing to say."
