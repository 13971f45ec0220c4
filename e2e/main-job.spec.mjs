// The main job on the embedded agent: suggestions, the list, approval, delegation.
import { answered, childGrew, expect, id, idle, open, record, rows, say, series, test, theirs, threadOf, watchChild } from './fixtures.mjs'

test('first suggestion: a packing list appears beside the chat', async ({ page, app }) => {
  await open(page, app)
  await expect(id(page, 'packing-state')).toContainText('No list yet')
  await id(page, 'suggestion').filter({ hasText: 'Start a packing list' }).click()
  await expect(id(page, 'packing-state')).toContainText(/yosemite weekend/i)
  await expect(rows(page)).toHaveCount(2)
  await expect(rows(page).nth(0)).toHaveText(/tent.*1/i)
  await expect(rows(page).nth(1)).toHaveText(/sleeping bag.*2/i)
  await answered(page)
})

test('second suggestion: trail conditions come from a tool', async ({ page, app }) => {
  await open(page, app)
  await id(page, 'suggestion').filter({ hasText: 'Check trail conditions' }).click()
  const card = page.locator('[data-testid=tool-card][data-tool=check_conditions]')
  await expect(card).toHaveAttribute('data-status', 'complete')
  await expect(card).toContainText('Yosemite Valley')
  await answered(page, /yosemite/i)
})

test('third suggestion, Approve: booked once, with its confirmation', async ({ page, app }) => {
  await open(page, app)
  await id(page, 'suggestion').filter({ hasText: 'Reserve the campsite' }).click()
  const card = id(page, 'approval-card')
  await expect(card).toHaveAttribute('data-phase', 'pending')
  await expect(card).toContainText('North Pines')
  await expect(card.locator('dd').filter({ hasText: /^2$/ })).toHaveCount(1)
  await expect(card).toContainText('$90.00')
  expect(app.reservations().filter((r) => r.thread_id === threadOf(page))).toEqual([])
  await id(page, 'approve').click()
  await expect(card).toHaveAttribute('data-phase', 'approved')
  await expect(card).toContainText('TP-0288')
  await answered(page, /TP-0288/)
  const booked = app.reservations().filter((r) => r.thread_id === threadOf(page))
  expect(booked).toMatchObject([{ site: 'North Pines', nights: 2, total_usd: 90, confirmation: 'TP-0288' }])
})

test('Cancel: nothing is booked and the card says so', async ({ page, app }) => {
  await open(page, app)
  await say(page, 'Reserve a campsite at Tuolumne Meadows for 3 nights')
  const card = id(page, 'approval-card')
  await expect(card).toHaveAttribute('data-phase', 'pending')
  await expect(card).toContainText('Tuolumne Meadows')
  await expect(card).toContainText('$135.00')
  await id(page, 'cancel').click()
  await expect(card).toHaveAttribute('data-phase', 'declined')
  await expect(card).toContainText('Nothing was booked')
  await idle(page)
  expect(app.reservations().filter((r) => r.thread_id === threadOf(page))).toEqual([])
})

test('a double click on Approve books once; so do a second tab and a repeated POST', async ({ page, context, app, allowed }) => {
  allowed.push(/status (409|404)/, /409|404/) // the repeats may be refused
  await open(page, app)
  await say(page, 'Reserve a campsite at Upper Pines for one night')
  await expect(id(page, 'approval-card')).toHaveAttribute('data-phase', 'pending')
  const second = await context.newPage()
  await second.goto(page.url())
  await expect(id(second, 'approve')).toBeEnabled()
  const action = await page.locator('form.decide').getAttribute('action')

  const twice = () => { // faster than any hand
    const button = document.querySelector('[data-testid=approve]')
    button?.click()
    button?.click()
  }
  await Promise.all([page.evaluate(twice), second.evaluate(twice)])
  for (const p of [page, second]) await expect(id(p, 'approval-card')).toHaveAttribute('data-phase', 'approved')
  await answered(page, /TP-0188/)
  for (const decision of ['approve', 'cancel']) {
    const response = await page.request.post(app.url + action, { form: { decision }, headers: { 'HX-Request': 'true' }, maxRedirects: 0 })
    expect(response.status(), 'a decision on a pause that is over').toBeLessThan(500)
  }
  await page.reload()
  await expect(id(page, 'approval-card')).toHaveAttribute('data-phase', 'approved')
  expect(app.reservations().filter((r) => r.thread_id === threadOf(page))).toHaveLength(1)
})

