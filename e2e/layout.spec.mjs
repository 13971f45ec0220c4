// How it looks: narrow and wide, light and dark, for everyone. The pictures go to
// test-results/screens.
import AxeBuilder from '@axe-core/playwright'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { answered, expect, id, open, say, test } from './fixtures.mjs'

const screens = join(dirname(fileURLToPath(import.meta.url)), 'test-results/screens')
mkdirSync(screens, { recursive: true })

const sizes = { 1440: { width: 1440, height: 900 }, 390: { width: 390, height: 844 } }

async function accessible(page, what) {
  const { violations } = await new AxeBuilder({ page }).analyze()
  const serious = violations.filter((v) => ['serious', 'critical'].includes(v.impact))
  expect(serious.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(', ')}`), what).toEqual([])
}

async function fits(page, what) {
  const wide = await page.evaluate(() => [document.documentElement.scrollWidth, document.body.scrollWidth, innerWidth])
  expect(Math.max(wide[0], wide[1]), `${what}: width`).toBeLessThanOrEqual(wide[2])
}

for (const [width, viewport] of Object.entries(sizes)) {
  for (const theme of ['light', 'dark']) {
    test(`${width} px, ${theme}`, async ({ page, app, hostile }) => {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      const look = async (name, { shot = true } = {}) => {
        await page.evaluate(() => document.fonts.ready)
        if (shot) await page.screenshot({ path: join(screens, `${name}-${width}-${theme}.png`) })
        await fits(page, name)
        await accessible(page, name)
        await expect(page.locator('#draft')).toBeInViewport({ ratio: 1 })
      }

      await open(page, app)
      await look('run-welcome')

      await say(page, 'Start a packing list called Yosemite weekend with a tent and two sleeping bags')
      await answered(page)
      await say(page, 'Check trail conditions in Yosemite Valley right now')
      await answered(page)
      await say(page, 'What is the weather forecast for North Pines this weekend?')
      const child = id(page, 'subagent-card')
      await expect(child.locator('li')).not.toHaveCount(0)
      await page.screenshot({ path: join(screens, `run-mid-stream-${width}-${theme}.png`) })
      await answered(page)

      await say(page, 'Reserve the campsite at North Pines for two nights')
      await expect(id(page, 'approve')).toBeEnabled()
      await expect(id(page, 'approve')).toBeInViewport({ ratio: 1 })
      await expect(id(page, 'cancel')).toBeInViewport({ ratio: 1 })
      await look('run-approval')
      await id(page, 'approve').click()
      await answered(page, /TP-0288/)
      await look('run-done')

      const panel = id(page, 'packing-state')
      if (width === '390') {
        await expect(panel).toBeHidden()
        await page.locator('#panel-fold summary').click()
        await expect(panel).toBeVisible()
        await page.screenshot({ path: join(screens, `run-panel-${width}-${theme}.png`) })
        await fits(page, 'panel')
      } else {
        await expect(panel).toBeInViewport({ ratio: 1 })
      }

      await id(page, 'tab-code').click()
      await expect(id(page, 'code-file')).toBeVisible()
      await page.evaluate(() => document.fonts.ready)
      await page.screenshot({ path: join(screens, `code-${width}-${theme}.png`) })
      await fits(page, 'code')
      await accessible(page, 'code')

      await open(page, hostile)
      await say(page, 'attack')
      await answered(page, /The attack is over\./)
      await fits(page, 'hostile text')
      await say(page, 'crash')
      await expect(id(page, 'run-error')).toBeVisible()
      await fits(page, 'an error')
      await accessible(page, 'an error')
    })
  }
}

test('the Code tab shows real files, highlighted, and each has an address', async ({ page, app }) => {
  await page.goto(app.url + '/mastra/code')
  const links = id(page, 'code-link')
  expect(await links.count()).toBeGreaterThan(2)
  for (const link of await links.all()) {
    const path = await link.locator('.file-path').textContent()
    await link.click()
    await expect(page.locator('#file-path')).toHaveText(path)
    await expect(id(page, 'code-file').locator('span[class]').first()).toBeAttached()
  }
  await expect(page.locator('[style]')).toHaveCount(0)
})

test('the first screen is read from its top where it does not fit', async ({ page, app }) => {
  await page.setViewportSize({ width: 844, height: 390 })
  await page.goto(app.url + '/mastra')
  await expect(page.locator('#welcome-heading')).toBeInViewport()
  await page.setViewportSize({ width: 390, height: 420 }) // turned, and a keyboard up
  await expect(page.locator('#welcome-heading')).toBeInViewport()
})

test('every page has its icon, and unknown ones a way back', async ({ page, app, allowed }) => {
  allowed.push(/404/)
  const icon = await page.request.get(app.url + '/favicon.ico')
  expect(icon.status()).toBe(200)
  await page.goto(app.url + '/nowhere')
  await expect(page.getByRole('main').getByRole('link')).toBeVisible()
})
