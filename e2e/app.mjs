// Starts and stops what the tests run against: the built binaries, on free ports,
// each with a data directory of its own.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { step } from './timeouts.mjs'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const cairn = process.env.CAIRN_BIN ?? join(root, 'bin/cairn')
const player = process.env.PLAYER_BIN ?? join(root, 'bin/player')

// What the machine's environment says must not reach the app under test.
const foreign = /^(CAIRN_|AG_UI_|OPENAI_)/

function environment(extra) {
  const own = Object.entries(process.env).filter(([name]) => !foreign.test(name))
  return { ...Object.fromEntries(own), ...extra }
}

// Starts a program and waits for the line that names its URL, unless it was told one.
export function start(file, args, env, told) {
  if (!existsSync(file)) throw new Error(`${file} is missing; run \`make test-browser\`, which builds it`)
  const child = spawn(file, args, { cwd: root, env: environment(env), stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let stopped = false
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const url = new Promise((resolve, reject) => {
    if (told) resolve(told)
    const read = (chunk) => {
      output += chunk
      const found = /(http:\/\/127\.0\.0\.1:\d+)(?=[\s/])/.exec(output)
      if (found) resolve(found[1])
    }
    child.stdout.on('data', read)
    child.stderr.on('data', (chunk) => { output += chunk })
    exited.then((code) => reject(new Error(`${file} ended with ${code}:\n${output}`)))
  })
  return url.then((at) => ({
    url: at,
    output: () => output,
    async stop(signal = 'SIGTERM') {
      if (!stopped && (child.exitCode ?? child.signalCode) !== null) throw new Error(`${file} ended by itself:\n${output}`)
      stopped = true
      child.kill(signal)
      await exited
    },
  }))
}

export async function until(url) {
  for (const end = Date.now() + step; Date.now() < end;) {
    const ok = await fetch(url).then((r) => r.status === 200, () => false)
    if (ok) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`${url} did not become 200`)
}

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

// The web app. upstream: {url, token, demo} of an agent, for the camping demo when it
// names none; without it the embedded one. grace: how long runs may go on at its end.
export async function startApp({ upstream, data, addr = '127.0.0.1:0', grace = '0s' } = {}) {
  const dir = data ?? mkdtempSync(join(tmpdir(), 'cairn-e2e-'))
  const env = { CAIRN_ADDR: addr, CAIRN_DATA: dir, CAIRN_GRACE: grace }
  if (upstream?.demo) {
    const file = join(dir, 'upstreams.yaml')
    writeFileSync(file, `${upstream.demo}:\n  url: ${upstream.url}\n  token_env: TOKEN\n`)
    Object.assign(env, { CAIRN_UPSTREAMS: file, TOKEN: upstream.token })
  } else if (upstream) {
    Object.assign(env, { AG_UI_AGENT_URL: upstream.url, AG_UI_INTERNAL_TOKEN: upstream.token })
  }
  const app = await start(cairn, ['serve'], env)
  await until(app.url + '/healthz')
  return {
    ...app,
    data: dir,
    // The trip agent's ledger.
    reservations() {
      const lines = execFileSync(cairn, ['agent', 'reservations'], { env: environment({ CAIRN_DATA: dir }), encoding: 'utf8' })
      return lines.split('\n').filter(Boolean).map((line) => JSON.parse(line))
    },
    discard: () => rmSync(dir, { recursive: true, force: true }),
    async close() {
      await app.stop()
      if (!data) this.discard()
    },
  }
}

// An agent of the tests; see player/main.go.
export async function startPlayer(args, token) {
  const agent = await start(player, [...args, '--token', token], {})
  return {
    ...agent,
    upstream: { url: agent.url + '/agent/mastra', token },
    // Ends the slow answer of a thread.
    finish: (thread) => fetch(`${agent.url}/player/finish?thread=${thread}`, { method: 'POST' }),
    errors: () => fetch(agent.url + '/player/errors').then((r) => r.json()),
    steps: () => fetch(agent.url + '/player/steps').then((r) => r.json()),
  }
}

// The URL of an agent that nobody listens at.
export async function deadUpstream() {
  return { url: `http://127.0.0.1:${await freePort()}/agent/mastra`, token: 'nobody' }
}
