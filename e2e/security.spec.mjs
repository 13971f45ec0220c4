// What the browser may never get, and what an agent's text may never do.
import { answered, expect, id, open, say, test, theirs, token } from './fixtures.mjs'

// Records every byte the page receives: bodies, headers, and the stream while it is
// open, which response.body() cannot give.
async function wiretap(page) {
  const heard = []
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Network.enable')
  cdp.on('Network.dataReceived', (e) => { if (e.data) heard.push(Buffer.from(e.data, 'base64').toString('latin1')) })
  cdp.on('Network.responseReceivedExtraInfo', (e) => heard.push(JSON.stringify(e.headers)))
  const streams = { count: 0 }
  cdp.on('Network.responseReceived', (e) => {
    if (!e.response.mimeType.includes('event-stream')) return
    streams.count++
    cdp.send('Network.streamResourceContent', { requestId: e.requestId })
      .then((r) => heard.push(Buffer.from(r.bufferedData, 'base64').toString('latin1')), () => {})
  })
  page.on('response', (r) => {
    if (!(r.headers()['content-type'] ?? '').includes('event-stream')) r.body().then((b) => heard.push(b.toString('latin1')), () => {})
  })
  return { text: () => heard.join('\n'), streams }
}

test('the token and the agent\'s address are in no byte the browser receives', async ({ page, context, real }) => {
  const tap = await wiretap(page)
  await open(page, real)
  await say(page, 'Start a packing list')
  await answered(page)
  await say(page, 'Reserve North Pines for two nights')
  await id(page, 'approve').click()
  await answered(page, /TP-0288/)
  await id(page, 'tab-code').click()
  await expect(id(page, 'code-file')).toBeVisible()
  await expect.poll(() => tap.text()).toContain('datastar-patch-elements')
  expect(tap.streams.count).toBeGreaterThan(0)
  for (const secret of [token, new URL(real.agent.url).host]) {
    expect(tap.text().includes(secret), `${secret} reached the browser`).toBe(false)
    expect(JSON.stringify(await context.cookies())).not.toContain(secret)
  }
})

test('hostile text is text wherever it stands', async ({ page, hostile }) => {
  const asked = []
  page.on('request', (r) => asked.push(r.url()))
  await open(page, hostile)
  await say(page, 'attack')
  await answered(page, /The attack is over\./)
  const harmless = async () => {
    expect(await page.evaluate(() => [window.pwned, document.querySelectorAll('#pwned').length])).toEqual([undefined, 0])
    await expect(page.locator('#chat-items')).toContainText('<script>window.pwned=1</script>')
    await expect(id(page, 'packing-state')).toContainText('<img src=x')
    await expect(theirs(page).last()).toContainText('event: datastar-patch-elements')
    await expect(page.locator('#chat-items')).toHaveCount(1)
    await expect(page.locator('#chat-items script, #chat-items style, #chat-items img, .panel script, .panel img')).toHaveCount(0)
    expect(await page.locator('#chat-items a[href^="javascript" i]').count()).toBe(0)
    await expect(page.locator('body')).toBeVisible()
  }
  await harmless()
  await id(page, 'tool-card').first().locator('summary').click()
  await harmless()
  await page.reload()
  await expect(theirs(page).last()).toContainText('The attack is over.')
  await harmless()
  expect(asked.filter((url) => /pwned|\/x$/.test(url) || new URL(url).origin !== hostile.url)).toEqual([])
})

test('a hostile pause is text and cannot be approved past its time', async ({ page, hostile, allowed }) => {
  allowed.push(/status 4\d\d|the server responded with a status of 4\d\d/)
  await open(page, hostile)
  await say(page, 'trap')
  const card = id(page, 'approval-card')
  await expect(card).toHaveAttribute('data-phase', /pending|expired/)
  await expect(card).toContainText('<img src=x')
  expect(await page.evaluate(() => [window.pwned, document.querySelectorAll('#pwned').length])).toEqual([undefined, 0])
  if (await id(page, 'approve').count()) await id(page, 'approve').click() // its expiry cannot be read: it is over
  await page.reload()
  await expect(card).not.toHaveAttribute('data-phase', 'approved')
  expect(await page.evaluate(() => [window.pwned, document.querySelectorAll('#pwned').length])).toEqual([undefined, 0])
})

test('hostile text of mine is text too', async ({ page, hostile }) => {
  await open(page, hostile)
  const text = 'plain <img src=x onerror="window.pwned=1"><script>window.pwned=1</script> </textarea> hx-get="/pwned"'
  await say(page, text)
  await answered(page)
  await page.reload()
  expect(await page.locator('[data-role=user] .bubble').textContent()).toBe(text)
  expect(await page.evaluate(() => window.pwned)).toBe(undefined)
})

test('a conversation is there only for the session that made it', async ({ page, browser, app }) => {
  await open(page, app)
  await say(page, 'Hello')
  await answered(page)
  const stranger = await browser.newContext()
  const thread = new URL(page.url()).pathname.split('/').at(-1)
  for (const path of [`/mastra/t/${thread}`, `/mastra/t/${thread}/code`, `/t/${thread}/stream?pane=run`]) {
    const response = await stranger.request.get(app.url + path, { maxRedirects: 0 })
    expect([401, 403, 404], path).toContain(response.status())
  }
  const posted = await stranger.request.post(`${app.url}/t/${thread}/stop`, { maxRedirects: 0 })
  expect([401, 403, 404]).toContain(posted.status())
  await stranger.close()
})

test('cross-origin POSTs are refused, cookies are closed, the policy is strict', async ({ page, app }) => {
  const response = await page.goto(app.url + '/mastra')
  const policy = response.headers()['content-security-policy']
  expect(policy).toContain("default-src 'self'")
  expect(policy).not.toMatch(/unsafe|\*|http:/)
  await say(page, 'Hello')
  await answered(page)
  const [cookie] = await page.context().cookies()
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: expect.stringMatching(/Lax|Strict/) })
  const forged = await page.request.post(app.url + '/mastra/messages', {
    form: { text: 'forged', message_id: '3f0a9a52-6d0e-4a40-8d1a-3f8f3c1a2b4c' },
    headers: { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
    maxRedirects: 0,
  })
  expect(forged.status()).toBe(403)
})
