// Runs a command beside the real runtimes: starts the scripted model and each runtime,
// waits until it answers, runs the command with their addresses in its environment, and
// stops everything it started, however the command ends.
//
//   node runtimes/run.mjs [--free-ports] [--only mastra,langgraph] [--scripted] -- COMMAND [ARG…]
//
// The command's environment: RUNTIME_<TOPIC>, the full URL of each topic's endpoint,
// RUNTIMES, "name topic url" per line, AG_UI_AGENT_URL, the camping demo's, and
// AG_UI_INTERNAL_TOKEN. A model of your own (OPENAI_API_KEY, OPENAI_BASE_URL) is used
// instead of the scripted one unless --scripted is given. With --free-ports the services
// keep what they store in a scratch folder, so that a test can run beside `make runtimes`.
import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const here = dirname(fileURLToPath(import.meta.url))
const cairn = process.env.CAIRN_BIN ?? join(here, '../bin/cairn')
// A LangGraph boot imports for ten seconds on a cold disk; two cores may be busy.
const bootLimit = 120_000
// A service gives open runs up to five seconds when it is told to stop.
const stopLimit = 8_000

const services = [
  { name: 'mastra', port: 8101, topics: ['mastra'] },
  { name: 'strands', port: 8102, topics: ['strands'] },
  { name: 'maf', port: 8103, topics: ['maf'] },
  { name: 'langgraph', port: 8104, topics: ['langgraph', 'langgraph-native'] },
]

const { values: flags, positionals: command } = parseArgs({
  allowPositionals: true,
  options: { 'free-ports': { type: 'boolean' }, only: { type: 'string' }, scripted: { type: 'boolean' } },
})
const wanted = flags.only?.split(',') ?? services.map((s) => s.name)
const unknown = wanted.filter((name) => !services.some((s) => s.name === name))
if (unknown.length || !command.length) {
  console.error(unknown.length ? `no such runtime: ${unknown}` : 'usage: node runtimes/run.mjs [--free-ports] [--only NAMES] [--scripted] -- COMMAND')
  process.exit(2)
}
const chosen = services.filter((s) => wanted.includes(s.name))

const running = []
let stopping = false
let failed // the exit code of a run that did not end with its command
let scratch

// Every child, the command too, leads a process group, so that what it starts ends with it.
function start(label, file, args, env) {
  const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let last = ''
  const keep = (chunk) => { last = (last + chunk).slice(-4000) }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const exited = new Promise((resolve) => {
    child.once('error', (err) => { fail(`${label} cannot be started: ${err.message}`); resolve() })
    child.once('exit', (code, signal) => {
      if (!stopping) fail(`${label} ended by itself (${signal ?? `exit code ${code}`}), so the others are stopped too. It said:\n${last.trim()}`)
      resolve()
    })
  })
  const service = { label, child, exited, last: () => last }
  running.push(service)
  return service
}

async function stopAll() {
  stopping = true
  const signal = (sig) => running.forEach(({ child }) => { try { process.kill(-child.pid, sig) } catch { /* it is gone */ } })
  signal('SIGTERM')
  const late = setTimeout(() => signal('SIGKILL'), stopLimit)
  await Promise.all(running.map((s) => s.exited))
  clearTimeout(late)
  if (scratch) rmSync(scratch, { recursive: true, force: true })
}

async function fail(why, code = 1) {
  if (stopping) return
  failed = code
  console.error('runtimes: ' + why)
  await stopAll()
  process.exit(code)
}

// The port, when nobody listens there; 0 is any that is free.
function freePort(wish = 0) {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(wish, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

async function answers(service, url) {
  for (const end = Date.now() + bootLimit; Date.now() < end && !stopping;) {
    if (await fetch(url).then((r) => r.ok, () => false)) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  if (!stopping) await fail(`${service.label} did not answer ${url} within ${bootLimit / 1000} s:\n${service.last()}`)
}

for (const service of chosen) {
  if (flags['free-ports']) continue
  await freePort(service.port).catch((err) =>
    fail(`${service.name} cannot listen on 127.0.0.1:${service.port} (${err.code}). Stop the program that does, or run beside it with --free-ports.`))
}
for (const { name } of chosen) {
  if (spawnSync(join(here, 'install'), [name], { stdio: 'inherit' }).status !== 0) {
    console.error('runtimes: nothing was started')
    process.exit(1)
  }
}
for (const [signal, code] of [['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]]) {
  process.on(signal, () => fail(`stopped by ${signal}, with everything that was started`, code))
}
if (flags['free-ports']) scratch = mkdtempSync(join(tmpdir(), 'cairn-runtimes-'))

const token = process.env.AG_UI_INTERNAL_TOKEN || randomBytes(24).toString('hex')
const model = { OPENAI_API_KEY: process.env.OPENAI_API_KEY, OPENAI_BASE_URL: process.env.OPENAI_BASE_URL }
if (flags.scripted || (!model.OPENAI_API_KEY && !model.OPENAI_BASE_URL)) {
  const port = await freePort()
  const service = start('the scripted model', cairn, ['model'], { CAIRN_MODEL_ADDR: `127.0.0.1:${port}` })
  Object.assign(model, { OPENAI_API_KEY: 'scripted', OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` })
  await answers(service, `http://127.0.0.1:${port}/v1/models`)
}

const env = { AG_UI_INTERNAL_TOKEN: token }
const lines = (await Promise.all(chosen.map(async ({ name, port, topics }) => {
  const began = Date.now()
  const at = `http://127.0.0.1:${flags['free-ports'] ? await freePort() : port}`
  const own = scratch && { DATA_DIR: join(scratch, name) }
  const service = start(name, join(here, name, 'start'), [], { ...model, ...own, AG_UI_INTERNAL_TOKEN: token, PORT: new URL(at).port })
  await answers(service, at + '/ok')
  console.log(`runtime ${name}: answers after ${((Date.now() - began) / 1000).toFixed(1)} s`)
  return topics.map((topic) => {
    const url = `${at}/agent/${topic}`
    env['RUNTIME_' + topic.toUpperCase().replaceAll('-', '_')] = url
    if (topic === 'mastra') env.AG_UI_AGENT_URL = url
    return `${name} ${topic} ${url}`
  })
}))).flat()
if (stopping) await new Promise(() => {}) // fail() ends the process
console.log(lines.map((line) => 'runtime ' + line.replace(/^\S+ /, '').replace(' ', ': ')).join('\n'))

const job = spawn(command[0], command.slice(1), { env: { ...process.env, ...env, RUNTIMES: lines.join('\n') }, stdio: 'inherit', detached: true })
const ended = new Promise((resolve) => {
  job.once('error', (err) => { console.error('runtimes: ' + err.message); resolve(127) })
  job.once('exit', (status, signal) => resolve(status ?? (signal ? 1 : 0)))
})
running.push({ child: job, exited: ended })
const code = await ended
await stopAll()
process.exit(failed ?? code)
