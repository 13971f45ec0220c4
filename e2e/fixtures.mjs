// The tests' vocabulary: an app per worker and kind, a page that must stay clean,
// and what a person does on it.
import { expect, test as base } from '@playwright/test'
import { deadUpstream, startApp, startPlayer } from './app.mjs'

export { expect }

export const token = 'e2e-token-7d1f0c52a9'

// One app for a worker, with the agent that make() starts.
export const appWith = (make) => [async ({}, use) => {
  const agent = await make()
  try {
    const app = await startApp({ upstream: agent?.upstream })
    await use({ ...app, agent })
    await app.close()
  } finally {
    await agent?.stop?.()
  }
}, { scope: 'worker' }]

// A demo whose agent says what was captured, in the wrong places: what is decided is not
// what comes of it.
export const lying = (demo) => appWith(async () => {
  const player = await startPlayer(['--scenario', `e2e/testdata/${demo}.json`], token)
  return { ...player, upstream: { ...player.upstream, demo } }
})

export const test = base.extend({
  app: appWith(async () => undefined),
  real: appWith(() => startPlayer(['--scenario', 'e2e/testdata/mastra.json'], token)),
  hostile: appWith(() => startPlayer(['--hostile'], token)),
  dead: appWith(async () => ({ upstream: await deadUpstream() })),

  // Every page of a test must end without a console error, a failed request or an
  // error status. A test that provokes some says which: allowed.push(/…/).
  allowed: async ({}, use) => use([]),
  clean: [async ({ context, allowed }, use) => {
    const problems = []
    const seen = (what) => { if (!allowed.some((re) => re.test(what))) problems.push(what) }
    context.on('console', (m) => { if (m.type() === 'error') seen(`console: ${m.text()} ${m.location().url}`) })
    context.on('weberror', (e) => seen(`page error: ${e.error()}`))
    context.on('requestfailed', (r) => {
      const why = r.failure()?.errorText ?? ''
      // A page that is left takes its stream with it.
      if (why !== 'net::ERR_ABORTED') seen(`failed request: ${r.url()} ${why}`)
    })
    context.on('response', (r) => { if (r.status() >= 400) seen(`status ${r.status()}: ${r.url()}`) })
    await use(problems)
    expect(problems, 'console errors and failed requests').toEqual([])
  }, { auto: true }],
})

export const id = (page, name) => page.getByTestId(name)
export const draft = (page) => page.getByRole('textbox', { name: 'Message' })
export const mine = (page) => page.locator('[data-testid=message][data-role=user]')
export const theirs = (page) => page.locator('[data-testid=chat] [data-testid=message][data-role=assistant]')
export const rows = (page) => id(page, 'packing-state').getByTestId('packing-item')

// A new conversation, with its page ready.
export async function open(page, app, demo = 'mastra') {
  await page.goto(`${app.url}/${demo}`)
  await expect(id(page, 'suggestion').first()).toBeVisible()
}

// Sends a message with the keyboard; the first of a conversation changes the page.
export async function say(page, text) {
  const first = !/\/t\//.test(page.url())
  await draft(page).fill(text)
  await draft(page).press('Enter')
  if (first) await page.waitForURL(/\/t\//)
  await expect(mine(page).last()).toHaveText(text.trim())
}

export const suggest = (page, label) => id(page, 'suggestion').filter({ hasText: label }).click()

// The question that waits, which shows these texts.
export async function approval(page, ...texts) {
  const card = id(page, 'approval-card').last()
  await expect(card).toHaveAttribute('data-phase', 'pending')
  for (const text of texts) await expect(card).toContainText(text)
  return card
}

// Approves in two tabs in the same moment.
export async function approveTwice(page, context) {
  const second = await context.newPage()
  await second.goto(page.url())
  await expect(id(second, 'approve')).toBeEnabled()
  await Promise.all([page, second].map((p) => p.evaluate(() => document.querySelector('[data-testid=approve]')?.click())))
  for (const p of [page, second]) await expect(id(p, 'approval-card')).toHaveAttribute('data-phase', 'approved')
}

// The agent is done: nothing streams, and it said what is expected.
export async function answered(page, text = /\S/) {
  await expect(theirs(page).last()).toHaveText(text)
  await idle(page)
}

export async function idle(page) {
  await expect(id(page, 'send')).toBeVisible()
  await expect(id(page, 'typing')).toBeHidden()
  await expect(page.locator('[data-testid=message][data-status=streaming]')).toHaveCount(0)
}

export const threadOf = (page) => new URL(page.url()).pathname.split('/')[3]

// Records how the card of a second agent fills; call before the page is opened.
export const watchChild = (page) => record(page, 'child', `() => {
  const card = document.querySelector('[data-testid=subagent-card]')
  return card ? [card.dataset.status, card.textContent.length] : undefined
}`)

// The card was there while the second agent ran, and grew.
export async function childGrew(page) {
  const lengths = (await series(page, 'child')).filter(([status]) => status === 'running').map(([, n]) => n)
  expect(new Set(lengths).size, `lengths while running: ${lengths}`).toBeGreaterThan(1) // a busy machine draws several words at once
}

// Everything of a conversation that a reader can tell apart.
export function shape(page) {
  return page.evaluate(() => [...document.querySelectorAll('#chat-items [data-testid], .panel [data-testid]')]
    .filter((e) => !e.hidden)
    .map((e) => ({
      what: e.dataset.testid, role: e.dataset.role, status: e.dataset.status, phase: e.dataset.phase,
      tool: e.dataset.tool, name: e.dataset.name, text: e.textContent.replace(/\s+/g, ' ').trim(),
    })))
}

// Two tabs of a conversation show the same.
export const alike = (one, other) => expect(async () => expect(await shape(other)).toEqual(await shape(one))).toPass()

// Ends the page's stream and returns when it is back and has sent the conversation again.
export async function reconnect(page) {
  await expect(id(page, 'connection')).toHaveAttribute('data-state', 'connected')
  await page.evaluate(() => new Promise((done) => {
    const line = document.getElementById('connection')
    line.addEventListener('cairn:connection', () => {
      if (line.dataset.state === 'connected') document.addEventListener('cairn:patched', () => done(), { once: true })
    })
    line._htmx.sse.reader.cancel()
  }))
}

// Without scripts: clicks what leads to another page, and returns when that is there.
export const follow = (page, link) => Promise.all([page.waitForEvent('load'), link.click()])

// Without scripts a page shows what is new when it is loaded again.
export const reloadUntil = (page, check) => expect(async () => {
  await page.reload()
  expect(await check()).toBe(true)
}).toPass()

// Records what an expression gives at every change of the page, also over
// navigations. Call before the page is opened; read with series().
export async function record(page, name, expression) {
  await page.addInitScript(`(() => {
    const key = ${JSON.stringify('record:' + name)}
    const all = JSON.parse(sessionStorage.getItem(key) ?? '[]')
    let last = JSON.stringify(all.at(-1))
    new MutationObserver(() => {
      const value = (${expression})()
      const now = JSON.stringify(value)
      if (value === undefined || now === last) return
      last = now
      all.push(value)
      sessionStorage.setItem(key, JSON.stringify(all))
    }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
  })()`)
}

export const series = (page, name) =>
  page.evaluate((key) => JSON.parse(sessionStorage.getItem(key) ?? '[]'), 'record:' + name)
