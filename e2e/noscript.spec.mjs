// Everything without JavaScript: reading, sending, approving.
import { expect, id, mine, rows, test, theirs, threadOf } from './fixtures.mjs'

test.use({ javaScriptEnabled: false })

const field = (page) => page.getByRole('textbox', { name: 'Message' })

// A page without scripts shows what is new when it is loaded again.
async function until(page, check) {
  await expect(async () => {
    await page.reload()
    expect(await check()).toBe(true)
  }).toPass({ timeout: 20_000 })
}

test('read, send and follow links', async ({ page, app }) => {
  await page.goto(app.url)
  await expect(page).toHaveURL(app.url + '/mastra')
  await field(page).fill('Start a packing list called Desert with 3 bottles')
  await id(page, 'send').click()
  await expect(page).toHaveURL(/\/mastra\/t\//)
  await expect(mine(page)).toHaveText('Start a packing list called Desert with 3 bottles')
  await until(page, async () => await theirs(page).count() === 1 && await id(page, 'send').isVisible())
  await expect(rows(page)).toHaveText([/bottle.*3/i])
  await field(page).fill('Add a hat')
  await id(page, 'send').click()
  await until(page, async () => await theirs(page).count() === 2 && await id(page, 'send').isVisible())
  await expect(rows(page)).toHaveCount(2)
  await id(page, 'tab-code').click()
  await expect(id(page, 'code-file')).toBeVisible()
  await id(page, 'tab-run').click()
  await expect(mine(page)).toHaveCount(2)
})

test('a suggestion, then Approve', async ({ page, app }) => {
  await page.goto(app.url + '/mastra')
  await id(page, 'suggestion').filter({ hasText: 'Reserve the campsite' }).click()
  await until(page, async () => await page.locator('[data-testid=approval-card][data-phase=pending]').count() === 1)
  await id(page, 'approve').click()
  await expect(page).toHaveURL(/\/mastra\/t\//)
  // The card is approved at once; what came of it is there when the run has ended.
  await until(page, async () => /TP-0288/.test(await id(page, 'approval-card').textContent()))
  await expect(id(page, 'approval-card')).toHaveAttribute('data-phase', 'approved')
  expect(app.reservations().filter((r) => r.thread_id === threadOf(page))).toHaveLength(1)
})

test('an empty message is refused with a sentence', async ({ page, app, allowed }) => {
  allowed.push(/422/)
  await page.goto(app.url + '/mastra')
  await field(page).fill('   ')
  await id(page, 'send').click()
  await expect(id(page, 'composer-error')).toBeVisible()
  await expect(id(page, 'message')).toHaveCount(0)
})

test('a message while the agent answers is refused and the draft stays', async ({ page, hostile, allowed }) => {
  allowed.push(/409/)
  await page.goto(hostile.url + '/mastra')
  await field(page).fill('slow')
  await id(page, 'send').click()
  await expect(id(page, 'stop')).toBeVisible()
  await field(page).fill('too early')
  await field(page).evaluate((e) => e.form.requestSubmit())
  await expect(id(page, 'composer-error')).toBeVisible()
  await expect(field(page)).toHaveValue('too early')
  await id(page, 'stop').click()
  await until(page, () => id(page, 'send').isVisible())
})

test('Cancel refuses', async ({ page, app }) => {
  await page.goto(app.url + '/mastra')
  await id(page, 'suggestion').nth(2).click()
  await until(page, async () => await page.locator('[data-testid=approval-card][data-phase=pending]').count() === 1)
  await id(page, 'cancel').click()
  await until(page, async () => await page.locator('[data-testid=approval-card][data-phase=declined]', { hasText: 'Nothing was booked' }).count() === 1)
  await expect(id(page, 'approval-card')).toContainText('Nothing was booked')
  expect(app.reservations().filter((r) => r.thread_id === threadOf(page))).toHaveLength(0)
})

test('Retry completes what was cut', async ({ page, hostile }) => {
  await page.goto(hostile.url + '/mastra')
  await field(page).fill('cut')
  await id(page, 'send').click()
  await until(page, () => id(page, 'retry').isVisible())
  await id(page, 'retry').click()
  await until(page, async () => (await page.content()).includes('Whole this time.'))
  await expect(page).toHaveURL(/\/mastra\/t\//)
})
