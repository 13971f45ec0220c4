// The list of conversations: live in every tab, renamed, deleted and found.
import AxeBuilder from '@axe-core/playwright'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startApp } from './app.mjs'
import { answered, draft, expect, follow, id, mine, open, reloadUntil, say, test, threadOf } from './fixtures.mjs'

const screens = join(dirname(fileURLToPath(import.meta.url)), 'test-results/screens')
mkdirSync(screens, { recursive: true })

const links = (page) => id(page, 'thread-link')
const names = (page) => links(page).locator('.link-name')
const row = (page, title) => id(page, 'thread').filter({ has: page.locator('.link-name', { hasText: title }) })
const connected = (page) => expect(id(page, 'connection')).toHaveAttribute('data-state', 'connected')

async function start(page, app, text) {
  await open(page, app)
  await say(page, text)
  await answered(page)
}

async function rename(page, title, to) {
  await row(page, title).hover()
  await row(page, title).getByTestId('thread-rename').click()
  await expect(row(page, title).getByTestId('thread-title')).toBeFocused()
  await page.keyboard.type(to) // the old one is selected
  await page.keyboard.press('Enter')
}

async function remove(page, title) {
  await row(page, title).hover()
  await row(page, title).getByTestId('thread-delete').click()
}

test('every tab of the session shows what happens to its conversations', async ({ page, context, browser, app }) => {
  await open(page, app)
  await expect(links(page)).toHaveCount(0)
  await connected(page)
  const other = await context.newPage() // a page without a conversation
  await open(other, app)
  await connected(other)
  const code = await context.newPage()
  await code.goto(app.url + '/mastra/code')
  await connected(code)

  await say(page, 'Reserve the campsite at North Pines for two nights')
  for (const tab of [page, other, code]) {
    await expect(names(tab)).toHaveText(['Reserve the campsite at North Pines for two nights'])
    await expect(id(tab, 'thread-status')).toHaveText(/Needs you/)
  }
  await expect(links(page)).toHaveAttribute('aria-current', 'page')
  await expect(links(other)).not.toHaveAttribute('aria-current', 'page')
  await id(page, 'approve').click()
  await answered(page, /TP-0288/)
  for (const tab of [page, other]) await expect(id(tab, 'thread-status')).toHaveCount(0)

  await rename(page, 'Reserve', 'North Pines')
  for (const tab of [page, other, code]) await expect(names(tab)).toHaveText(['North Pines'])
  await expect(id(page, 'thread-title')).toBeHidden()
  await expect(page.locator('#crumb-name')).toHaveText('North Pines')
  await expect(page).toHaveTitle(/^North Pines/)
  await expect(other).not.toHaveTitle(/North Pines/)

  await open(page, app) // a tab of the deleted conversation itself: see below
  await connected(page)
  await remove(other, 'North Pines')
  for (const tab of [page, other, code]) await expect(links(tab)).toHaveCount(0)
  await id(other, 'thread-undo').click()
  for (const tab of [page, other, code]) await expect(names(tab)).toHaveText(['North Pines'])

  const stranger = await browser.newPage()
  await stranger.goto(app.url + '/mastra')
  await expect(links(stranger)).toHaveCount(0)
  await stranger.close()
})

test('Running and Failed are told', async ({ page, context, hostile }) => {
  const other = await context.newPage()
  await open(page, hostile) // the session
  await open(other, hostile)
  await connected(other)
  await say(page, 'slow')
  await expect(id(other, 'thread-status')).toHaveText(/Running/)
  await expect(page.locator('[data-testid=message][data-status=streaming]')).toBeVisible() // it can be finished
  await hostile.agent.finish(threadOf(page))
  await answered(page)
  await expect(id(other, 'thread-status')).toHaveCount(0)
  await open(page, hostile)
  await say(page, 'crash')
  await expect(id(other, 'thread-status')).toHaveText(/Failed/)
  await expect(id(page, 'thread-status')).toHaveText(/Failed/)
})

test('deleting the open conversation leads to a new one, and Undo back', async ({ page, context, app, allowed }) => {
  allowed.push(/410/)
  await start(page, app, 'Hello there')
  const url = page.url()
  const other = await context.newPage()
  await other.goto(url)
  await connected(other)
  await remove(page, 'Hello there')
  await page.waitForURL(/\/mastra\?deleted=/)
  await expect(id(page, 'suggestion').first()).toBeVisible()
  await expect(links(page)).toHaveCount(0)
  await expect(id(other, 'connection')).toHaveAttribute('data-state', 'closed')
  const third = await context.newPage()
  await third.goto(url)
  await expect(id(third, 'error-page')).toContainText('You deleted')
  await id(page, 'thread-undo').click()
  await page.waitForURL(url)
  await expect(mine(page)).toHaveText('Hello there')
  await expect(names(page)).toHaveText(['Hello there'])
  await other.evaluate(() => document.dispatchEvent(new Event('visibilitychange'))) // looked at again
  await connected(other)
  await say(page, 'Still here')
  await expect(mine(other)).toHaveText(['Hello there', 'Still here'])
})

