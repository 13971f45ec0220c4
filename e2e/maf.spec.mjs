// The expense copilot on the embedded agent, which speaks as the Microsoft Agent
// Framework does: policy, the expense beside the chat, approval, the second agent.
import { answered, approval, approveTwice, childGrew, expect, id, idle, lying, open, record, say, series, suggest, test as base, theirs, watchChild } from './fixtures.mjs'

const test = base.extend({
  lying: lying('maf'),
})

const expense = (page) => id(page, 'expense-state')

test('first suggestion, Approve: filled in, asked, recorded, and so after a reload', async ({ page, app }) => {
  await record(page, 'amount', `() => {
    const state = document.querySelector('[data-testid=expense-state]')
    return state ? /\\$[\\d.,]+/.exec(state.textContent)?.[0] : undefined
  }`)
  await open(page, app, 'maf')
  await expect(expense(page)).toContainText('No expense yet')
  await suggest(page, 'File a team dinner')
  const card = await approval(page, '$220.00', 'Blue Finch Bistro', 'meals', 'Team dinner, 6 attendees')
  for (const text of ['Blue Finch Bistro', 'meals', '$220.00', 'Team dinner, 6 attendees']) await expect(expense(page)).toContainText(text)
  await expect(expense(page)).not.toContainText(/recorded|declined/i)
  await id(page, 'approve').click()
  const settled = async () => {
    await expect(card).toHaveAttribute('data-phase', 'approved')
    await expect(card).toContainText('Recorded. $220.00 to Blue Finch Bistro is queued for reimbursement.')
    await expect(expense(page)).toContainText(/recorded/i)
  }
  await settled()
  await answered(page, /submitted for reimbursement/)
  await say(page, 'thanks')
  await answered(page, /welcome/)
  await page.reload()
  await settled()
  expect(await series(page, 'amount'), 'no amount is shown half').toEqual(['$220.00'])
})

test('second suggestion, Cancel: the card, the panel and the agent say so', async ({ page, app }) => {
  await open(page, app, 'maf')
  await suggest(page, 'File a monitor purchase')
  const card = await approval(page, '$340.00', 'Pixel Peak Displays', 'equipment')
  await id(page, 'cancel').click()
  await expect(card).toHaveAttribute('data-phase', 'declined')
  await expect(card).toContainText('Declined. Nothing was submitted.')
  await expect(expense(page)).toContainText(/declined/i)
  await answered(page, /not submitted/)
  await say(page, 'File a lunch of $42 at Corner Deli')
  await approval(page, '$42.00', 'Corner Deli')
  await expect(expense(page)).toContainText('Corner Deli')
  await expect(expense(page)).not.toContainText(/declined|Pixel Peak/i)
})

test('third suggestion: the second agent streams into its card, then the expense is filed', async ({ page, app }) => {
  await watchChild(page)
  await open(page, app, 'maf')
  await suggest(page, 'Ask about conference travel')
  const card = page.locator('[data-testid=subagent-card][data-name=policy_researcher]')
  await expect(card).toHaveAttribute('data-status', 'complete')
  await expect(card.locator('li')).toHaveCount(3)
  await expect(card).toContainText('$1,500')
  await expect(page.locator('[data-testid=tool-card][data-tool=research_policy]')).toHaveCount(0)
  await answered(page, /Who was the vendor/)
  await childGrew(page)
  await say(page, 'GopherCon')
  await approval(page, '$900.00', 'GopherCon', 'travel')
  await id(page, 'approve').click()
  await answered(page, /submitted for reimbursement/)
})

test('the policy comes from a tool', async ({ page, app }) => {
  await open(page, app, 'maf')
  await say(page, 'What is the expense policy for software?')
  const card = page.locator('[data-testid=tool-card][data-tool=lookup_expense_policy]')
  await expect(card).toHaveAttribute('data-status', 'complete')
  await expect(card).toContainText('The limit for software is $500')
  await answered(page, /\$500/)
})

test('two tabs approve at once: one decision, one result', async ({ page, context, app, allowed }) => {
  allowed.push(/status (409|404)/, /409|404/) // the repeat may be refused
  await open(page, app, 'maf')
  await suggest(page, 'File a team dinner')
  await approval(page, '$220.00')
  await approveTwice(page, context)
  await answered(page, /submitted for reimbursement/)
  await expect(theirs(page)).toHaveCount(1)
  await expect(id(page, 'run-error')).toHaveCount(0)
})

for (const { button, says } of [
  { button: 'approve', says: /You approved, but the agent's answer does not confirm/ },
  { button: 'cancel', says: /You declined, but the agent reports a recorded expense/ },
]) {
  test(`${button}, and the result is another: the card does not claim what was not proven`, async ({ page, lying }) => {
    await open(page, lying, 'maf')
    await suggest(page, 'File a team dinner')
    const card = await approval(page, '$220.00')
    await id(page, button).click()
    await expect(card).toContainText(says)
    await idle(page)
    await expect(expense(page)).not.toContainText(/recorded|declined/i)
    expect(await lying.agent.errors(), 'requests that a real runtime would not have understood').toEqual([])
  })
}
