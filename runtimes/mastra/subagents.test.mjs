// node --test runtimes/mastra/*.test.mjs; needs no packages and no network.
// The chunks have the shapes Mastra 1.71.0 was seen to emit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createInjector } from './subagents.mjs'

const call = { toolCallId: 'c1', toolName: 'agent-weather_forecaster', args: { prompt: 'Forecast for North Pines' } }
const start = { type: 'step-start', payload: { messageId: 'm1' } }
const delegated = { type: 'tool-call', payload: call }
const child = (type, payload = {}) => ({ type: 'tool-output', payload: { ...call, output: { type, payload } } })
const word = (text) => child('text-delta', { text })
const result = (value) => ({ type: 'tool-result', payload: { ...call, result: value } })

// An injector and the frames of its run, as "TYPE" or "TYPE:what it says".
function run() {
  const injector = createInjector(['weather_forecaster'])
  const frames = []
  const keep = (events) => frames.push(...events)
  return {
    frames,
    chunks: (...chunks) => chunks.forEach((chunk) => keep(injector.chunk(chunk))),
    events: (...events) => events.forEach((event) => keep(injector.event(event))),
    said: () => frames.map(({ type, delta, message, result: text }) => [type, delta ?? message ?? text].filter((v) => v != null).join(':')),
  }
}

const opening = ['TOOL_CALL_START', 'TOOL_CALL_ARGS:{"prompt":"Forecast for North Pines"}', 'TOOL_CALL_END', 'SUBAGENT_STARTED']

test('a delegation is shown at once, streams, and ends before its result', () => {
  const r = run()
  r.chunks(start, delegated, child('start'), word('- Sat'), word('urday'), child('text-end'), result({ text: '- Saturday' }))
  r.events(
    { type: 'TOOL_CALL_START', toolCallId: 'c1' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{}' },
    { type: 'TOOL_CALL_END', toolCallId: 'c1' },
    { type: 'TOOL_CALL_RESULT', toolCallId: 'c1' },
    { type: 'RUN_FINISHED' },
  )
  assert.deepEqual(r.said(), [
    ...opening, 'TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT:- Sat', 'TEXT_MESSAGE_CONTENT:urday', 'TEXT_MESSAGE_END',
    'SUBAGENT_FINISHED:- Saturday', 'TOOL_CALL_RESULT', 'RUN_FINISHED',
  ])
  assert.deepEqual(r.frames[3], {
    type: 'SUBAGENT_STARTED', subagentRunId: 'c1:sub', name: 'weather_forecaster', parentToolCallId: 'c1', parentMessageId: 'm1',
  })
  assert.ok(r.frames.slice(3, 9).every((frame) => frame.subagentRunId === 'c1:sub'))
})

test('each message of a child has an id of its own', () => {
  const r = run()
  r.chunks(delegated, word('one'), child('text-end'), child('step-finish'), word('two'), result({ text: 'two' }))
  const ids = r.frames.filter(({ type }) => type === 'TEXT_MESSAGE_START').map(({ messageId }) => messageId)
  assert.deepEqual(ids, ['c1:sub:msg', 'c1:sub:msg-2'])
  assert.equal(r.frames.filter(({ type }) => type === 'TEXT_MESSAGE_END').length, 2)
})

test('an answer that did not stream is shown as one message', () => {
  const r = run()
  r.chunks(delegated, result({ text: 'Sunny.' }))
  assert.deepEqual(r.said().slice(4), ['TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT:Sunny.', 'TEXT_MESSAGE_END', 'SUBAGENT_FINISHED:Sunny.'])
})

for (const [what, chunk] of [
  ['a tool error', { type: 'tool-error', payload: { ...call, error: new Error('no forecast') } }],
  ['arguments that are refused', result({ error: true, message: 'no forecast' })],
]) {
  test(`${what} closes the message and the card`, () => {
    const r = run()
    r.chunks(delegated, word('- Sat'), chunk)
    r.events({ type: 'RUN_FINISHED' })
    assert.deepEqual(r.said().slice(6), ['TEXT_MESSAGE_END', 'SUBAGENT_ERROR:no forecast', 'RUN_FINISHED'])
  })
}

test('a run that ends leaves nothing open', () => {
  const r = run()
  r.chunks(delegated, word('- Sat'))
  r.events({ type: 'RUN_ERROR', message: 'model gone' })
  assert.deepEqual(r.said().slice(6), ['TEXT_MESSAGE_END', 'SUBAGENT_ERROR:The run ended before this agent did.', 'RUN_ERROR:model gone'])
})

test('parallel children keep apart', () => {
  const r = run()
  const second = { ...call, toolCallId: 'c2' }
  r.chunks(delegated, { type: 'tool-call', payload: second }, word('one'))
  r.chunks({ type: 'tool-output', payload: { ...second, output: { type: 'text-delta', payload: { text: 'two' } } } })
  r.chunks(result({ text: 'one' }))
  const of = (id) => r.frames.filter((frame) => frame.subagentRunId === id).map(({ type }) => type)
  assert.deepEqual(of('c1:sub').at(-1), 'SUBAGENT_FINISHED')
  assert.deepEqual(of('c2:sub'), ['SUBAGENT_STARTED', 'TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT'])
})

test('everything that is no delegation is left to the bridge', () => {
  const r = run()
  r.chunks(
    { type: 'tool-call', payload: { toolCallId: 't1', toolName: 'check_conditions', args: {} } },
    { type: 'tool-call', payload: { toolCallId: 't2', toolName: 'agent-nobody', args: {} } },
    { type: 'text-delta', payload: { text: 'Hello' } },
    { type: 'tool-result', payload: { toolCallId: 't1', result: {} } },
    { type: 'abort' },
  )
  assert.deepEqual(r.frames, [])
  r.events({ type: 'TOOL_CALL_START', toolCallId: 't1' }, { type: 'RUN_FINISHED' })
  assert.deepEqual(r.said(), ['TOOL_CALL_START', 'RUN_FINISHED'])
})
