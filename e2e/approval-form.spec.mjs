// The approval form: what can be edited before it is approved, a form from the schema
// of the answer, and several requests decided differently. Told by what reached the
// agent, which is a few lines of this file.
import AxeBuilder from '@axe-core/playwright'
import { createServer } from 'node:http'
import { join, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startApp } from './app.mjs'
import { answered, expect, follow, id, idle, reconnect, reloadUntil, say, test as base, threadOf } from './fixtures.mjs'

const screens = join(dirname(fileURLToPath(import.meta.url)), 'test-results/screens')

const refund = { kind: 'refund_approval', amount: 47.5, customer_id: 'cus_a8x2k', reason: 'Charged twice' }
const expense = (vendor, amount) => ({ agent_framework: { function_call: { name: 'submit_expense', arguments: { expense: { vendor, amount_usd: amount, category: 'meals' } } } } })
const schema = {
  type: 'object',
  properties: {
    approved: { type: 'boolean' },
    colour: { enum: ['red', 'green'], title: 'Colour of the cover', description: 'It cannot be changed later.' },
    copies: { type: 'integer', minimum: 1, maximum: 9, default: 2 },
    note: { type: 'string', maxLength: 300 },
    urgent: { type: 'boolean' },
    editedArgs: { type: 'object', title: 'What will be printed', properties: { title: { type: 'string' }, pages: { type: 'integer' } } },
  },
  required: ['approved', 'colour'],
}

// What the agent asks, by the first word it is sent.
const asks = {
  refund: [{ id: 'i:1', reason: 'refund', metadata: { langgraph: { raw: refund } } }],
  print: [{ id: 'i:2', reason: 'print', message: 'Shall I print it?', responseSchema: schema, metadata: { langgraph: { raw: { toolName: 'print', args: { title: 'Report', pages: 12 } } } } }],
  name: [{ id: 'i:3', reason: 'name', message: 'Which name?', responseSchema: { type: 'string', title: 'Name', maxLength: 40 } }],
  two: [
    { id: 'c<1>', reason: 'tool_call', toolCallId: 'c1', metadata: expense('Blue Finch Bistro', 220) },
    { id: 'c2', reason: 'tool_call', toolCallId: 'c2', metadata: expense('Pixel Peak Displays', 340) },
  ],
}

// What it does with an answer, as each real runtime shows it.
function outcome(word, resume) {
  if (word === 'refund') {
    const { approved, amount = 47.5 } = resume[0].payload
    return [{ type: 'STATE_SNAPSHOT', snapshot: { refund: { ...refund, amount, status: approved ? 'issued' : 'cancelled', refund_id: approved ? 're_1' : null } } }]
  }
  if (word === 'two') return resume.map(({ payload }, i) => ({
    type: 'TOOL_CALL_RESULT', messageId: 'r' + i, toolCallId: 'c' + (i + 1), role: 'tool',
    content: !payload.approved ? 'Error: Tool call invocation was rejected by user.'
      : `Expense recorded: $${['220.00 to Blue Finch Bistro', '340.00 to Pixel Peak Displays'][i]} (meals), queued.`,
  }))
  return []
}

