"""The schedule the meeting scheduler works on, and the shared state a client sees.

The state is one document, {"availability": {day, slots} | null, "booking": {topic, slot,
status} | null}. It is kept per thread in the Strands agent's own state, which the session
manager writes to disk. Every hook returns the whole document, because a client replaces its
state with each STATE_SNAPSHOT.
"""

FREE = {
    "Monday": ["09:00", "13:30"],
    "Tuesday": ["10:00", "15:00"],
    "Wednesday": ["11:00"],
    "Thursday": ["09:30", "14:00", "16:30"],
    "Friday": ["10:30"],
}

_KEY = "schedule"


def free_slots(day):
    """The weekday as it is written here and its free slots; an unknown day has none."""
    for name, slots in FREE.items():
        if day.strip().lower()[:3] == name.lower()[:3]:
            return name, list(slots)
    return day, []


def read(agent):
    """The thread's document, or an empty one."""
    return agent.state.get(_KEY) or {"availability": None, "booking": None}


def write(agent, **parts):
    """Changes parts of the thread's document and returns all of it."""
    document = {**read(agent), **parts}
    agent.state.set(_KEY, document)
    return document
