// The server goes away and comes back with tabs open: the page says so, and is then the
// same page, without a reload.
import { startApp, startPlayer } from './app.mjs'
import { alike, answered, expect, id, idle, mine, open, say, shape, test, theirs, threadOf, token } from './fixtures.mjs'

const streaming = (page) => page.locator('[data-testid=message][data-status=streaming]')
const away = /ERR_|^console: |status 50\d/

const lost = async (page) => {
  await expect(id(page, 'connection')).toHaveAttribute('data-state', 'reconnecting')
  await expect(id(page, 'connection')).toBeVisible()
  await expect(id(page, 'connection')).toContainText(/reconnect/i)
}
const back = (page) => expect(id(page, 'connection')).toHaveAttribute('data-state', 'connected')
const again = (app, more) => startApp({ data: app.data, addr: new URL(app.url).host, ...more })

test('a restart while a question waits: every tab says so, then shows the question again', async ({ page, context, allowed }) => {
  allowed.push(away)
  const app = await startApp()
  let next
  try {
    await open(page, app)
    await say(page, 'Reserve a campsite at Crane Flat for 4 nights')
    await expect(id(page, 'approve')).toBeEnabled()
    const other = await context.newPage()
    await other.goto(page.url())
    await back(other)
    const before = await shape(page)
    await app.stop()
    await Promise.all([lost(page), lost(other)])
    next = await again(app)
    for (const tab of [page, other]) {
      await back(tab)
      expect(await shape(tab)).toEqual(before)
    }
    await id(other, 'approve').click()
    for (const tab of [page, other]) {
      await expect(id(tab, 'approval-card')).toHaveAttribute('data-phase', 'approved')
      await answered(tab, /TP-0488/)
    }
    expect(next.reservations()).toHaveLength(1)
  } finally {
    await app.stop('SIGKILL')
    await next?.stop()
    app.discard()
  }
})

test('a server that is asked to stop lets the answer end, and takes no new one', async ({ page, context, allowed }) => {
  allowed.push(away)
  const agent = await startPlayer(['--hostile'], token)
  const app = await startApp({ upstream: agent.upstream, grace: '10m' })
  let next
  try {
    await open(page, app)
    await say(page, 'slow')
    await expect.poll(() => streaming(page).locator('p').count()).toBeGreaterThan(3)
    const other = await context.newPage()
    await open(other, app)
    const stopped = app.stop()
    await expect.poll(() => app.output()).toContain('stopping when the runs')
    await other.locator('#draft').fill('One more')
    await id(other, 'send').click()
    await expect(other.getByText('The server is stopping. Please try again in a moment.')).toBeVisible()
    await expect(other.locator('#draft')).toHaveValue('One more')
    const said = await streaming(page).locator('p').count()
    await expect.poll(() => streaming(page).locator('p').count()).toBeGreaterThan(said)
    await agent.finish(threadOf(page))
    await answered(page)
    const before = await shape(page)
    await lost(page)
    await stopped
    next = await again(app, { upstream: agent.upstream })
    await back(page)
    expect(await shape(page)).toEqual(before)
    await expect(id(page, 'run-error')).toHaveCount(0)
  } finally {
    await app.stop('SIGKILL')
    await next?.stop()
    await agent.stop()
    app.discard()
  }
})

test('a server that is killed in the middle of an answer: what was shown is there, once, with a retry', async ({ page, allowed }) => {
  allowed.push(away)
  const agent = await startPlayer(['--hostile'], token)
  const app = await startApp({ upstream: agent.upstream })
  let next
  try {
    await open(page, app)
    await say(page, 'slow')
    await expect.poll(() => streaming(page).locator('p').count()).toBeGreaterThan(10)
    await app.stop('SIGKILL')
    await lost(page)
    const shown = await theirs(page).locator('.md p').allTextContents()
    next = await again(app, { upstream: agent.upstream })
    await back(page)
    await expect(id(page, 'run-error')).toContainText('stopped while the agent was working')
    const now = await theirs(page).locator('.md p').allTextContents()
    expect(now.slice(0, shown.length - 1)).toEqual(shown.slice(0, -1)) // the last may have grown
    expect(new Set(now).size).toBe(now.length)
    await expect(mine(page)).toHaveCount(1)
    await id(page, 'retry').click()
    await expect(streaming(page)).toBeVisible()
    await agent.finish(threadOf(page))
    await idle(page)
    await expect(mine(page)).toHaveCount(1)
  } finally {
    await app.stop('SIGKILL')
    await next?.stop()
    await agent.stop()
    app.discard()
  }
})

test('another answer takes the place of the last, in every tab and after a reload', async ({ page, context, app }) => {
  await open(page, app)
  await say(page, 'Hello')
  await answered(page)
  const other = await context.newPage()
  await other.goto(page.url())
  const old = await theirs(page).last().getAttribute('id')
  await id(page, 'regenerate').click()
  for (const tab of [page, other]) await expect(tab.locator('#' + old)).toHaveCount(0)
  for (const tab of [page, other]) {
    await answered(tab)
    await expect(theirs(tab)).toHaveCount(1)
    await expect(id(tab, 'regenerate')).toBeVisible()
  }
  await alike(page, other)
  const lived = await shape(page)
  await page.reload()
  expect(await shape(page)).toEqual(lived)
  await say(page, 'Start a packing list with 2 ropes')
  await answered(page)
  await expect(id(page, 'regenerate')).toHaveCount(0) // it would be done again
})
