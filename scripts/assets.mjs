// Copies the third-party browser files out of node_modules into static/vendor, where
// the Go compiler embeds them. Run by `make assets`, after `npm ci`.
import { copyFileSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const to = join(root, 'static', 'vendor')

// [source in node_modules, name in static/vendor]; a licence travels with its files.
const files = [
  ['htmx.org/dist/htmx.min.js'],
  ['htmx.org/dist/ext/hx-sse.min.js'],
  ['htmx.org/LICENSE', 'htmx.LICENSE.txt'],
  ...['inter', 'fraunces', 'jetbrains-mono'].flatMap((font) => [
    [`@fontsource-variable/${font}/files/${font}-latin-wght-normal.woff2`],
    [`@fontsource-variable/${font}/LICENSE`, `${font}.LICENSE.txt`],
  ]),
]

mkdirSync(to, { recursive: true })
let bytes = 0
for (const [from, name] of files) {
  const source = join(root, 'node_modules', from)
  if (!existsSync(source)) {
    console.error(`assets: ${from} is not in node_modules. Run "npm ci" first.`)
    process.exit(1)
  }
  copyFileSync(source, join(to, name ?? basename(from)))
  bytes += statSync(source).size
}
console.log(`assets: ${files.length} files, ${Math.round(bytes / 1024)} KB, in static/vendor`)
