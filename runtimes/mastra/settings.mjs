// What the service is told by its environment. Imported first: the two
// variables set below are read by Mastra's own modules.
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { resolve } from 'node:path'

process.env.MASTRA_TELEMETRY_DISABLED = '1'
process.env.MASTRA_OFFLINE = '1' // no list of model providers is fetched
process.umask(0o077) // the database holds what people wrote

const token = process.env.AG_UI_INTERNAL_TOKEN
if (!token) {
  console.error('mastra: AG_UI_INTERNAL_TOKEN is not set. Without it anybody could use the model, so the service does not start.')
  process.exit(1)
}
delete process.env.AG_UI_INTERNAL_TOKEN // no tool and no child process can read it

const port = Number(process.env.PORT || 8101)
if (!Number.isInteger(port) || port < 0 || port > 65535) {
  console.error(`mastra: PORT is not a port number: ${process.env.PORT}`)
  process.exit(1)
}

const here = fileURLToPath(new URL('.', import.meta.url))
const dataDir = resolve(process.env.DATA_DIR || resolve(here, '.data'))
mkdirSync(dataDir, { recursive: true, mode: 0o700 })

export const settings = {
  token,
  host: '127.0.0.1',
  port,
  database: `file:${resolve(dataDir, 'mastra.db')}`,
  // Mastra's router reads OPENAI_API_KEY and OPENAI_BASE_URL itself.
  model: `openai/${process.env.CAIRN_MODEL || 'gpt-4o-mini'}`,
  maxBodyBytes: 1_000_000,
  shutdownGraceMs: 5_000,
}
