// A page is a view: reload, a second tab, the other tabs of the demo, a restart.
import { startApp } from './app.mjs'
import { alike, answered, approval, expect, id, idle, mine, open, say, shape, test, theirs, threadOf } from './fixtures.mjs'

const streaming = (page) => page.locator('[data-testid=message][data-status=streaming]')

test('reload in the middle of a stream shows the same page, and it goes on', async ({ page, hostile }) => {
  await open(page, hostile)
  await say(page, 'slow')
  await expect.poll(() => streaming(page).locator('p').count()).toBeGreaterThan(20)
  const before = await streaming(page).locator('p').count()
  await page.reload()
  await expect(mine(page)).toHaveText('slow')
  expect(await theirs(page).locator('p').count()).toBeGreaterThanOrEqual(before)
  await expect(id(page, 'stop')).toBeVisible()
  await expect.poll(() => theirs(page).locator('p').count()).toBeGreaterThan(before + 5)
  await hostile.agent.finish(threadOf(page))
  await answered(page)
  const lived = await shape(page)
  await page.reload()
  expect(await shape(page)).toEqual(lived)
})

// What the stream keeps up to date, as the browser has it and as a reload gives it:
// texts that stand beside each other joined, without what only a page without scripts
// shows, and without what the composer does with its button while nothing is written.
const liveAndReloaded = (page) => page.evaluate(async () => {
  const reloaded = new DOMParser().parseFromString(await (await fetch(location.href)).text(), 'text/html')
  return [document, reloaded].map((doc) => ['chat-items', 'composer-state', 'panel'].map((id) => {
    const part = doc.getElementById(id).cloneNode(true)
    for (const e of part.querySelectorAll('noscript')) e.remove()
    part.querySelector('#send')?.removeAttribute('disabled')
    part.normalize()
    return part.outerHTML
  }).join('\n'))
})

test('at every stop of a recorded run the browser holds what a reload shows', async ({ page, hostile }) => {
  await open(page, hostile)
  await say(page, 'recorded')
  let before = ''
  let stops = 0
  for (let ended = false; !ended; stops++) {
    let shown
    await expect.poll(async () => {
      const [live, reloaded] = await liveAndReloaded(page)
      shown = reloaded
      if (reloaded === before) return 'the run has not gone on'
      return live === reloaded ? '' : `live:\n${live}\n\nreloaded:\n${reloaded}`
    }).toBe('')
    before = shown
    ended = await id(page, 'stop').isHidden()
    await hostile.agent.finish(threadOf(page))
  }
  expect(stops).toBeGreaterThan(15)
  await expect(id(page, 'subagent-card')).toHaveAttribute('data-status', 'complete')
})

test('two tabs stay in step', async ({ page, context, app }) => {
  await open(page, app)
  await say(page, 'Hello')
  await answered(page)
  const other = await context.newPage()
  await other.goto(page.url())
  await expect(id(other, 'connection')).not.toHaveAttribute('data-state', 'connecting')
  await say(page, 'What is the weather forecast for Tuolumne Meadows?')
  for (const p of [page, other]) {
    await expect(id(p, 'subagent-card')).toBeVisible()
    await expect(id(p, 'subagent-card')).toHaveAttribute('data-status', 'complete')
    await answered(p)
  }
  await alike(page, other)
  await say(other, 'Start a packing list with 2 ropes')
  for (const p of [page, other]) {
    await expect(id(p, 'packing-item')).toHaveCount(1)
    await idle(p)
  }
  await alike(page, other)
})

test('a tab opened in the background holds no line, and shows the question when it is looked at', async ({ page, context, app }) => {
  await open(page, app)
  await say(page, 'Hello')
  await answered(page)
  const other = await context.newPage()
  await other.addInitScript(() => {
    let hidden = true
    Object.defineProperty(document, 'hidden', { get: () => hidden })
    globalThis.look = () => { hidden = false; document.dispatchEvent(new Event('visibilitychange')) }
  })
  const lines = []
  other.on('request', (r) => { if (/\/stream/.test(r.url())) lines.push(r.url()) })
  await other.goto(page.url(), { waitUntil: 'load' })
  await say(page, 'Reserve a campsite at Crane Flat for 4 nights')
  await expect(id(page, 'approve')).toBeEnabled()
  expect(lines).toEqual([])
  await expect(id(other, 'approval-card')).toHaveCount(0)
  await other.evaluate(() => globalThis.look())
  await expect(id(other, 'approve')).toBeEnabled()
  expect(lines).toHaveLength(1)
})

test('Run, Code, Run, Back and reload return to the conversation, also while it streams', async ({ page, hostile }) => {
  await open(page, hostile)
  await say(page, 'slow walk')
  const url = page.url()
  await expect(streaming(page)).toBeVisible()
  await id(page, 'tab-code').click()
  await expect(id(page, 'code-file')).toBeVisible()
  await id(page, 'tab-run').click()
  await expect(page).toHaveURL(url)
  await expect(mine(page)).toHaveText('slow walk')
  await expect(id(page, 'stop')).toBeVisible()
  await id(page, 'tab-code').click()
  await expect(id(page, 'code-file')).toBeVisible()
  await page.goBack()
  await expect(page).toHaveURL(url)
  await expect(mine(page)).toHaveText('slow walk')
  await expect(id(page, 'stop')).toBeVisible()
  const before = await theirs(page).locator('p').count()
  await expect.poll(() => theirs(page).locator('p').count()).toBeGreaterThan(before)
  await hostile.agent.finish(threadOf(page))
  await answered(page)
})