test('deleting a conversation stops its run', async ({ page, hostile }) => {
  await open(page, hostile)
  await say(page, 'slow goodbye')
  await expect(page.locator('[data-testid=message][data-status=streaming]')).toBeVisible()
  await remove(page, 'slow goodbye')
  await page.waitForURL(/\?deleted=/)
  await id(page, 'thread-undo').click()
  await page.waitForURL(/\/t\//)
  await expect(id(page, 'message').last()).toHaveAttribute('data-status', 'stopped')
  await expect(id(page, 'send')).toBeVisible()
})

test('search finds as one types, and stays while the list changes', async ({ page, context, app }) => {
  for (const text of ['A tent for two', 'A lamp', 'Another tent']) await start(page, app, text)
  const other = await context.newPage()
  await open(other, app)
  const search = id(page, 'thread-search')
  await search.pressSequentially('TENT')
  await expect(names(page)).toHaveText(['Another tent', 'A tent for two'])
  await say(other, 'A third tent')
  await expect(names(page)).toHaveText(['A third tent', 'Another tent', 'A tent for two'])
  await answered(other)
  await say(other, 'and more of it')
  await rename(other, 'A lamp', 'A lamp and a tent')
  await expect(names(page)).toHaveCount(4)
  await expect(search).toBeFocused()
  await expect(search).toHaveValue('TENT')
  await remove(page, 'Another tent')
  await expect(names(page)).toHaveCount(3)
  await search.fill('no such words')
  await expect(id(page, 'thread-none')).toBeVisible()
  await search.fill('')
  await expect(names(page)).toHaveCount(3)
  await search.fill('lamp')
  await search.press('Enter') // the page of its own
  await page.waitForURL(/\/threads\?q=lamp/)
  await expect(names(page)).toHaveText(['A lamp and a tent'])
  await expect(search).toHaveValue('lamp')
})

test('a title being written survives what arrives, and Escape leaves it', async ({ page, context, app }) => {
  await start(page, app, 'First')
  await start(page, app, 'Second')
  const other = await context.newPage()
  await open(other, app)
  await row(page, 'First').hover()
  await row(page, 'First').getByTestId('thread-rename').click()
  await page.keyboard.type('Half a ti')
  await say(other, 'Third')
  await answered(other)
  await expect(names(page)).toHaveText(['Third', 'Second', 'First'])
  await rename(other, 'Second', 'Deuxième')
  await expect(names(page)).toHaveText(['Third', 'Deuxième', 'First'])
  const field = row(page, 'First').getByTestId('thread-title')
  await expect(field).toBeFocused()
  await page.keyboard.type('tle')
  await expect(field).toHaveValue('Half a title')
  await page.keyboard.press('Escape')
  await expect(field).toBeHidden()
  await expect(row(page, 'First').getByTestId('thread-rename')).toBeFocused()
  await page.keyboard.press('Enter') // all by keyboard, from here
  await expect(field).toBeFocused()
  await expect(field).toHaveValue('First')
  await page.keyboard.type('Premier')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(names(page)).toHaveText(['Third', 'Deuxième', 'Premier'])
  await page.keyboard.press('Tab') // past the fold, to Delete
  await page.keyboard.press('Enter')
  await expect(names(page)).toHaveText(['Third', 'Deuxième'])
  await expect(id(page, 'thread-undo')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(names(page)).toHaveText(['Third', 'Deuxième', 'Premier'])
})

test('the focus goes to Undo also when the list is told of the deletion first', async ({ page, app }) => {
  await start(page, app, 'First')
  await start(page, app, 'Second')
  await connected(page)
  await page.route(/\/delete$/, async (route) => {
    const response = await route.fetch()
    await expect(names(page)).toHaveText(['Second'])
    await route.fulfill({ response })
  })
  await row(page, 'First').getByTestId('thread-delete').focus()
  await page.keyboard.press('Enter')
  await expect(id(page, 'thread-undo')).toBeFocused()
})

test('a refused title says why and keeps what was written', async ({ page, app, allowed }) => {
  allowed.push(/422/)
  await start(page, app, 'Kept')
  await rename(page, 'Kept', '   ')
  const field = id(page, 'thread-title')
  await expect.poll(() => field.evaluate((e) => e.validationMessage)).toContain('write a title')
  await expect(field).toHaveValue('   ')
  await field.fill('Better')
  await field.press('Enter')
  await expect(names(page)).toHaveText(['Better'])
})

test('a hostile title is text everywhere', async ({ page, app }) => {
  await start(page, app, 'Hi')
  const title = '"><img src=x onerror=window.pwned=1>\u202e</title><script>window.pwned=1</script>'
  await rename(page, 'Hi', title)
  await expect(names(page)).toHaveText([title.replace('\u202e', '')]) // nobody sees that it turns the text around
  await expect(page).toHaveTitle(new RegExp('^"><img'))
  await remove(page, 'onerror')
  await expect(id(page, 'thread-notice')).toContainText('<script>')
  expect(await page.evaluate(() => [window.pwned, document.images.length])).toEqual([undefined, 0])
})

test('a server that stops does not wait for the lists that are open', async ({ page, allowed }) => {
  allowed.push(/ERR_|network error|Failed to fetch/i)
  const app = await startApp()
  await open(page, app)
  await connected(page)
  const begun = Date.now()
  await app.close()
  expect(Date.now() - begun).toBeLessThan(9_000) // one that waits takes the 10 s of stopWait in cmd/cairn/serve.go
  await expect(id(page, 'connection')).toHaveText(/Reconnecting/)
  await expect(id(page, 'connection')).toBeVisible()
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })
  test('rename, delete, undo and search', async ({ page, app }) => {
    await page.goto(app.url + '/mastra')
    await draft(page).fill('Plain pages')
    await follow(page, id(page, 'send'))
    await reloadUntil(page, async () => await id(page, 'send').isVisible() && await id(page, 'thread-status').count() === 0)
    await row(page, 'Plain').hover()
    await id(page, 'thread-rename').click()
    await id(page, 'thread-title').fill('No scripts')
    await id(page, 'thread-save').click()
    await expect(names(page)).toHaveText(['No scripts'])
    const url = page.url()
    await id(page, 'thread-search').fill('scripts')
    await id(page, 'thread-search').press('Enter')
    await expect(page).toHaveURL(/\/threads\?q=scripts/)
    await expect(names(page)).toHaveText(['No scripts'])
    await remove(page, 'No scripts') // from the page of the list
    await expect(page).toHaveURL(/\/threads\?.*q=scripts/)
    await expect(links(page)).toHaveCount(0)
    await id(page, 'thread-undo').click()
    await expect(names(page)).toHaveText(['No scripts'])
    await links(page).click()
    await expect(page).toHaveURL(url)
    await remove(page, 'No scripts') // the open one
    await expect(page).toHaveURL(/\/mastra\?deleted=/)
    await id(page, 'thread-undo').click()
    await expect(page).toHaveURL(url)
    await expect(mine(page)).toHaveText('Plain pages')
  })
})

