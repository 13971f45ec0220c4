"""The meeting scheduler on strands-agents, and how the bridge is told about its tools.

Three tools: one looks slots up, one books and pauses for a person first, one hands the
question of who is free when to a specialist. Nothing is booked before the person said
{"approved": true}; every other answer, also a cancelled one, books nothing.
"""

import hashlib
import os

from ag_ui_strands import StrandsAgent, StrandsAgentConfig, ToolBehavior
from strands import Agent, ToolContext, tool
from strands.models.openai import OpenAIModel
from strands.session.file_session_manager import FileSessionManager

import host
import schedule
import subagents

SCHEDULER = """You are a meeting scheduler for a small team.
To book, first call check_availability with the weekday, then call book_meeting with the topic
and a free slot written as weekday and time, such as "Tuesday 10:00". Call it without any text;
it asks a person, so do not ask yourself. When it answers, say in one sentence what happened.
When you are asked when people are free, call research_availability with their names and the
dates and leave the research to it."""

RESEARCHER = """You are the availability researcher. You are given names and dates and answer
in at most three short bullets when those people can meet. No introduction, no conclusion."""


def model():
    # The client reads OPENAI_BASE_URL and OPENAI_API_KEY itself.
    return OpenAIModel(client_args={"base_url": os.environ.get("OPENAI_BASE_URL")}, model_id=host.model_name())


@tool
def check_availability(day: str) -> dict:
    """Look up the free slots of a weekday.

    Args:
        day: The weekday, such as "Tuesday".
    """
    name, slots = schedule.free_slots(day)
    return {"day": name, "slots": slots}


@tool(context=True)
def book_meeting(topic: str, slot: str, tool_context: ToolContext) -> str:
    """Book a meeting. A person is asked first and may decline.

    Args:
        topic: What the meeting is about.
        slot: Weekday and time, such as "Tuesday 10:00".
    """
    # Run again from the top when the decision arrives: nothing may happen above this line.
    decision = tool_context.interrupt("book_meeting", reason={"topic": topic, "slot": slot})
    answer = decision.get("response")
    approved = isinstance(answer, dict) and answer.get("approved") is True
    status = "booked" if approved else "declined"
    schedule.write(tool_context.agent, booking={"topic": topic, "slot": slot, "status": status})
    if not approved:
        return f"The person declined. Meeting NOT booked: {topic}"
    return f"Meeting booked for {slot}: {topic}"


@tool(context=True)
async def research_availability(attendees: list[str], date_range: str, tool_context: ToolContext):
    """Have the availability researcher find out when people can meet.

    Args:
        attendees: The names of the people.
        date_range: The dates to look at, such as "next week".
    """
    specialist = Agent(
        model=model(),
        system_prompt=RESEARCHER,
        name="availability_researcher",
        description="Finds out when people can meet.",
        callback_handler=None,
        retry_strategy=None,
    )
    task = f"When can {', '.join(attendees)} meet, {date_range}? Answer in at most three bullets."
    async for event in subagents.delegate(specialist, task, tool_context.tool_use["toolUseId"]):
        yield event


class Scheduler:
    """The bridge's agent, with the threads it holds and the folder they are kept in."""

    def __init__(self, sessions):
        self._sessions = sessions
        # The bridge's cache of one Strands agent per thread; the hooks read theirs from it.
        self._threads = {}

    def bridge(self):
        template = Agent(
            model=model(),
            system_prompt=SCHEDULER,
            tools=[check_availability, book_meeting, research_availability],
            # A fixed id, because a paused session is found again under it after a restart.
            agent_id="meeting_scheduler",
            callback_handler=None,
            # The OpenAI client retries twice within two seconds. The SDK would go on for two
            # minutes after a 429, in which the person sees nothing (measured: 133 s).
            retry_strategy=None,
        )
        return StrandsAgent(
            agent=template,
            name="aws-strands",
            description="Schedules meetings.",
            config=StrandsAgentConfig(
                tool_behaviors={
                    "check_availability": ToolBehavior(state_from_result=self._availability),
                    "book_meeting": ToolBehavior(state_from_args=self._proposed, state_from_result=self._decided),
                    "research_availability": ToolBehavior(tool_stream_event_handler=subagents.forward),
                },
                session_manager_provider=self._session,
            ),
            agents_by_thread=self._threads,
        )

    def _session(self, run):
        # A thread id may hold characters a folder name may not.
        name = hashlib.sha256(run.thread_id.encode()).hexdigest()[:32]
        return FileSessionManager(session_id=name, storage_dir=str(self._sessions))

    def _agent(self, context):
        return self._threads[context.input_data.thread_id or "default"]

    # The model's arguments and a failed tool's result can be anything, also plain text.

    def _availability(self, result):
        found = result.result_data
        if isinstance(found, dict):
            schedule.write(self._agent(result), availability=found)
        return schedule.read(self._agent(result))

    def _proposed(self, call):
        given = call.tool_input if isinstance(call.tool_input, dict) else {}
        booking = {key: given.get(key) for key in ("topic", "slot")}
        if all(isinstance(value, str) for value in booking.values()):
            schedule.write(self._agent(call), booking={**booking, "status": "pending"})
        return schedule.read(self._agent(call))

    def _decided(self, result):
        return schedule.read(self._agent(result))
