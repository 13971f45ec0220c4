"""What the refund desk knows and decides without a model: customers, drafts, decisions.

Nothing here refunds anything; a refund id is made up from the customer id.
"""

import math
from typing import Annotated, Any

from pydantic import BaseModel, Field

CUSTOMERS = {
    "cus_a8x2k": {"name": "Alder & Finch", "plan": "Team", "last_charges": [47.5, 47.5]},
    "cus_z19fp": {"name": "Brightwater Studio", "plan": "Business", "last_charges": [129.0]},
    "cus_m40qt": {"name": "Cove Print Works", "plan": "Solo", "last_charges": [12.0]},
}

POLICY = (
    "Duplicate charges are refunded in full within 60 days. "
    "Chargebacks are refunded once, after the bank's claim is attached. "
    "Unused subscription time is refunded by the day within 14 days of the renewal. "
    "Every refund is approved by an operator."
)


class RefundDraft(BaseModel):
    """A refund a human is asked to approve. Amounts are US dollars."""

    amount: Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)]
    customer_id: Annotated[str, Field(pattern=r"^cus_[A-Za-z0-9]{1,32}$")]
    reason: Annotated[str, Field(min_length=1, max_length=300)]


def approval_request(draft: RefundDraft) -> dict[str, Any]:
    """The payload of the pause."""
    return {"kind": "refund_approval", **draft.model_dump()}


def decide(draft: RefundDraft, answer: Any) -> tuple[dict[str, Any], str]:
    """Reads what came back into the pause: the refund's new state, and the sentence to say.

    {"approved": true} issues the drafted amount, {"approved": true, "amount": n} issues n;
    anything else, and an amount that is no positive number, cancels.
    """
    shown = draft.model_dump()
    approved = isinstance(answer, dict) and answer.get("approved") is True
    amount = answer.get("amount", draft.amount) if approved else None
    if isinstance(amount, bool) or not isinstance(amount, (int, float)) or not (0 < amount <= 100_000):
        return shown | {"status": "cancelled"}, "Refund cancelled by operator. No charge issued."
    amount = math.floor(amount * 100 + 0.5) / 100
    refund_id = "re_demo_" + draft.customer_id[-6:]
    sentence = f"Refund of ${amount:.2f} issued to `{draft.customer_id}`. Refund ID: `{refund_id}`"
    return shown | {"amount": amount, "status": "issued", "refund_id": refund_id}, sentence
