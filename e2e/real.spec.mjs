// The same steps on what the real Mastra sent, replayed by a player that checks
// every request of the app: token, transport, ids, history and state.
import { answered, childGrew, expect, id, idle, open, record, rows, say, series, test, theirs, watchChild } from './fixtures.mjs'

test.afterEach(async ({ real }) => {
  expect(await real.agent.errors(), 'requests that a real runtime would not have understood').toEqual([])
})

test('captured: the list is made and grows, and never shows half of itself', async ({ page, real }) => {
  await record(page, 'list', `() => {
    const state = document.querySelector('[data-testid=packing-state]')
    return state ? [...state.querySelectorAll('[data-testid=packing-item], h3')].map((e) => e.textContent.replace(/\\s+/g, ' ').trim()) : undefined
  }`)
  await open(page, real)
  await id(page, 'suggestion').filter({ hasText: 'Start a packing list' }).click()
  await expect(rows(page)).toHaveCount(2)
  await answered(page, 'Started your weekend camping list with a tent and two sleeping bags.')
  await say(page, 'Please add a lantern')
  await expect(rows(page)).toHaveCount(3)
  await answered(page, 'Added a lantern.')
  await expect(rows(page).last()).toHaveText(/lantern.*1/i)
  const lists = await series(page, 'list')
  for (const [before, after] of lists.slice(1).map((list, i) => [lists[i], list])) {
    expect(after.length, `${JSON.stringify(before)} became ${JSON.stringify(after)}`).toBeGreaterThanOrEqual(before.length)
  }
  expect(lists.filter((list) => list.some((text) => /^(t|s|lante)\b/.test(text))), 'half-written names').toEqual([])
  await page.reload()
  await expect(rows(page)).toHaveCount(3)
})

test('captured: conditions', async ({ page, real }) => {
  await open(page, real)
  await id(page, 'suggestion').filter({ hasText: 'Check trail conditions' }).click()
  await expect(page.locator('[data-testid=tool-card][data-tool=check_conditions]')).toHaveAttribute('data-status', 'complete')
  await answered(page, /Half Dome is clear/)
})

for (const { name, button, phase, says, answer } of [
  { name: 'approve', button: 'approve', phase: 'approved', says: 'TP-0288', answer: /TP-0288/ },
  { name: 'decline', button: 'cancel', phase: 'declined', says: 'Nothing was booked', answer: /nothing was booked/i },
]) {
  test(`captured: interrupt, then ${name}`, async ({ page, real }) => {
    await open(page, real)
    await id(page, 'suggestion').filter({ hasText: 'Reserve the campsite' }).click()
    const card = id(page, 'approval-card')
    await expect(card).toHaveAttribute('data-phase', 'pending')
    await expect(card).toContainText('North Pines')
    await expect(card).toContainText('$72.00')
    await id(page, button).click()
    await expect(card).toHaveAttribute('data-phase', phase)
    await expect(card).toContainText(says)
    await answered(page, answer)
    // The next request must carry the decision's outcome in its history.
    await say(page, 'Hello again')
    await answered(page)
    expect((await real.agent.steps()).at(-1)).toBe('chat')
  })
}

test('captured: approve after a reload, then decline the next one', async ({ page, real }) => {
  await open(page, real)
  await say(page, 'Reserve North Pines for two nights')
  await expect(id(page, 'approve')).toBeEnabled()
  await page.reload()
  await id(page, 'approve').click()
  await answered(page, /TP-0288/)
  await say(page, 'Reserve it again')
  await expect(id(page, 'approval-card')).toHaveCount(2)
  await id(page, 'cancel').click()
  await answered(page, /nothing was booked/i)
  await expect(id(page, 'approval-card').first()).toHaveAttribute('data-phase', 'approved')
  await expect(id(page, 'approval-card').last()).toHaveAttribute('data-phase', 'declined')
})

test('captured: the delegated child streams into its card', async ({ page, real }) => {
  await watchChild(page)
  await open(page, real)
  await say(page, 'Hello')
  await answered(page)
  await say(page, 'What is the weather forecast for North Pines this weekend?')
  const card = page.locator('[data-testid=subagent-card][data-name=weather_forecaster]')
  await expect(card).toHaveAttribute('data-status', 'complete')
  await expect(card.locator('li')).toHaveCount(3)
  await expect(card).toContainText('scattered cloud, 18°C')
  await answered(page, 'Expect a sunny, mild weekend at North Pines.')
  await expect(theirs(page)).toHaveCount(2)
  await childGrew(page)
  await idle(page)
})