test('approved with the keyboard alone; Escape decides nothing and focus is not lost', async ({ page, app }) => {
  await open(page, app)
  await say(page, 'Reserve a campsite at Bridalveil Creek for 5 nights')
  const card = id(page, 'approval-card')
  await expect(id(page, 'approve')).toBeEnabled()
  await page.keyboard.press('Escape')
  await expect(card).toHaveAttribute('data-phase', 'pending')
  await expect(async () => {
    await page.keyboard.press('Shift+Tab')
    expect(await id(page, 'approve').evaluate((e) => e === document.activeElement)).toBe(true)
  }).toPass()
  await page.keyboard.press('Enter')
  await expect(card).toHaveAttribute('data-phase', 'approved')
  await answered(page, /TP-0588/)
  expect(await page.evaluate(() => document.activeElement !== document.body), 'focus fell off the page').toBe(true)
})

test('a message while an approval is pending is refused and the draft is kept', async ({ page, app }) => {
  await open(page, app)
  await say(page, 'Reserve a campsite at Lower Pines for 2 nights')
  await expect(id(page, 'approve')).toBeEnabled()
  await idle(page)
  const text = 'and a lantern, please'
  await page.locator('#draft').fill(text)
  await page.locator('#draft').press('Enter')
  await expect(id(page, 'composer-error')).toBeVisible()
  await expect(page.locator('#draft')).toHaveValue(text)
  await expect(id(page, 'approve')).toBeEnabled()
  await id(page, 'cancel').click()
  await expect(id(page, 'approval-card')).toHaveAttribute('data-phase', 'declined')
  await expect(page.locator('#draft')).toHaveValue(text)
})

test('free text changes the list; it never empties or drops a row while that happens', async ({ page, app }) => {
  await record(page, 'rows', `() => {
    const state = document.querySelector('[data-testid=packing-state]')
    return state ? state.querySelectorAll('[data-testid=packing-item]').length : undefined
  }`)
  await open(page, app)
  await id(page, 'suggestion').first().click()
  await expect(rows(page)).toHaveCount(2)
  await answered(page)
  await say(page, 'Please add a lantern and 4 cups')
  await expect(rows(page).filter({ hasText: /lantern/i })).toHaveText(/1/)
  await expect(rows(page).filter({ hasText: /cup/i })).toHaveText(/4/)
  await idle(page)
  const counts = await series(page, 'rows')
  expect(counts, 'rows only grow').toEqual([...counts].sort((a, b) => a - b))

  await say(page, 'Change the sleeping bags to 3')
  await expect(rows(page).filter({ hasText: /sleeping bag/i })).toHaveText(/3/)
  await idle(page)
  await say(page, 'Remove the lantern')
  await expect(rows(page).filter({ hasText: /lantern/i })).toHaveCount(0)
  await expect(rows(page)).toHaveCount(3)
  await idle(page)
})

test('the subagent card is there while the child runs, and grows', async ({ page, app }) => {
  await watchChild(page)
  await open(page, app)
  await say(page, 'What is the weather forecast for North Pines this weekend?')
  const card = page.locator('[data-testid=subagent-card][data-name=weather_forecaster]')
  await expect(card).toHaveAttribute('data-status', 'complete')
  await expect(card.locator('li')).toHaveCount(3)
  await expect(page.locator('[data-testid=tool-card][data-tool^=agent-]')).toHaveCount(0)
  await answered(page)
  await childGrew(page)
})

test('what the scripted model cannot do it says, and how to get a real one', async ({ page, app }) => {
  await open(page, app)
  await expect(id(page, 'model-badge')).toHaveText('scripted model')
  await say(page, 'Translate the Iliad into Basque')
  await answered(page, /OPENAI_API_KEY/)
  await expect(theirs(page).last()).toContainText(/scripted/i)
})

test('a new conversation is one click away and starts empty', async ({ page, app }) => {
  await open(page, app)
  await say(page, 'Hello')
  await answered(page)
  await id(page, 'new-conversation').click()
  await expect(id(page, 'suggestion')).toHaveCount(3)
  await expect(id(page, 'message')).toHaveCount(0)
})
