// What a failing upstream looks like: one plain sentence, the partial text kept,
// the composer usable, and Retry only where nothing can happen twice.
import { answered, expect, id, mine, open, say, test, theirs } from './fixtures.mjs'

// Words that are for operators and never for readers.
const raw = /HTTP \d|status \d|\b(4|5)\d\d\b|<\/?[a-z]|EOF|dial tcp|connection refused|json|panic|sk-upstream|127\.0\.0\.1|invalid character/i

async function failed(page) {
  const error = id(page, 'run-error').last()
  await expect(error).toBeVisible()
  const text = await error.locator('.run-error-text').textContent()
  expect(text.trim()).toMatch(/^[A-Z].*[.!?]$/)
  expect(text).not.toMatch(raw)
  expect(await page.content()).not.toContain('sk-upstream')
  await expect(id(page, 'typing')).toBeHidden()
  await page.locator('#draft').fill('next')
  await expect(id(page, 'send')).toBeEnabled()
  await page.locator('#draft').fill('')
  return error
}

test('nobody listens at the upstream', async ({ page, dead }) => {
  await open(page, dead)
  await expect(id(page, 'notice')).toHaveText(/cannot be reached: nothing listens there/)
  await say(page, 'Hello')
  await failed(page)
  await expect(id(page, 'retry')).toHaveText('Retry')
  await id(page, 'retry').click()
  await failed(page)
  await expect(id(page, 'retry')).toHaveCount(1)
  await expect(mine(page)).toHaveCount(1)
})

for (const word of ['refuse', 'crash', 'html', 'garbage', 'fail']) {
  test(`the upstream answers: ${word}`, async ({ page, hostile }) => {
    await open(page, hostile)
    await say(page, word)
    await failed(page)
    if (word === 'fail') await expect(theirs(page)).toContainText('Before it fails.')
    await page.reload()
    await failed(page)
    await say(page, 'plain hello')
    await answered(page, 'I heard you.')
  })
}

test('a stream that is cut keeps its text; Retry completes it', async ({ page, hostile }) => {
  await open(page, hostile)
  await say(page, 'cut')
  await failed(page)
  await expect(theirs(page)).toContainText('The first half of')
  await expect(theirs(page)).toHaveAttribute('data-status', /stopped|error/)
  await expect(id(page, 'retry')).toHaveText('Retry')
  await id(page, 'retry').click()
  await answered(page, 'Whole this time.')
  await expect(mine(page)).toHaveCount(1)
})

test('after a tool has answered, sending again says what may happen twice', async ({ page, hostile }) => {
  await open(page, hostile)
  await say(page, 'tool')
  const error = await failed(page)
  await expect(page.locator('[data-testid=tool-card][data-tool=charge_card]')).toHaveAttribute('data-status', 'complete')
  await expect(id(page, 'retry')).toHaveText('Send again')
  await expect(error).toContainText(/twice|again/i)
  await id(page, 'retry').click()
  await answered(page, 'Done again.')
})

test('a pause without a payload names the tool', async ({ page, hostile }) => {
  await open(page, hostile)
  await say(page, 'ask')
  await expect(id(page, 'approval-card')).toHaveAttribute('data-phase', 'pending')
  await expect(id(page, 'approval-card')).toContainText('launch_rocket')
  await expect(id(page, 'approve')).toBeEnabled()
  await page.keyboard.press('Escape')
  await expect(id(page, 'approval-card')).toHaveAttribute('data-phase', 'pending')
})

test('a decision whose run is cut stays in doubt until a person sends it again', async ({ page, hostile }) => {
  await open(page, hostile)
  await say(page, 'doubt')
  const card = id(page, 'approval-card')
  await id(page, 'approve').click()
  await expect(card).toHaveAttribute('data-phase', /uncertain|recovery-required/)
  await expect(id(page, 'approve')).toHaveCount(0)
  await page.reload()
  await expect(card).toHaveAttribute('data-phase', /uncertain|recovery-required/)
  await expect(id(page, 'retry')).toHaveText('Send again')
  await expect(id(page, 'run-error').last()).toContainText(/twice|again/i)
  await id(page, 'retry').click()
  await answered(page, 'The rocket is up.')
  await expect(card).toHaveCount(1)
  await expect(card).toHaveAttribute('data-phase', 'approved')
})
