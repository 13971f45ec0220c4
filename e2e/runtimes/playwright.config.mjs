// The suite against the real runtimes; `make runtimes-test` installs what it needs.
import base from '../playwright.config.mjs'

export default {
  ...base,
  testIgnore: undefined,
  outputDir: '../test-results/runtimes',
  reporter: [['list'], ['html', { outputFolder: '../report/runtimes', open: 'never' }]],
  workers: 1,
}