async function startAgent() {
  const requests = []
  const server = createServer(async (req, res) => {
    let body = ''
    for await (const chunk of req) body += chunk
    const input = JSON.parse(body)
    requests.push(input)
    const word = input.messages.findLast((m) => m.role === 'user').content.split(' ')[0]
    const events = input.resume
      ? [...outcome(word, input.resume), { type: 'TEXT_MESSAGE_CHUNK', messageId: 'done-' + requests.length, delta: 'That is done.' }, { type: 'RUN_FINISHED', threadId: input.threadId, runId: input.runId }]
      : asks[word] ? [{ type: 'RUN_FINISHED', threadId: input.threadId, runId: input.runId, outcome: { type: 'interrupt', interrupts: asks[word] } }]
      : [{ type: 'TEXT_MESSAGE_CHUNK', messageId: 'm' + requests.length, delta: 'I heard you.' }, { type: 'RUN_FINISHED', threadId: input.threadId, runId: input.runId }]
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of [{ type: 'RUN_STARTED', threadId: input.threadId, runId: input.runId }, ...events]) res.write(`data: ${JSON.stringify(event)}\n\n`)
    res.end()
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    upstream: { url: `http://127.0.0.1:${server.address().port}/`, token: 't' },
    // The answers that reached the agent of a page's conversation.
    answers: (page) => requests.filter((r) => r.threadId === threadOf(page) && r.resume).map((r) => r.resume),
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}

const on = (demo) => [async ({}, use) => {
  const agent = await startAgent()
  const app = await startApp({ upstream: { ...agent.upstream, demo } })
  await use({ ...app, agent })
  await app.close()
  await agent.stop()
}, { scope: 'worker' }]

const test = base.extend({ desk: on('langgraph'), copilot: on('maf') })
const card = (page) => id(page, 'approval-card').last()

async function ask(page, app, demo, text) {
  await page.goto(`${app.url}/${demo}`)
  await say(page, text)
  await expect(card(page)).toHaveAttribute('data-phase', 'pending')
}

const amount = (page) => card(page).getByLabel('Amount to refund')

test('an amount is edited, then approved: the agent gets it once, and the card is judged by it', async ({ page, desk }) => {
  await ask(page, desk, 'langgraph', 'refund it')
  await expect(amount(page)).toHaveValue('47.50')
  await amount(page).fill('40')
  await id(page, 'approve').click()
  await expect(card(page)).toHaveAttribute('data-phase', 'approved')
  await expect(card(page)).toContainText('Approved with amount $40.00.')
  await expect(card(page)).toContainText('Refunded. $40.00 to cus_a8x2k, refund re_1.')
  await answered(page)
  await page.reload()
  await expect(card(page)).toContainText('Approved with amount $40.00.')
  expect(desk.agent.answers(page)).toEqual([[{ interruptId: 'i:1', status: 'resolved', payload: { approved: true, amount: 40 } }]])
})

test('an amount that is left as it was is not sent; Cancel sends none either', async ({ page, desk }) => {
  await ask(page, desk, 'langgraph', 'refund it')
  await id(page, 'approve').click()
  await expect(card(page)).toContainText('Refunded. $47.50')
  await expect(card(page)).not.toContainText('Approved with')
  await idle(page)
  await say(page, 'refund another')
  await expect(id(page, 'approval-card')).toHaveCount(2)
  await amount(page).fill('-3')
  await id(page, 'cancel').click()
  await expect(card(page)).toHaveAttribute('data-phase', 'declined')
  await expect(card(page)).toContainText('Declined.')
  expect(desk.agent.answers(page).map(([entry]) => entry.payload)).toEqual([{ approved: true }, { approved: false }])
})

test('what is typed stays: through patches of the page, Enter, Escape and a refusal', async ({ page, context, desk, allowed }) => {
  allowed.push(/422/)
  await ask(page, desk, 'langgraph', 'refund it')
  await amount(page).fill('12.34')
  await amount(page).press('Enter')
  await amount(page).press('Escape')
  await expect(card(page)).toHaveAttribute('data-phase', 'pending')
  await reconnect(page)
  const second = await context.newPage()
  await second.goto(page.url())
  await second.close()
  await expect(amount(page)).toHaveValue('12.34')
  await page.reload()
  await expect(amount(page)).toHaveValue('12.34')
  await id(page, 'tab-code').click()
  await id(page, 'tab-run').click()
  await expect(amount(page)).toHaveValue('12.34')
  await amount(page).fill('100001')
  await id(page, 'approve').click()
  await expect(id(page, 'approval-error')).toHaveText('Amount to refund must be at most 100000.')
  await expect(amount(page)).toBeFocused()
  await expect(amount(page)).toHaveAttribute('aria-invalid', 'true')
  await expect(amount(page)).toHaveAccessibleDescription(/at most/)
  await reconnect(page)
  await expect(id(page, 'approval-error')).toBeVisible()
  await expect(amount(page)).toHaveAttribute('aria-invalid', 'true')
  await expect(amount(page)).toHaveValue('100001')
  expect(desk.agent.answers(page)).toEqual([])
  await amount(page).fill('12.34')
  await id(page, 'approve').click()
  await expect(card(page)).toContainText('Refunded. $12.34')
  await expect(id(page, 'approval-error')).toHaveCount(0)
  expect(desk.agent.answers(page)).toHaveLength(1)
})

test('a number is what was typed: no comma is dropped, and no scrolling counts on', async ({ page, desk, allowed }) => {
  allowed.push(/422/)
  await ask(page, desk, 'langgraph', 'refund it')
  await amount(page).fill('')
  await amount(page).pressSequentially('47,50')
  await amount(page).hover()
  await page.mouse.wheel(0, 300)
  await amount(page).press('ArrowUp')
  await id(page, 'approve').click()
  await expect(id(page, 'approval-error')).toHaveText('Amount to refund is not a number, such as 12.50.')
  await expect(amount(page)).toHaveValue('47,50')
  expect(desk.agent.answers(page)).toEqual([])
})

test('a form from the schema of the answer', async ({ page, desk }) => {
  await ask(page, desk, 'langgraph', 'print it')
  const form = card(page)
  await expect(form.getByLabel('Copies')).toHaveValue('2')
  await expect(form.getByLabel('Colour of the cover')).toHaveAccessibleDescription('It cannot be changed later.')
  const args = form.getByRole('group', { name: 'What will be printed' })
  await expect(args.getByLabel('Title')).toHaveValue('Report')
  await expect(args.getByLabel('Pages')).toHaveValue('12')
  await id(page, 'approve').click() // the colour is missing
  await expect(form).toHaveAttribute('data-phase', 'pending')
  await form.getByLabel('Colour of the cover').selectOption('green')
  await form.getByLabel('Copies').fill('3')
  await form.getByLabel('Note').fill('two\nlines')
  await form.getByLabel('Urgent').check()
  await page.reload()
  await expect(form.getByLabel('Urgent')).toBeChecked()
  await expect(form.getByLabel('Colour of the cover')).toHaveValue('1')
  await args.getByLabel('Pages').fill('10')
  await id(page, 'approve').click()
  await expect(form).toHaveAttribute('data-phase', 'approved')
  await answered(page)
  expect(desk.agent.answers(page)).toEqual([[{
    interruptId: 'i:2', status: 'resolved',
    payload: { approved: true, colour: 'green', copies: 3, note: 'two\nlines', urgent: true, editedArgs: { title: 'Report', pages: 10 } },
  }]])
})

test('a question for a text: Send answers it, Cancel withdraws from it', async ({ page, desk }) => {
  await ask(page, desk, 'langgraph', 'name it')
  await card(page).getByLabel('Name').fill('<b>Ada</b>')
  await card(page).getByRole('button', { name: 'Send' }).click()
  await expect(card(page)).toContainText('Answered: name “<b>Ada</b>”.')
  await idle(page)
  await say(page, 'name another')
  await expect(id(page, 'approval-card')).toHaveCount(2)
  await id(page, 'cancel').click()
  await expect(card(page)).toHaveAttribute('data-phase', 'declined')
  expect(desk.agent.answers(page)).toEqual([
    [{ interruptId: 'i:3', status: 'resolved', payload: '<b>Ada</b>' }], [{ interruptId: 'i:3', status: 'cancelled' }],
  ])
})

test('two requests on one card, decided differently, in one answer', async ({ page, copilot, allowed }) => {
  allowed.push(/422/)
  await ask(page, copilot, 'maf', 'two expenses')
  const [first, second] = [id(page, 'request').nth(0), id(page, 'request').nth(1)]
  await first.getByLabel('Approve').check()
  await id(page, 'send-decisions').click() // the second is not decided
  await card(page).locator('form').evaluate((form) => { form.noValidate = true })
  await id(page, 'send-decisions').click()
  await expect(id(page, 'approval-error')).toHaveText('Please choose Approve or Decline for request 2.')
  await expect(first.getByLabel('Approve')).toBeChecked()
  expect(copilot.agent.answers(page)).toEqual([])
  await second.getByLabel('Decline').check()
  await id(page, 'send-decisions').dblclick()
  await expect(card(page)).toContainText('1 of 2 approved')
  await expect(first).toHaveAttribute('data-decision', 'approved')
  await expect(first).toContainText('Recorded. $220.00 to Blue Finch Bistro')
  await expect(second).toHaveAttribute('data-decision', 'declined')
  await expect(second).toContainText('Declined. Nothing was submitted.')
  expect(copilot.agent.answers(page)).toEqual([[
    { interruptId: 'c<1>', status: 'resolved', payload: { approved: true } },
    { interruptId: 'c2', status: 'resolved', payload: { approved: false } },
  ]])
})

test('all at once', async ({ page, copilot }) => {
  await ask(page, copilot, 'maf', 'two expenses')
  await id(page, 'approve').click()
  for (const n of [0, 1]) await expect(id(page, 'request').nth(n)).toContainText('Recorded.')
  expect(copilot.agent.answers(page).flat().map((entry) => entry.payload)).toEqual([{ approved: true }, { approved: true }])
})

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false })

  test('a refusal shows the page again with the sentence and what was typed', async ({ page, desk, allowed }) => {
    allowed.push(/422/)
    await page.goto(desk.url + '/langgraph')
    await page.getByRole('textbox', { name: 'Message' }).fill('print it')
    await follow(page, id(page, 'send'))
    const thread = page.url()
    await reloadUntil(page, () => id(page, 'approve').isVisible())
    await card(page).getByLabel('Note').fill('keep <this>')
    await card(page).getByLabel('Urgent').check()
    await card(page).locator('form').evaluate((form) => { form.noValidate = true })
    await id(page, 'approve').click()
    await expect(id(page, 'approval-error')).toHaveText('Please choose something for Colour of the cover.')
    await expect(card(page).getByLabel('Note')).toHaveValue('keep <this>')
    await expect(card(page).getByLabel('Urgent')).toBeChecked()
    await card(page).getByLabel('Colour of the cover').selectOption('red')
    await card(page).getByLabel('Copies').press('Enter') // decides nothing
    await follow(page, id(page, 'approve'))
    await expect(page).toHaveURL(thread)
    await reloadUntil(page, async () => await card(page).getAttribute('data-phase') === 'approved')
    expect(desk.agent.answers(page).flat().map((entry) => entry.payload)).toEqual([{ approved: true, colour: 'red', copies: 2, note: 'keep <this>', urgent: true }])
  })
})

for (const [width, height] of [[1440, 900], [390, 844]]) {
  for (const colorScheme of ['light', 'dark']) {
    test(`${width} px, ${colorScheme}: fits, can be read and used by everyone`, async ({ page, desk, copilot }) => {
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      for (const [name, app, demo, text] of [['refund', desk, 'langgraph', 'refund it'], ['schema', desk, 'langgraph', 'print it'], ['two', copilot, 'maf', 'two expenses']]) {
        await ask(page, app, demo, text)
        if (name === 'two') await id(page, 'choose-approve').first().check()
        await page.evaluate(() => document.fonts.ready)
        await card(page).screenshot({ path: join(screens, `form-${name}-${width}-${colorScheme}.png`) })
        expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(width)
        const { violations } = await new AxeBuilder({ page }).analyze()
        expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(', ')}`), name).toEqual([])
        if (name === 'two') await id(page, 'choose-cancel').last().check()
        await id(page, name === 'two' ? 'send-decisions' : 'cancel').click()
        await expect(card(page)).toHaveAttribute('data-phase', /approved|declined/)
        await idle(page)
        await card(page).screenshot({ path: join(screens, `form-${name}-decided-${width}-${colorScheme}.png`) })
      }
    })
  }
}
