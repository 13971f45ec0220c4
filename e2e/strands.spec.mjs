// The meeting scheduler on the embedded agent, which speaks as AWS Strands does: free
// slots, the booking beside the chat, approval, the second agent.
import { answered, approval, approveTwice, childGrew, expect, id, idle, lying, open, record, say, series, suggest, test as base, theirs, watchChild } from './fixtures.mjs'

const test = base.extend({ lying: lying('strands') })

const schedule = (page) => id(page, 'schedule-state')
const booking = (page) => id(page, 'booking-state')
const slots = (page) => schedule(page).getByTestId('slot')
const tool = (page, name) => page.locator(`[data-testid=tool-card][data-tool=${name}]`)

test('first suggestion, Approve: looked up, asked, booked, and so after a reload', async ({ page, app }) => {
  await record(page, 'marks', `() => /pending|booked|declined/.exec(document.querySelector('[data-testid=booking-state]')?.textContent)?.[0]`)
  await open(page, app, 'strands')
  await expect(schedule(page)).toContainText('No day looked up yet')
  await expect(booking(page)).toHaveCount(0)
  await suggest(page, 'Book the Q3 roadmap review')
  const card = await approval(page, 'Booking approval required', 'Q3 roadmap review', 'Tuesday 10:00')
  await expect(tool(page, 'check_availability')).toContainText('Tuesday — free at 10:00 and 15:00')
  await expect(slots(page)).toHaveText([/10:00/, /15:00/])
  await expect(slots(page).first()).toHaveAttribute('data-chosen')
  for (const text of ['Q3 roadmap review', 'Tuesday 10:00', 'pending']) await expect(booking(page)).toContainText(text)
  await id(page, 'approve').click()
  const settled = async () => {
    await expect(card).toHaveAttribute('data-phase', 'approved')
    await expect(card).toContainText('Booked. Q3 roadmap review, Tuesday 10:00.')
    await expect(booking(page)).toContainText('booked')
    await expect(slots(page)).toHaveCount(2)
  }
  await settled()
  await answered(page, 'Q3 roadmap review is booked for Tuesday 10:00.')
  await say(page, 'thanks')
  await answered(page, /welcome/)
  await page.reload()
  await settled()
  await expect(theirs(page)).toHaveCount(2)
  expect(await series(page, 'marks'), 'the booking never goes back').toEqual(['pending', 'booked'])
})

test('second suggestion, Cancel: the card, the panel and the agent say so; the next meeting is another', async ({ page, app }) => {
  await open(page, app, 'strands')
  await suggest(page, 'Book a design critique')
  const card = await approval(page, 'Design critique', 'Thursday 09:30')
  await id(page, 'cancel').click()
  await expect(card).toHaveAttribute('data-phase', 'declined')
  await expect(card).toContainText('Declined. Nothing was booked.')
  await expect(booking(page)).toContainText('declined')
  await expect(slots(page).first()).not.toHaveAttribute('data-chosen')
  await answered(page, /not booked, as you declined/)
  await say(page, 'Book a retro on Friday')
  await approval(page, 'Retro', 'Friday 10:30')
  for (const text of ['Retro', 'pending']) await expect(booking(page)).toContainText(text)
  await expect(booking(page)).not.toContainText(/declined|critique/i)
  await expect(slots(page)).toHaveText([/10:30/])
})

test('third suggestion: the researcher streams into its card; yes books what it found', async ({ page, app }) => {
  await watchChild(page)
  await open(page, app, 'strands')
  await suggest(page, 'Find a time for Ada and Grace')
  const card = page.locator('[data-testid=subagent-card][data-name=availability_researcher]')
  await expect(card).toHaveAttribute('data-status', 'complete')
  await expect(card.locator('li')).toHaveCount(3)
  await expect(tool(page, 'research_availability')).toHaveCount(0)
  await answered(page, /Ada and Grace can make \w+ \d\d:\d\d/)
  await childGrew(page)
  await say(page, 'Yes, book it')
  await approval(page, 'Meeting with Ada and Grace')
  await id(page, 'approve').click()
  await answered(page, /is booked for/)
})

test('free slots come from a tool, two days from two calls', async ({ page, app }) => {
  await open(page, app, 'strands')
  await say(page, 'Which slots are free on Monday and Friday?')
  await expect(tool(page, 'check_availability')).toHaveCount(2)
  for (const [nth, day] of [[0, 'Monday — free at 09:00 and 13:30'], [1, 'Friday — free at 10:30']]) {
    await expect(tool(page, 'check_availability').nth(nth)).toHaveAttribute('data-status', 'complete')
    await expect(tool(page, 'check_availability').nth(nth)).toContainText(day)
  }
  await answered(page, /Friday is free at 10:30/)
  await expect(schedule(page)).toContainText('Friday')
  await say(page, 'Which slots are free on Sunday?')
  await answered(page, /no free slots on Sunday/)
  await expect(schedule(page)).toContainText('Nothing free that day')
})

test('two tabs approve at once: one decision, one result', async ({ page, context, app, allowed }) => {
  allowed.push(/status (409|404)/, /409|404/) // the repeat may be refused
  await open(page, app, 'strands')
  await suggest(page, 'Book the Q3 roadmap review')
  await approval(page, 'Tuesday 10:00')
  await approveTwice(page, context)
  await answered(page, /is booked for/)
  await expect(theirs(page)).toHaveCount(1)
  await expect(id(page, 'run-error')).toHaveCount(0)
})

for (const { button, says } of [
  { button: 'approve', says: "You approved, but the agent's answer does not confirm a booking." },
  { button: 'cancel', says: 'You declined, but the agent reports a booking. Please check the calendar.' },
]) {
  test(`${button}, and the result is another: the card does not claim what was not proven`, async ({ page, lying }) => {
    await open(page, lying, 'strands')
    await suggest(page, 'Book the Q3 roadmap review')
    const card = await approval(page, 'Tuesday 10:00')
    await id(page, button).click()
    await expect(card).toContainText(says)
    await idle(page)
    expect(await lying.agent.errors(), 'requests that a real runtime would not have understood').toEqual([])
  })
}
