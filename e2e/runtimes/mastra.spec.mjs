// The camping demo's main job on the real Mastra: nothing of the app differs from the
// suite on the embedded agent but the address it talks to.
import { answered, appWith, childGrew, expect, id, idle, open, record, rows, say, series, test as base, theirs, watchChild } from '../fixtures.mjs'
import { startRuntime } from './service.mjs'

const test = base.extend({ real: appWith(() => startRuntime('mastra')) })

const suggest = (page, name) => id(page, 'suggestion').filter({ hasText: name }).click()

test('the list is made, grows, and never shows half of itself', async ({ page, real }) => {
  await record(page, 'list', `() => {
    const state = document.querySelector('[data-testid=packing-state]')
    return state ? [...state.querySelectorAll('[data-testid=packing-item]')].map((e) => e.textContent.replace(/\\s+/g, ' ').trim()) : undefined
  }`)
  await open(page, real)
  await suggest(page, 'Start a packing list')
  await expect(id(page, 'packing-state')).toContainText(/yosemite weekend/i)
  await expect(rows(page)).toHaveCount(2)
  await answered(page)
  await say(page, 'Please add a lantern')
  await expect(rows(page)).toHaveCount(3)
  await expect(rows(page).filter({ hasText: /lantern/i })).toHaveText(/1/)
  await idle(page)
  const lists = await series(page, 'list')
  expect(lists.map((list) => list.length), 'rows only grow').toEqual(lists.map((list) => list.length).sort((a, b) => a - b))
  await page.reload()
  await expect(rows(page)).toHaveCount(3)
})

test('trail conditions come from a tool', async ({ page, real }) => {
  await open(page, real)
  await suggest(page, 'Check trail conditions')
  const card = page.locator('[data-testid=tool-card][data-tool=check_conditions]')
  await expect(card).toHaveAttribute('data-status', 'complete')
  await expect(card).toContainText('Yosemite Valley')
  await answered(page, /yosemite/i)
})

for (const { name, button, phase, says, answer } of [
  { name: 'Approve books', button: 'approve', phase: 'approved', says: 'TP-0288', answer: /TP-0288/ },
  { name: 'Cancel books nothing', button: 'cancel', phase: 'declined', says: 'Nothing was booked', answer: /\S/ },
]) {
  test(name, async ({ page, real }) => {
    await open(page, real)
    await suggest(page, 'Reserve the campsite')
    const card = id(page, 'approval-card')
    await expect(card).toHaveAttribute('data-phase', 'pending')
    await expect(card).toContainText('North Pines')
    await expect(card).toContainText('$90.00')
    await id(page, button).click()
    await expect(card).toHaveAttribute('data-phase', phase)
    await expect(card).toContainText(says)
    await answered(page, answer)
    // The runtime reads the history that the next request carries.
    await say(page, 'Hello again')
    await answered(page)
    await page.reload()
    await expect(card).toHaveAttribute('data-phase', phase)
    await expect(id(page, 'run-error')).toHaveCount(0)
  })
}

test('the service may die between the pause and the decision', async ({ page, real }) => {
  await open(page, real)
  await say(page, 'Reserve a campsite at Upper Pines for 3 nights')
  await expect(id(page, 'approve')).toBeEnabled()
  await real.agent.restart()
  await page.reload()
  const card = id(page, 'approval-card')
  await expect(card).toContainText('$135.00')
  await id(page, 'approve').click()
  await expect(card).toHaveAttribute('data-phase', 'approved')
  await answered(page, /TP-0388/)
})

test('the delegated child streams into its card', async ({ page, real }) => {
  await watchChild(page)
  await open(page, real)
  await say(page, 'What is the weather forecast for North Pines this weekend?')
  const card = page.locator('[data-testid=subagent-card][data-name=weather_forecaster]')
  await expect(card).toHaveAttribute('data-status', 'complete')
  await expect(card.locator('li')).toHaveCount(3)
  await answered(page)
  await expect(theirs(page)).toHaveCount(1)
  await childGrew(page)
})

test('Stop ends the run, and the next message is answered', async ({ page, real }) => {
  await open(page, real)
  await say(page, 'Tell me about camping [model: slow]')
  await expect(page.locator('[data-testid=message][data-status=streaming]')).toHaveCount(1)
  await id(page, 'stop').click()
  await expect(theirs(page).last()).toHaveAttribute('data-status', 'stopped')
  await idle(page)
  await say(page, 'Hello')
  await answered(page)
})
