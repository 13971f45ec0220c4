// A page shows the end of a conversation, and leads to the rest of it.
import { answered, draft, expect, follow, id, idle, mine, open, reconnect, reloadUntil, say, test, theirs } from './fixtures.mjs'

const numbers = (page) => theirs(page).evaluateAll((all) => all.map((elt) => Number(/number (\d+)/.exec(elt.textContent)?.[1])))
// Asks for more than a page shows, so that the question is not on it any more.
async function askForMany(page) {
  await draft(page).fill('many')
  await draft(page).press('Enter')
  await page.waitForURL(/\/t\//)
  await answered(page, /number 449/)
}
const upTo = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i)

test('earlier entries come in front and stay while the conversation goes on', async ({ page, hostile }) => {
  await open(page, hostile)
  await askForMany(page)
  expect(await numbers(page)).toEqual(upTo(250, 449))
  // What is read stays where it is.
  const place = () => theirs(page).filter({ hasText: 'number 250.' }).evaluate((elt) => Math.round(elt.getBoundingClientRect().top))
  await id(page, 'earlier').scrollIntoViewIfNeeded()
  const before = await place()
  await id(page, 'earlier').focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => numbers(page)).toEqual(upTo(50, 449))
  expect(Math.abs(await place() - before)).toBeLessThan(40)
  await id(page, 'earlier').click()
  await expect.poll(() => numbers(page)).toEqual(upTo(0, 449))
  await expect(id(page, 'earlier')).toHaveCount(0)
  await expect(mine(page)).toHaveText('many')
  await say(page, 'hello')
  await idle(page)
  await expect(theirs(page).last()).toHaveText('I heard you.')
  expect((await numbers(page)).slice(0, 450)).toEqual(upTo(0, 449))
  // The stream draws the end anew when it connects again.
  await reconnect(page)
  await say(page, 'hello again')
  await idle(page)
  expect((await numbers(page)).slice(0, 450)).toEqual(upTo(0, 449))
  await page.reload()
  await expect(theirs(page)).toHaveCount(198)
})

test('a link to an entry opens the part that has it', async ({ page, hostile }) => {
  await open(page, hostile)
  await askForMany(page)
  const url = page.url()
  await page.goto('about:blank')
  await page.goto(url + '#e100')
  await page.waitForURL(/\?at=100#e100$/)
  await expect(page.locator('#e100')).toBeInViewport()
  await expect(page.locator('#draft')).toHaveCount(0)
  await id(page, 'later').getByRole('link', { name: 'Go to the latest' }).click()
  await answered(page, /number 449/)
})

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false })
  test('every entry can be reached by links', async ({ page, hostile }) => {
    await page.goto(`${hostile.url}/mastra`)
    await page.locator('#draft').fill('many')
    await follow(page, page.locator('#send')) // a reload before would end the request
    await reloadUntil(page, async () => /number 449/.test(await theirs(page).last().textContent()))
    await id(page, 'earlier').click()
    await id(page, 'earlier').click()
    await expect(mine(page)).toHaveText('many')
    await expect(id(page, 'earlier')).toHaveCount(0)
    await id(page, 'later').getByRole('link', { name: 'Show later' }).click()
    await expect(theirs(page).first()).toBeVisible()
  })
})

test('what is too large says so and is there whole; long words freeze nothing', async ({ page, hostile }) => {
  await page.addInitScript(() => {
    window.longest = 0
    new PerformanceObserver((list) => { for (const e of list.getEntries()) window.longest = Math.max(window.longest, e.duration) })
      .observe({ type: 'longtask', buffered: true })
  })
  await open(page, hostile)
  await say(page, 'words')
  await answered(page, /A paragraph of words/)
  await expect(theirs(page).last().getByTestId('over')).toContainText('Only the beginning is shown.')
  const [whole] = await Promise.all([page.waitForEvent('popup'), theirs(page).last().getByTestId('over').getByRole('link', { name: /Show all/ }).click()])
  expect((await whole.locator('pre').textContent()).length).toBeGreaterThan(800_000)
  await whole.close()
  await id(page, 'tool-card').locator('summary').click()
  await expect(id(page, 'tool-card').getByTestId('over')).toHaveCount(2)
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  await page.reload()
  await answered(page, /A paragraph of words/)
  expect(await page.evaluate(() => window.longest)).toBeLessThan(5000) // it is some 100 ms; a machine may be busy
})