// The elements the browser restyled, one number for each time it did.
async function restyled(browser, page, meanwhile) {
  await browser.startTracing(page, { categories: ['devtools.timeline'] })
  await meanwhile()
  const { traceEvents } = JSON.parse(await browser.stopTracing())
  return traceEvents.filter((e) => e.name === 'UpdateLayoutTree' && e.args.elementCount).map((e) => e.args.elementCount)
}

// Resolves after n frames that each show a patch.
const frames = (page, n) => page.evaluate((n) => new Promise((done) => {
  let asked = false
  document.addEventListener('cairn:patched', () => {
    if (asked) return
    asked = true
    requestAnimationFrame(() => {
      asked = false
      if (--n < 0) done() // the last one was drawn before this
    })
  })
}), n)

test('a patch restyles what it changed, not the message it adds to', async ({ page, hostile, browser }) => {
  const long = 80 // paragraphs
  await open(page, hostile)
  await say(page, 'slow')
  const count = () => streaming(page).locator('p').count()
  await expect.poll(count).toBeGreaterThan(long)
  const before = await count()
  const counts = await restyled(browser, page, () => frames(page, 6))
  expect(counts.length).toBeGreaterThan(5)
  expect(counts.sort((a, b) => a - b)[counts.length >> 1]).toBeLessThan(before / 2)
  await hostile.agent.finish(threadOf(page))
  await answered(page)
})

test('Stop ends the run and keeps what was said', async ({ page, hostile }) => {
  await open(page, hostile)
  await say(page, 'slow')
  await expect.poll(() => streaming(page).locator('p').count()).toBeGreaterThan(3)
  const count = await streaming(page).locator('p').count()
  await id(page, 'stop').click()
  await expect(theirs(page).last()).toHaveAttribute('data-status', 'stopped')
  await idle(page)
  await expect(id(page, 'run-error')).toHaveCount(0)
  expect(await theirs(page).last().locator('.md p').count()).toBeGreaterThanOrEqual(count)
  await say(page, 'plain hello')
  await answered(page, 'I heard you.')
})

test("a run's end does not talk over what it came to", async ({ page, hostile }) => {
  const voice = page.locator('#announce')
  await open(page, hostile)
  await say(page, 'plain hello')
  await answered(page)
  await say(page, 'slow')
  await expect(streaming(page)).toBeVisible()
  await id(page, 'stop').click()
  await idle(page)
  await expect(voice).toHaveText('Stopped.')
  await say(page, 'crash')
  await expect(id(page, 'run-error')).toBeVisible()
  await idle(page)
  await expect(voice).toHaveText(await page.locator('.run-error-text').textContent())
  await say(page, 'ask')
  await approval(page)
  await idle(page)
  await expect(voice).toHaveText(/^Your decision is needed: \S/)
})

test('a double send makes one message', async ({ page, app }) => {
  await open(page, app)
  await say(page, 'Hello')
  await answered(page)
  await page.locator('#draft').fill('Hello twice')
  await id(page, 'send').dblclick()
  await expect(mine(page)).toHaveText(['Hello', 'Hello twice'])
  await answered(page)
  await page.reload()
  await expect(mine(page)).toHaveText(['Hello', 'Hello twice'])
})

test('when the server goes away the page says so, and comes back by itself', async ({ page, allowed }) => {
  allowed.push(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/, /status 50\d/, /^console: /)
  const app = await startApp()
  try {
    await open(page, app)
    await say(page, 'Hello')
    await answered(page)
    const before = await shape(page)
    await app.stop('SIGKILL')
    await expect(id(page, 'connection')).toHaveAttribute('data-state', 'reconnecting')
    await expect(id(page, 'connection')).toContainText(/reconnect/i)
    const again = await startApp({ data: app.data, addr: new URL(app.url).host })
    try {
      await expect(id(page, 'connection')).toHaveAttribute('data-state', 'connected')
      await say(page, 'Hello again')
      await answered(page)
      expect((await shape(page)).filter((e) => e.what === 'message').slice(0, 2)).toEqual(before.filter((e) => e.what === 'message'))
    } finally {
      await again.stop()
    }
  } finally {
    await app.stop('SIGKILL')
    app.discard()
  }
})

test('a server killed while an approval waits: the approval is still there and works once', async ({ page, allowed }) => {
  allowed.push(/ERR_|^console: |status 50\d/)
  const app = await startApp()
  let again
  try {
    await open(page, app)
    await say(page, 'Reserve a campsite at Crane Flat for 4 nights')
    await expect(id(page, 'approve')).toBeEnabled()
    await app.stop('SIGKILL')
    again = await startApp({ data: app.data, addr: new URL(app.url).host })
    await page.reload()
    await expect(id(page, 'approval-card')).toHaveAttribute('data-phase', 'pending')
    await expect(id(page, 'approval-card')).toContainText('$180.00')
    await id(page, 'approve').click()
    await expect(id(page, 'approval-card')).toHaveAttribute('data-phase', 'approved')
    await answered(page, /TP-0488/)
    expect(again.reservations()).toMatchObject([{ site: 'Crane Flat', nights: 4, total_usd: 180 }])
  } finally {
    await app.stop('SIGKILL')
    await again?.stop()
    app.discard()
  }
})
