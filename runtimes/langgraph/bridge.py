"""The vendor's bridge, made to pass a reader's leaving on to the model. It adds no frame.

When a client closes the connection, Starlette cancels the response over and over until it
has ended. LangChain's event stream cancels its own task on the first of these, and the
second one tears it away from waiting for that task: the model call then runs on, unseen,
to its end (measured). Here the bridge runs in a task of its own and is cancelled once.
"""

import asyncio

from ag_ui_langgraph import LangGraphAgent

# How many frames may wait for a slow reader before the run has to wait as well.
AHEAD = 64

_END = object()
_ending: set[asyncio.Task] = set()


class Bridge(LangGraphAgent):
    async def run(self, input):
        frames = asyncio.Queue(AHEAD)

        async def bridge():
            last = _END
            try:
                async for event in super(Bridge, self).run(input):
                    await frames.put(event)
            except Exception as problem:
                last = problem
            await frames.put(last)

        # Ended by the bridge, or cancelled below when the reader leaves.
        task = asyncio.create_task(bridge())
        _ending.add(task)  # asyncio itself keeps no task alive.
        task.add_done_callback(_ending.discard)
        try:
            while (event := await frames.get()) is not _END:
                if isinstance(event, Exception):
                    raise event
                yield event
        finally:
            task.cancel()