for (const [width, height] of [[1440, 900], [390, 844]]) {
  for (const theme of ['light', 'dark']) {
    test(`how it looks at ${width} px, ${theme}`, async ({ page, app }) => {
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      const look = async (name) => {
        await page.evaluate(() => document.fonts.ready)
        await page.screenshot({ path: join(screens, `threads-${name}-${width}-${theme}.png`) })
        const { violations } = await new AxeBuilder({ page }).analyze()
        expect(violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(', ')}`), name).toEqual([])
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), name).toBeLessThanOrEqual(0)
      }
      const menu = async () => { if (width < 1180) await page.locator('#menu summary').click() }
      await open(page, app)
      await menu()
      await look('empty')
      await start(page, app, 'Start a packing list called Yosemite weekend with a tent, two sleeping bags and all that goes with them')
      await open(page, app)
      await say(page, 'Reserve the campsite at North Pines for two nights')
      await expect(id(page, 'approve')).toBeEnabled()
      await menu()
      await expect(id(page, 'thread-status')).toHaveText(/Needs you/)
      await row(page, 'Start').hover()
      await look('list')
      await id(page, 'thread-rename').first().click()
      await look('rename')
      await page.keyboard.press('Escape')
      await remove(page, 'Start')
      await expect(id(page, 'thread-undo')).toBeInViewport({ ratio: 1 })
      await look('undo')
      await id(page, 'thread-undo').click()
      await expect(links(page)).toHaveCount(2)
      await id(page, 'thread-search').fill('nothing like it')
      await expect(id(page, 'thread-none')).toBeVisible()
      await look('none')
      await page.goto(app.url + '/threads')
      await look('page')
    })
  }
}
