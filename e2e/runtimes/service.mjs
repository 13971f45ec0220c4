// A demo on its real runtime: the scripted model, the service of runtimes/NAME on the
// vendor's own packages, and the web app pointed at it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, root, start, until } from '../app.mjs'

const token = 'e2e-runtime-4c0a91d7'

export async function startRuntime(name) {
  const data = mkdtempSync(join(tmpdir(), `cairn-${name}-`))
  const model = await start(join(root, 'bin/cairn'), ['model'], { CAIRN_MODEL_ADDR: '127.0.0.1:0' })
  const url = `http://127.0.0.1:${await freePort()}`
  const env = {
    PORT: new URL(url).port, DATA_DIR: data, AG_UI_INTERNAL_TOKEN: token,
    OPENAI_BASE_URL: model.url + '/v1', OPENAI_API_KEY: 'scripted',
    CAIRN_RUNTIMES_DIR: process.env.CAIRN_RUNTIMES_DIR ?? '',
  }
  const boot = async () => {
    const service = await start(join(root, `runtimes/${name}/start`), [], env, url)
    await until(url + '/ok').catch(async (err) => { // it imports for some seconds
      await service.stop()
      throw err
    })
    return service
  }
  let service = await boot().catch(async (err) => {
    await model.stop()
    throw err
  })
  return {
    upstream: { url: `${url}/agent/${name}`, token, demo: name },
    // Ends the service as a crash would, and starts it again on the same data.
    async restart() {
      await service.stop('SIGKILL')
      service = await boot()
    },
    async stop() {
      await service.stop().finally(() => model.stop())
      rmSync(data, { recursive: true, force: true })
    },
  }
}
