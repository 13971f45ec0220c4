"""What the expense copilot knows without a model: the policy and the shape of an expense."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

LIMITS = {"meals": 300, "travel": 1500, "equipment": 800, "software": 500}
RECEIPT_ABOVE = {"meals": 25, "travel": 0, "equipment": 0, "software": 0}


def sentence(category: str) -> str:
    """The policy for a category in one sentence; amounts are US dollars."""
    name = category.strip().lower()
    if name not in LIMITS:
        return f"There is no limit of its own for {name or 'this'}: the general limit is $200 with a receipt."
    above = RECEIPT_ABOVE[name]
    receipt = f"above ${above}" if above else "for every amount"
    return f"The limit for {name} is ${LIMITS[name]}; a receipt is needed {receipt}."


class Expense(BaseModel):
    """An expense to file. The amount is in US dollars."""

    model_config = ConfigDict(extra="forbid")

    vendor: Annotated[str, Field(min_length=1, max_length=120)]
    category: Literal["meals", "travel", "equipment", "software", "other"]
    amount_usd: Annotated[float, Field(gt=0, le=100_000, allow_inf_nan=False)]
    memo: Annotated[str, Field(max_length=300)] = ""


def record(expense: Any) -> str:
    """Pretends to queue an expense for reimbursement and says so."""
    # After an approval the framework passes a plain dict, not the model.
    filed = Expense.model_validate(expense)
    return f"Expense recorded: ${filed.amount_usd:.2f} to {filed.vendor} ({filed.category}), queued for reimbursement."
