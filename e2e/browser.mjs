// Finds the browser for the tests: a chromium that is there, else Debian's package
// when it may be installed, else Playwright's own. Run alone, it gets one and says so.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from '@playwright/test'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

// The path of an installed browser, '' for Playwright's own, undefined for none.
export function find() {
  if (process.env.CAIRN_BROWSER) return process.env.CAIRN_BROWSER
  for (const dir of (process.env.PATH ?? '').split(delimiter)) {
    for (const name of names) if (dir && existsSync(join(dir, name))) return join(dir, name)
  }
  return existsSync(chromium.executablePath()) ? '' : undefined
}

const has = (command) => spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined

function run(command, args) {
  console.log('browser: ' + [command, ...args].join(' '))
  execFileSync(command, args, { stdio: 'inherit', cwd: join(dirname(fileURLToPath(import.meta.url)), '..') })
}

function install() {
  if (process.getuid?.() === 0 && has('apt-get')) {
    console.log('browser: none found; installing the distribution\'s chromium')
    try {
      run('apt-get', ['update', '-qq'])
      run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'])
      return
    } catch {
      console.log('browser: the distribution has none')
    }
  }
  console.log('browser: downloading Playwright\'s chromium')
  run('npx', ['--no-install', 'playwright', 'install', 'chromium'])
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (find() === undefined) install()
  const path = find()
  if (path === undefined) {
    console.error('browser: none could be had. Install chromium, or name one with CAIRN_BROWSER.')
    process.exit(1)
  }
  console.log('browser: ' + (path || chromium.executablePath()))
}
