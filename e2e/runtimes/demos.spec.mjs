// The other demos on their real runtimes: the same page, told apart by what they ask
// and what they keep in the shared state.
import { answered, appWith, approval, expect, id, open, say, suggest, test as base } from '../fixtures.mjs'
import { startRuntime } from './service.mjs'

const demos = [
  {
    name: 'strands', book: 'Book the Q3 roadmap review', panel: 'schedule-state', shows: [/Tuesday/, /10:00/],
    asks: ['Q3 roadmap review', 'Tuesday 10:00'], approved: /Booked\. Q3 roadmap review, Tuesday 10:00/, declined: /Declined\. Nothing was booked/,
    research: 'Find a time for Ada and Grace', specialist: 'availability_researcher',
    ends: { approved: /booked/i, declined: /declined/i },
  },
  {
    name: 'maf', book: 'File a team dinner', panel: 'expense-state', shows: [/Blue Finch Bistro/, /\$220\.00/],
    asks: ['$220.00', 'Blue Finch Bistro', 'meals'], approved: /Expense recorded|queued for reimbursement/, declined: /Declined\. Nothing was submitted/,
    research: 'Ask about conference travel', specialist: 'policy_researcher',
    ends: { approved: /Blue Finch/, declined: /Blue Finch/ },
  },
  {
    name: 'langgraph', book: 'Refund a duplicate charge', panel: 'refund-state', shows: [/cus_a8x2k/, /\$47\.50/],
    asks: ['$47.50', 'cus_a8x2k', 'Duplicate charge'], approved: /Refunded\. \$47\.50 to cus_a8x2k, refund re_demo_/, declined: /Declined\. Nothing was refunded/,
    research: 'Ask about the refund policy', specialist: 'refund_researcher',
    edit: ['Amount to refund', '40', /Approved with amount \$40\.00\..*Refunded\. \$40\.00 to cus_a8x2k, refund re_demo_/s, /\$40\.00/],
    ends: { approved: /issued/i, declined: /cancelled/i },
  },
]

for (const demo of demos) {
  const test = base.extend({ real: appWith(() => startRuntime(demo.name)) })

  for (const { decision, button, phase } of [
    { decision: 'approve', button: 'approve', phase: 'approved' },
    { decision: 'cancel', button: 'cancel', phase: 'declined' },
  ]) {
    test(`${demo.name}: ask, show, ${decision}`, async ({ page, real }) => {
      await open(page, real, demo.name)
      await suggest(page, demo.book)
      const card = await approval(page, ...demo.asks)
      for (const text of demo.shows) await expect(id(page, demo.panel)).toContainText(text)
      await id(page, button).click()
      await expect(card).toHaveAttribute('data-phase', phase)
      await expect(card).toContainText(demo[phase])
      await expect(id(page, demo.panel)).toContainText(demo.ends[phase])
      await answered(page)
      await say(page, 'thanks')
      await answered(page)
      await page.reload()
      await expect(card).toHaveAttribute('data-phase', phase)
      await expect(card).toContainText(demo[phase])
      await expect(id(page, 'run-error')).toHaveCount(0)
      await page.screenshot({ path: `e2e/test-results/runtimes-screens/${demo.name}-${phase}.png` })
    })
  }

  if (demo.edit) test(`${demo.name}: edit, approve`, async ({ page, real }) => {
    const [label, value, approved, shows] = demo.edit
    await open(page, real, demo.name)
    await suggest(page, demo.book)
    const card = await approval(page, ...demo.asks)
    await card.getByLabel(label).fill(value)
    await id(page, 'approve').click()
    await expect(card).toContainText(approved)
    await expect(id(page, demo.panel)).toContainText(shows)
    await answered(page)
  })

  test(`${demo.name}: the specialist streams into a card`, async ({ page, real }) => {
    await open(page, real, demo.name)
    await suggest(page, demo.research)
    const card = page.locator(`[data-testid=subagent-card][data-name=${demo.specialist}]`)
    await expect(card).toHaveAttribute('data-status', 'complete')
    await expect(card.locator('li')).toHaveCount(3)
    await answered(page)
  })
}
