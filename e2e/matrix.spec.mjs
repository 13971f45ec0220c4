// The support matrix: a page of its own, reached from the sidebar.
import AxeBuilder from '@axe-core/playwright'
import { expect, id, test } from './fixtures.mjs'

test('every surface and runtime, each cell leading to its evidence', async ({ page, app }) => {
  await page.goto(app.url + '/mastra')
  await page.getByRole('link', { name: /Support matrix/ }).click()
  await expect(page).toHaveURL(/\/matrix$/)
  await expect(id(page, 'matrix-row')).toHaveCount(20)
  await expect(id(page, 'matrix-runtime')).toHaveCount(10)
  await expect(id(page, 'matrix-row').locator('td')).toHaveCount(100)
  const strands = page.locator('td[data-runtime="AWS Strands"]')
  await strands.nth(2).getByRole('link').click()
  const evidence = page.locator('#strands-state')
  await expect(evidence).toBeInViewport()
  await expect(evidence).toContainText('never as a delta [04]')
  for (const colorScheme of ['light', 'dark']) {
    // Without motion: a colour on its way from one scheme to the other has no contrast of its own.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect((await new AxeBuilder({ page }).analyze()).violations.map((v) => v.id)).toEqual([])
  }
})

for (const width of [390, 820, 1180]) {
  for (const path of ['/matrix', '/matrix/strands/06-interrupts-ask']) test(`nothing of ${path} sticks out at ${width} pixels`, async ({ page, app }) => {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(app.url + path)
    await expect(page.getByRole('main')).toBeVisible()
    const wide = await page.evaluate(() => [...document.querySelectorAll('main, main *')]
      .filter((e) => e.getBoundingClientRect().right > innerWidth + 1 || e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline' && getComputedStyle(e).textOverflow !== 'ellipsis')
      .map((e) => e.className || e.tagName))
    expect(wide).toEqual([])
  })
}

test('the evidence leads to the very bytes', async ({ page, app }) => {
  await page.goto(app.url + '/matrix')
  await page.locator('#strands-interrupts').getByRole('link', { name: '[06] ask' }).click()
  await expect(page.getByRole('main').getByRole('heading', { level: 2 })).toHaveText('AWS Strands: interrupts, ask')
  const last = id(page, 'transcript-frame').last()
  await expect(last).toHaveAttribute('data-type', 'RUN_FINISHED')
  await last.locator('summary').click()
  await expect(last.locator('pre')).toContainText('"outcome"')
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect((await new AxeBuilder({ page }).analyze()).violations.map((v) => v.id)).toEqual([])
  }
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'The answer, byte for byte' }).click()])
  expect(download.suggestedFilename()).toBe('06-interrupts-ask.sse')
  await page.getByRole('link', { name: /\[07\] approve/ }).click()
  await expect(page.getByRole('main').getByRole('heading', { level: 2 })).toHaveText('AWS Strands: interrupts, approve')
})
