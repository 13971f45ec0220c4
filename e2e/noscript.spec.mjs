// Everything without JavaScript: reading, sending, approving.
import { expect, follow, id, mine, reloadUntil, rows, test, theirs, threadOf } from './fixtures.mjs'

test.use({ javaScriptEnabled: false })

const field = (page) => page.getByRole('textbox', { name: 'Message' })

test('read, send and follow links', async ({ page, app }) => {
  await page.goto(app.url)
  await expect(page).toHaveURL(app.url + '/mastra')
  await field(page).fill('Start a packing list called Desert with 3 bottles')
  await follow(page, id(page, 'send'))
  await expect(page).toHaveURL(/\/mastra\/t\//)
  await expect(mine(page)).toHaveText('Start a packing list called Desert with 3 bottles')
  await reloadUntil(page, async () => await theirs(page).count() === 1 && await id(page, 'send').isVisible())
  await expect(rows(page)).toHaveText([/bottle.*3/i])
  await field(page).fill('Add a hat')
  await follow(page, id(page, 'send'))
  await reloadUntil(page, async () => await theirs(page).count() === 2 && await id(page, 'send').isVisible())
  await expect(rows(page)).toHaveCount(2)
  await id(page, 'tab-code').click()
  await expect(id(page, 'code-file')).toBeVisible()
  await id(page, 'tab-run').click()
  await expect(mine(page)).toHaveCount(2)
})

test('a suggestion, then Approve', async ({ page, app }) => {
  await page.goto(app.url + '/mastra')
  await follow(page, id(page, 'suggestion').filter({ hasText: 'Reserve the campsite' }))
  await reloadUntil(page, async () => await page.locator('[data-testid=approval-card][data-phase=pending]').count() === 1)
  await follow(page, id(page, 'approve'))
  await expect(page).toHaveURL(/\/mastra\/t\//)
  // The card is approved at once; what came of it is there when the run has ended.
  await reloadUntil(page, async () => /TP-0288/.test(await id(page, 'approval-card').textContent()))
  await expect(id(page, 'approval-card')).toHaveAttribute('data-phase', 'approved')
  expect(app.reservations().filter((r) => r.thread_id === threadOf(page))).toHaveLength(1)
})

test('an empty message is refused with a sentence', async ({ page, app, allowed }) => {
  allowed.push(/422/)
  await page.goto(app.url + '/mastra')
  await field(page).fill('   ')
  await follow(page, id(page, 'send'))
  await expect(id(page, 'composer-error')).toBeVisible()
  await expect(id(page, 'message')).toHaveCount(0)
})

test('a message while the agent answers is refused and the draft stays', async ({ page, hostile, allowed }) => {
  allowed.push(/409/)
  await page.goto(hostile.url + '/mastra')
  await field(page).fill('slow')
  await follow(page, id(page, 'send'))
  await expect(id(page, 'stop')).toBeVisible()
  await field(page).fill('too early')
  await field(page).evaluate((e) => e.form.requestSubmit())
  await expect(id(page, 'composer-error')).toBeVisible()
  await expect(field(page)).toHaveValue('too early')
  await follow(page, id(page, 'stop'))
  await reloadUntil(page, () => id(page, 'send').isVisible())
})

test('Cancel refuses', async ({ page, app }) => {
  await page.goto(app.url + '/mastra')
  await follow(page, id(page, 'suggestion').nth(2))
  await reloadUntil(page, async () => await page.locator('[data-testid=approval-card][data-phase=pending]').count() === 1)
  await follow(page, id(page, 'cancel'))
  await reloadUntil(page, async () => await page.locator('[data-testid=approval-card][data-phase=declined]', { hasText: 'Nothing was booked' }).count() === 1)
  await expect(id(page, 'approval-card')).toContainText('Nothing was booked')
  expect(app.reservations().filter((r) => r.thread_id === threadOf(page))).toHaveLength(0)
})

test('Retry completes what was cut', async ({ page, hostile }) => {
  await page.goto(hostile.url + '/mastra')
  await field(page).fill('cut')
  await follow(page, id(page, 'send'))
  await reloadUntil(page, () => id(page, 'retry').isVisible())
  await follow(page, id(page, 'retry'))
  await reloadUntil(page, async () => (await page.content()).includes('Whole this time.'))
  await expect(page).toHaveURL(/\/mastra\/t\//)
})
