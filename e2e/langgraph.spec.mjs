// The refund desk on the embedded agent, which speaks as LangGraph does: draft, the
// refund beside the chat, approval, the researcher, customers.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, start } from './app.mjs'
import { answered, appWith, approval, approveTwice, childGrew, expect, id, idle, lying, open, record, say, series, suggest, test as base, theirs, token, watchChild } from './fixtures.mjs'

const test = base.extend({
  // The same desk asking in the outcome of its run, as a service of its own.
  native: appWith(async () => {
    const data = mkdtempSync(join(tmpdir(), 'cairn-desk-'))
    const service = await start(process.env.CAIRN_BIN ?? join(root, 'bin/cairn'), ['agent'],
      { CAIRN_AGENT_ADDR: '127.0.0.1:0', CAIRN_DATA: data, AG_UI_INTERNAL_TOKEN: token })
    return {
      upstream: { url: service.url + '/agent/langgraph-native', token, demo: 'langgraph' },
      stop: () => service.stop().finally(() => rmSync(data, { recursive: true, force: true })),
    }
  }),
  lying: lying('langgraph'),
})

const refund = (page) => id(page, 'refund-state')

test('first suggestion, Approve: drafted, asked, issued, and so after a reload', ({ page, app }) => approve(page, app))
test('the same when the desk asks in the outcome of its run', ({ page, native }) => approve(page, native))

async function approve(page, app) {
  await record(page, 'marks', `() => /drafted|issued|cancelled/.exec(document.querySelector('[data-testid=refund-state]')?.textContent)?.[0]`)
  await open(page, app, 'langgraph')
  await expect(refund(page)).toContainText('No refund drafted yet')
  await suggest(page, 'Refund a duplicate charge')
  const card = await approval(page, 'Refund approval required', '$47.50', 'cus_a8x2k', 'Duplicate charge')
  for (const text of ['cus_a8x2k', '$47.50', 'Duplicate charge', 'drafted']) await expect(refund(page)).toContainText(text)
  await expect(page.locator('[data-testid=tool-card][data-tool=draft_refund]')).toContainText('$47.50 to cus_a8x2k, drafted')
  await expect(theirs(page).last()).toContainText("it waits for an operator's approval")
  await id(page, 'approve').click()
  const settled = async () => {
    await expect(card).toHaveAttribute('data-phase', 'approved')
    await expect(card).toContainText('Refunded. $47.50 to cus_a8x2k, refund re_demo__a8x2k.')
    for (const text of ['issued', 're_demo__a8x2k']) await expect(refund(page)).toContainText(text)
  }
  await settled()
  await answered(page, 'Refund of $47.50 issued to cus_a8x2k. Refund ID: re_demo__a8x2k')
  await say(page, 'thanks')
  await answered(page, /welcome/)
  await page.reload()
  await settled()
  await expect(theirs(page)).toHaveCount(3)
  expect(await series(page, 'marks'), 'the refund never goes back').toEqual(['drafted', 'issued'])
}

test('another amount is approved: that is what is refunded', ({ page, app }) => edit(page, app))
test('and so when the desk asks in the outcome of its run', ({ page, native }) => edit(page, native))

async function edit(page, app) {
  await open(page, app, 'langgraph')
  await suggest(page, 'Refund a duplicate charge')
  const card = await approval(page, '$47.50', 'cus_a8x2k')
  await card.getByLabel('Amount to refund').fill('40')
  await id(page, 'approve').click()
  await expect(card).toContainText('Approved with amount $40.00.')
  await expect(card).toContainText('Refunded. $40.00 to cus_a8x2k, refund re_demo__a8x2k.')
  for (const text of ['$40.00', 'issued']) await expect(refund(page)).toContainText(text)
  await answered(page, /Refund of \$40\.00 issued/)
}

test('second suggestion, Cancel: the card, the panel and the agent say so; the next refund is another', async ({ page, app }) => {
  await open(page, app, 'langgraph')
  await suggest(page, 'Refund a chargeback')
  await approval(page, '$129.00', 'cus_z19fp', 'Chargeback')
  const card = id(page, 'approval-card').first()
  await id(page, 'cancel').click()
  await expect(card).toHaveAttribute('data-phase', 'declined')
  await expect(card).toContainText('Declined. Nothing was refunded.')
  await expect(refund(page)).toContainText('cancelled')
  await answered(page, /Refund cancelled by operator/)
  await say(page, 'Refund $12 to customer cus_m40qt for a damaged item')
  await approval(page, '$12.00', 'cus_m40qt', 'Damaged item')
  await expect(refund(page)).toContainText('drafted')
  await expect(refund(page)).not.toContainText(/cancelled|cus_z19fp/)
  await id(page, 'approve').click()
  await expect(refund(page)).toContainText('issued')
  await expect(card, 'the first decision stays as it was').toContainText('Declined. Nothing was refunded.')
})

test('third suggestion: the researcher streams into its card', async ({ page, app }) => {
  await watchChild(page)
  await open(page, app, 'langgraph')
  await suggest(page, 'Ask about the refund policy')
  const card = page.locator('[data-testid=subagent-card][data-name=refund_researcher]')
  await expect(card).toHaveAttribute('data-status', 'complete')
  await expect(card.locator('li')).toHaveCount(3)
  await expect(card).toContainText('refunded in full within 60 days')
  await expect(page.locator('[data-testid=tool-card][data-tool=task]')).toHaveCount(0)
  await answered(page, /^The refund policy:/)
  await expect(id(page, 'approval-card')).toHaveCount(0)
  await childGrew(page)
})

test('a customer comes from a tool; what a draft lacks is asked for', async ({ page, app }) => {
  await open(page, app, 'langgraph')
  await say(page, 'Look up customer cus_a8x2k')
  const card = page.locator('[data-testid=tool-card][data-tool=lookup_customer]')
  await expect(card).toHaveAttribute('data-status', 'complete')
  await expect(card).toContainText('Alder & Finch — Team plan, last charged $47.50 and $47.50')
  await answered(page, /Alder & Finch/)
  await say(page, 'Refund their duplicate charge')
  await answered(page, 'How much should I refund, and to which customer?')
  await expect(refund(page)).toContainText('No refund drafted yet')
})

test('two tabs approve at once: one decision, one refund', async ({ page, context, app, allowed }) => {
  allowed.push(/status (409|404)/, /409|404/) // the repeat may be refused
  await open(page, app, 'langgraph')
  await suggest(page, 'Refund a duplicate charge')
  await approval(page, '$47.50')
  await approveTwice(page, context)
  await answered(page, /^Refund of \$47\.50 issued/)
  await expect(theirs(page).filter({ hasText: 'issued to' })).toHaveCount(1)
  await expect(id(page, 'run-error')).toHaveCount(0)
})

for (const { button, says } of [
  { button: 'approve', says: "You approved, but the agent's state does not confirm a refund." },
  { button: 'cancel', says: "You declined, but the agent's state shows it as refunded." },
]) {
  test(`${button}, and the state says another: the card does not claim what was not proven`, async ({ page, lying }) => {
    await open(page, lying, 'langgraph')
    await suggest(page, 'Refund a duplicate charge')
    const card = await approval(page, '$47.50')
    await id(page, button).click()
    await expect(card).toContainText(says)
    await idle(page)
    expect(await lying.agent.errors(), 'requests that a real runtime would not have understood').toEqual([])
  })
}
