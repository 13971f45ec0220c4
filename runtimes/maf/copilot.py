"""The expense copilot and its policy researcher as Microsoft Agent Framework agents."""

from agent_framework import Agent, FunctionInvocationContext, function_middleware, tool
from agent_framework_openai import OpenAIChatClient

import policy
from subagents import WithSubagents, delegate

COPILOT = """You are an expense copilot. Answer in one short sentence.
- To file an expense, call submit_expense at once and say nothing before it; the person approves it in their own window.
- When the vendor, the category or the amount is missing, ask for it.
- For the limit of a category, call lookup_expense_policy.
- When asked to research the policy, call research_policy first, and submit only after that.
- After submit_expense, say what became of the expense."""

RESEARCHER = """You research the travel and expense policy for an expense copilot.
Answer with exactly three short bullets: the limit, the receipt, the risk. Nothing else."""


@tool
def lookup_expense_policy(category: str) -> str:
    """The expense policy for a category: meals, travel, equipment, software or other."""
    return policy.sentence(category)


@tool(approval_mode="always_require")
def submit_expense(expense: policy.Expense) -> str:
    """Submit an expense for reimbursement. A person has to approve it first."""
    return policy.record(expense)


@function_middleware
async def with_call_id(_context, call_next):
    """Does nothing, but must be there: only behind a middleware does a tool's context hold the call id."""
    await call_next()


def build(model_name: str) -> WithSubagents:
    """Builds the agent behind the bridge. The client reads OPENAI_BASE_URL and OPENAI_API_KEY."""
    client = OpenAIChatClient(model_name)
    researcher = Agent(client, RESEARCHER, name="policy_researcher")

    @tool
    async def research_policy(category: str, amount: float, ctx: FunctionInvocationContext) -> str:
        """Have a specialist research the policy for an expense of this category and amount in US dollars."""
        question = f"{category}, ${amount:.2f}. {policy.sentence(category)}"
        return await delegate(researcher, question, ctx.metadata["call_id"])

    return WithSubagents(
        Agent(
            client,
            COPILOT,
            name="expense_approval_copilot",
            tools=[lookup_expense_policy, submit_expense, research_policy],
            middleware=[with_call_id],
        ),
        name="ExpenseApprovalCopilot",
        state_schema={"expense": {"type": "object", "description": "The expense being filed"}},
        predict_state_config={"expense": {"tool": "submit_expense", "tool_argument": "expense"}},
        # Without this the bridge adds a confirm_changes tool call beside its own interrupt.
        require_confirmation=False,
    )
