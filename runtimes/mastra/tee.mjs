// Two things the bridge does not do with an agent, added from outside: showing
// every chunk before the bridge reads it, and stopping when the client is gone.

// The two methods the bridge starts a run with. Both take their options second.
const STREAMS = new Set(['stream', 'resumeStream'])

/**
 * The same agent, but `observe` is given each chunk of a run before the
 * bridge is, and `signal` ends the run and its model request. Methods stay
 * bound to the agent itself, because Mastra's classes have private fields.
 */
export function tee(agent, { observe, signal }) {
  return new Proxy(agent, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (!STREAMS.has(name)) return value.bind(target)
      return async (first, options) =>
        observed(await value.call(target, first, { ...options, abortSignal: signal }), observe)
    },
  })
}

function observed(output, observe) {
  return new Proxy(output, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (name === 'fullStream') return watch(value, observe)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

async function* watch(stream, observe) {
  for await (const chunk of stream) {
    observe(chunk)
    yield chunk
  }
}
