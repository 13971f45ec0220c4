"""The refund desk as a LangGraph graph.

    desk ──tool calls──▶ tools ──▶ desk
      └──draft_refund──▶ draft ──▶ approval (pauses) ──▶ end

The model's draft_refund call is the structured extraction. The pause has a node of its own,
because LangGraph runs a paused node again from its top: nothing before interrupt() may count.
"""

from typing import Annotated, Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode
from langgraph.types import Send, interrupt
from pydantic import ValidationError
from typing_extensions import TypedDict

import refund

DESK = """You are the refund desk of a small software company. Answer in one or two short sentences.
- For a refund that names an amount, a customer id and a reason, call draft_refund with them and say nothing else.
- When one of the three is missing, ask for it.
- For facts about a customer, call lookup_customer.
- For a question about the refund policy, delegate with task to the refund_researcher and then answer in one sentence.
- After a draft, say in one sentence that it waits for an operator. You cannot approve anything yourself."""

RESEARCHER = f"""You research the refund policy for the refund desk. The policy: {refund.POLICY}
Answer with at most three short bullets and nothing else."""


class Desk(TypedDict, total=False):
    """The graph's state. refund is what the panel shows: the draft and what became of it."""

    messages: Annotated[list, add_messages]
    refund: dict[str, Any]


@tool
def lookup_customer(customer_id: str) -> dict[str, Any]:
    """Look up a customer: name, plan and the last charges in US dollars."""
    return refund.CUSTOMERS.get(customer_id) or {"error": f"no customer {customer_id}"}


@tool(args_schema=refund.RefundDraft)
def draft_refund(amount: float, customer_id: str, reason: str) -> str:
    """Draft a refund from the conversation. An operator has to approve it before it is issued."""
    raise NotImplementedError("the draft node reads this call; it is never executed")


def build(model_name: str, checkpointer):
    """Compiles the graph on a durable checkpointer."""
    # stream_usage asks for the token counts the bridge puts on RUN_FINISHED.
    llm = ChatOpenAI(model=model_name, stream_usage=True)
    researcher = create_agent(llm, tools=[], system_prompt=RESEARCHER, name="refund_researcher")

    # The name and the two arguments are the ones by which the bridge knows a delegation:
    # deepagents' convention. Another name would stream the specialist as the desk's own text.
    @tool
    async def task(description: str, subagent_type: str, config: RunnableConfig) -> str:
        """Delegate a question about the refund policy to a specialist. subagent_type is always "refund_researcher"."""
        if subagent_type != "refund_researcher":
            return f"There is no specialist called {subagent_type}."
        done = await researcher.ainvoke({"messages": [("user", description)]}, config)
        return done["messages"][-1].text

    tools = [lookup_customer, task]
    with_tools = llm.bind_tools([*tools, draft_refund])

    async def desk(state: Desk):
        return {"messages": [await with_tools.ainvoke([SystemMessage(DESK), *state["messages"]])]}

    def route(state: Desk):
        calls = getattr(state["messages"][-1], "tool_calls", [])
        if any(call["name"] == "draft_refund" for call in calls):
            return "draft"
        # One dispatch a call, as LangChain's own agents do it; the bridge reads the call id from it.
        return [Send("tools", [call]) for call in calls] or END

    async def draft(state: Desk):
        """Takes the extraction over into the state and streams an acknowledgement."""
        answers, drafted = [], None
        for call in state["messages"][-1].tool_calls:
            note = "Not done: one refund at a time, and nothing else beside it."
            if call["name"] == "draft_refund" and drafted is None:
                try:
                    drafted = refund.RefundDraft.model_validate(call["args"])
                    note = "Draft saved. It waits for an operator's approval."
                except ValidationError as problem:
                    note = "Not drafted: " + "; ".join(
                        f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in problem.errors()
                    )
            answers.append(ToolMessage(note, tool_call_id=call["id"], name=call["name"]))
        spoken = await with_tools.bind(tool_choice="none").ainvoke(
            [SystemMessage(DESK), *state["messages"], *answers]
        )
        update: Desk = {"messages": [*answers, spoken]}
        if drafted:
            update["refund"] = drafted.model_dump() | {"status": "pending"}
        return update

    def pauses(state: Desk):
        return "approval" if state.get("refund", {}).get("status") == "pending" else END

    def approval(state: Desk):
        fields = {name: state["refund"][name] for name in refund.RefundDraft.model_fields}
        drafted = refund.RefundDraft.model_validate(fields)
        answer = interrupt(refund.approval_request(drafted))
        after, sentence = refund.decide(drafted, answer)
        return {"refund": after, "messages": [AIMessage(sentence)]}

    graph = StateGraph(Desk)
    graph.add_node("desk", desk)
    graph.add_node("tools", ToolNode(tools))
    graph.add_node("draft", draft)
    graph.add_node("approval", approval)
    graph.add_edge(START, "desk")
    graph.add_conditional_edges("desk", route, ["tools", "draft", END])
    graph.add_edge("tools", "desk")
    graph.add_conditional_edges("draft", pauses, ["approval", END])
    graph.add_edge("approval", END)
    return graph.compile(checkpointer=checkpointer)
