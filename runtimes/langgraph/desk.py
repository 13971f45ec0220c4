"""The refund desk as a LangGraph graph.

    desk ──tool calls──▶ tools ──▶ desk ──a draft is pending──▶ approval (pauses) ──▶ end

The model's draft_refund call is the structured extraction; the desk then acknowledges it in
a streamed sentence. The pause has a node of its own, because LangGraph runs a paused node
again from its top: nothing before interrupt() may count.
"""

from typing import Annotated, Any, Literal

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import InjectedToolCallId, tool
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, Send, interrupt
from typing_extensions import TypedDict

import refund

DESK = """You are the refund desk of a small software company. Answer in one or two short sentences.
- For a refund that names an amount, a customer id and a reason, call draft_refund and say nothing before it.
- When one of the three is missing, ask for it. Draft one refund at a time.
- For facts about a customer, call lookup_customer.
- For a question about the refund policy, delegate to the refund_researcher with task, then answer in one sentence.
- After a draft, say in one sentence that it waits for an operator. You cannot approve anything yourself."""

RESEARCHER = f"""You are the refund researcher. You look up what the refund policy says: {refund.POLICY}
Answer with at most three short bullets and nothing else."""


def one_draft(old: dict[str, Any] | None, new: dict[str, Any]) -> dict[str, Any]:
    """Keeps the first of several drafts made at once: there is one approval at a time."""
    both = old and old.get("status") == "pending" and new.get("status") == "pending"
    return old if both else new


class Desk(TypedDict, total=False):
    """The graph's state. refund is what the panel shows: the draft and what became of it."""

    messages: Annotated[list, add_messages]
    refund: Annotated[dict[str, Any], one_draft]


class DraftCall(refund.RefundDraft):
    """What the model fills in, and the call id LangGraph adds."""

    call_id: Annotated[str, InjectedToolCallId]


@tool
def lookup_customer(customer_id: str) -> dict[str, Any]:
    """Look up a customer: name, plan and the last charges in US dollars."""
    return refund.CUSTOMERS.get(customer_id) or {"error": f"no customer {customer_id}"}


@tool(args_schema=DraftCall)
def draft_refund(amount: float, customer_id: str, reason: str, call_id: str) -> Command:
    """Draft a refund from the conversation. An operator has to approve it before it is issued."""
    drafted = refund.RefundDraft(amount=amount, customer_id=customer_id, reason=reason)
    note = ToolMessage("Draft saved. It waits for an operator's approval.", tool_call_id=call_id)
    return Command(update={"refund": drafted.model_dump() | {"status": "pending"}, "messages": [note]})


def build(model_name: str, checkpointer):
    """Compiles the graph on a durable checkpointer."""
    # stream_usage asks for the token counts the bridge puts on RUN_FINISHED.
    llm = ChatOpenAI(model=model_name, stream_usage=True)
    researcher = create_agent(llm, tools=[], system_prompt=RESEARCHER, name="refund_researcher")

    # The name and the arguments are those by which the bridge knows a delegation: deepagents'
    # convention. Under another name the specialist is shown without the call it belongs to.
    @tool
    async def task(
        description: str, subagent_type: Literal["refund_researcher"], config: RunnableConfig
    ) -> str:
        """Ask a specialist: the refund_researcher knows what the refund policy says."""
        done = await researcher.ainvoke({"messages": [("user", description)]}, config)
        return done["messages"][-1].text

    tools = [lookup_customer, draft_refund, task]
    with_tools = llm.bind_tools(tools)

    async def desk(state: Desk):
        return {"messages": [await with_tools.ainvoke([SystemMessage(DESK), *state["messages"]])]}

    def route(state: Desk):
        # One dispatch a call, as LangChain's own agents do it; the bridge reads the call id from it.
        if calls := getattr(state["messages"][-1], "tool_calls", []):
            return [Send("tools", [call]) for call in calls]
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
    graph.add_node("approval", approval)
    graph.add_edge(START, "desk")
    graph.add_conditional_edges("desk", route, ["tools", "approval", END])
    graph.add_edge("tools", "desk")
    graph.add_edge("approval", END)
    return graph.compile(checkpointer=checkpointer)
