// Serves the agents over AG-UI: POST /agent/<topic> with a RunAgentInput
// answers a stream of events. The package ships the bridge between the two but
// no endpoint, so this is it. It holds back nothing the bridge says and checks
// nothing about the input but that it is JSON.
import { settings } from './settings.mjs'
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { MastraAgent } from '@ag-ui/mastra'
import { createAgents } from './agents.mjs'
import { createInjector } from './subagents.mjs'
import { tee } from './tee.mjs'

const mastra = createAgents(settings)
const runs = new Set() // the runs under way, for the shutdown

// The bridge warns with a stack on every new conversation, because it asks for
// the thread's history before there is a thread. Its other warnings are shown.
const warn = console.warn
console.warn = (...args) => {
  if (!args.some((arg) => arg instanceof Error && /^No thread found with id/.test(arg.message))) warn(...args)
}

const digest = (text) => createHash('sha256').update(text).digest()
const expected = digest(settings.token)

function authorized(req) {
  return timingSafeEqual(digest(req.headers['x-internal-token'] ?? ''), expected)
}

function json(res, status, body) {
  res.writeHead(status, { 'content-type': 'application/json' })
  res.end(JSON.stringify(body))
}

class BadRequest extends Error {
  constructor(status, detail) {
    super(detail)
    this.status = status
  }
}

async function readInput(req) {
  const parts = []
  let size = 0
  for await (const part of req) {
    size += part.length
    if (size > settings.maxBodyBytes) {
      throw new BadRequest(413, `the body is larger than ${settings.maxBodyBytes} bytes`)
    }
    parts.push(part)
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'))
  } catch {
    throw new BadRequest(400, 'the body is not JSON')
  }
}

async function handle(req, res) {
  const path = req.url.split('?', 1)[0]
  if (req.method === 'GET' && path === '/ok') return json(res, 200, { ok: true })
  // Before the path, so that a stranger learns nothing about the routes.
  if (!authorized(req)) return json(res, 401, { detail: 'unauthorized' })
  const topic = req.method === 'POST' && /^\/agent\/([a-z0-9_-]+)$/.exec(path)?.[1]
  if (!topic) return json(res, 404, { detail: 'not found' })
  const agents = mastra.listAgents()
  if (!Object.hasOwn(agents, topic)) return json(res, 404, { detail: `no such topic: ${topic}` })
  return serveRun(res, topic, agents[topic], await readInput(req))
}

/** Runs the agent and ends when its run does, however it ends. */
async function serveRun(res, topic, agent, input) {
  // 'close' comes at the response's end too, which is then too late to matter.
  // The request's own 'close' does not tell of a client that goes away.
  const gone = new AbortController()
  res.on('close', () => gone.abort())
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })

  const injector = createInjector(Object.keys(await agent.listAgents()))
  const send = (events) => {
    for (const event of events) {
      if (res.writable) res.write(`data: ${JSON.stringify(event)}\n\n`)
    }
  }
  const fail = (error) => send(injector.event({ type: 'RUN_ERROR', message: String(error?.message ?? error) }))
  const run = {
    stop() {
      fail('the service is shutting down')
      res.end()
      gone.abort()
    },
  }
  runs.add(run)
  try {
    // A bridge keeps the state of one run. The resource is what Mastra files
    // threads under; one per thread keeps their memories apart.
    const bridge = new MastraAgent({
      agentId: topic,
      agent: tee(agent, { observe: (chunk) => send(injector.chunk(chunk)), signal: gone.signal }),
      resourceId: input.threadId,
    })
    await new Promise((resolve, reject) => {
      bridge.run(input).subscribe({
        next: (event) => send(injector.event(event)),
        error: reject,
        complete: resolve,
      })
    })
  } catch (error) {
    fail(error)
  } finally {
    runs.delete(run)
    res.end()
  }
}

const server = createServer((req, res) => {
  handle(req, res).catch((error) => {
    if (res.headersSent || res.destroyed) return res.destroy()
    if (!(error instanceof BadRequest)) console.error('mastra:', error)
    res.setHeader('connection', 'close') // the rest of the body is not read
    return json(res, error.status ?? 500, { detail: error.status ? error.message : 'internal error' })
  })
})

// Open runs get a little time, then a RUN_ERROR: stopping a run that was just
// approved is how a booking is made twice.
async function shutDown() {
  server.close()
  server.closeIdleConnections()
  const until = Date.now() + settings.shutdownGraceMs
  while (runs.size > 0 && Date.now() < until) {
    await new Promise((wake) => setTimeout(wake, 20))
  }
  for (const run of runs) run.stop()
  setTimeout(() => process.exit(0), 100) // lets the last frames leave
}
for (const name of ['SIGTERM', 'SIGINT']) process.once(name, shutDown)

server.listen(settings.port, settings.host, () => {
  console.log(`mastra: listening on http://${settings.host}:${server.address().port}`)
})
server.on('error', (error) => {
  console.error(`mastra: ${error.message}`)
  process.exit(1)
})
