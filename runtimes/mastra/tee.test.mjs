import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tee } from './tee.mjs'

// Like Mastra's classes: private fields, a getter for the stream, a promise beside it.
class Output {
  #chunks = ['one', 'two']
  get fullStream() {
    return ReadableStream.from(this.#chunks)
  }
  get usage() {
    return Promise.resolve(this.#chunks.length)
  }
}

class Agent {
  #memory = 'memory'
  calls = []
  getMemory() {
    return this.#memory
  }
  async stream(...args) {
    this.calls.push(args)
    return new Output()
  }
  async resumeStream(...args) {
    return this.stream(...args)
  }
}

for (const method of ['stream', 'resumeStream']) {
  test(`${method}: each chunk is seen before it is read, and the signal goes along`, async () => {
    const agent = new Agent()
    const { signal } = new AbortController()
    const order = []
    const output = await tee(agent, { observe: (chunk) => order.push(`seen ${chunk}`), signal })[method]('hello', { runId: 'r1' })
    for await (const chunk of output.fullStream) order.push(`read ${chunk}`)
    assert.deepEqual(order, ['seen one', 'read one', 'seen two', 'read two'])
    assert.deepEqual(agent.calls, [['hello', { runId: 'r1', abortSignal: signal }]])
    assert.equal(await output.usage, 2)
  })
}

test('the rest of the agent is as it was', () => {
  const wrapped = tee(new Agent(), {})
  assert.equal(wrapped.getMemory(), 'memory')
  assert.ok('getMemory' in wrapped) // by which the bridge knows an agent of this process
})
